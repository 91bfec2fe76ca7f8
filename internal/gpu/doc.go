// Package gpu takes TTIR to TTGIR: tensors get layouts, and passes improve them.
//
// Its input is a module of TTIR, its output a module of TTGIR for one target, in Triton's dialects, which
// Triton accepts. ConvertTriton gives every tensor a default layout and inserts conversions wherever an op
// needs another. The passes after it make memory accesses wide, remove conversions, put products on tensor
// cores, overlap loads with earlier iterations, and so on. Each pass has the name of Triton's and a file of
// its own; Pipeline lists them for a target.
//
// Between passes the following holds: every tensor has an encoding of the ttg dialect with as many lanes and
// warps as the module says, and every op has operands with the encodings that its verifier demands.
//
// A layout and an encoding are the same thing, as a set of bases and as the attribute that denotes it. A
// conversion is a ttg.convert_layout. A product is a tt.dot or one of a warp group (wgmma).
//
//	pipeline.go                    Pipeline: the passes in order, and the orderings they need
//	pipeline_amd.go                AMDPipeline: the passes for AMD's GPUs
//	amd_pointers.go                tritonamdgpu-canonicalize-pointers
//	amd_buffer_ops.go              tritonamdgpu-convert-buffer-ops
//	amd_buffers.go                 nereid-lower-amd: operations of AMD's dialect, in TTGIR of Triton's
//	encode.go                      building blocked layouts, reading and changing encodings
//	facts.go                       a row for each op: what the passes know of it
//	infer.go                       how layouts pass through ops: the functions of the rows
//	while_to_for.go                nereid-gpu-while-to-for: whiles that count become loops with a counter
//	flatten_branches.go            nereid-gpu-flatten-branches: selects instead of short branches
//	convert_triton.go              convert-triton-to-tritongpu
//
// Programs and loops, before tensors have layouts:
//
//	merge_programs.go              nereid-gpu-merge-programs: one program does the work of several
//	unit_strides.go                which arguments are strides, and merged programs for strides of 1
//	longest_first.go               nereid-gpu-longest-first: programs with long loops start first
//	join_loops.go                  nereid-gpu-join-loops: two loops that differ in masks become one
//
// Layouts of accesses and products:
//
//	coalesce.go                    tritongpu-coalesce
//	neighbours.go                  the accesses that an op is connected with
//	coalesce_async_copy.go         tritongpu-coalesce-async-copy
//	plan_cta.go                    triton-nvidia-gpu-plan-cta: how the blocks of a cluster share the work
//	thread_locality.go             tritongpu-optimize-thread-locality
//	late_reduce.go                 … a loop of truth values that are reduced behind it
//	f32_dot_tc.go                  tritongpu-F32DotTC
//	accelerate_matmul.go           tritongpu-accelerate-matmul
//	accelerate_amd.go              tritonamdgpu-accelerate-matmul
//	amd_epilogue.go                tritonamdgpu-optimize-epilogue
//	amd_transpose.go               tritonamdgpu-in-thread-transpose
//	amd_reorder.go                 tritonamdgpu-reorder-instructions, tritonamdgpu-hoist-layout-conversions
//	decompose_scaled.go            dot_scaled as a plain product, for accelerate_matmul.go
//	dot_operands.go                tritongpu-optimize-dot-operands
//	data_duplication.go            tritongpu-reduce-data-duplication
//	fence.go                       triton-nvidia-gpu-fence-insertion
//
// Tensor descriptors on the copy engine (TMA):
//
//	tile_loads.go                  nereid-gpu-tile-loads: loads by pointers that are tiles
//	tile_stores.go                 nereid-gpu-tile-stores: stores by pointers that are tiles
//	tile_choice.go                 which loads are given to the copy engine
//	tile_order.go                  loads that stores of the kernel may precede
//	tile_plan.go                   addresses of an access as strides and coordinates of a tile
//	tile_bounds.go                 masks as sizes of tiles, indices that are never negative
//	tile_wraps.go                  indices that wrap around or are 0 behind an end
//	tile_guard.go                  what the host checks for all programs and iterations
//	tile_replace.go                accesses to tiles through descriptors that are arguments
//	tma_fits.go                    nereid-legalize-descriptors: pointers where the copy engine cannot serve
//	descriptor_encoding.go         triton-nvidia-optimize-descriptor-encoding
//	tma_lowering.go                triton-nvidia-tma-lowering
//	tma_loads.go                   loads in pipelines, and their barriers
//	tma_stores.go                  stores in loops that overlap with the next iteration
//	spread_stores.go               nereid-gpu-spread-stores: such a store in parts, one in each iteration
//	store_parts.go                 nereid-gpu-store-in-parts: a store without a loop, as its parts are ready
//
// Removing conversions:
//
//	remove_layout_conversions.go   tritongpu-remove-layout-conversions
//	propagate.go                   moving layouts forward from anchors
//	remat.go                       computing values anew in another layout
//	backward.go                    when computing anew is cheaper than converting
//	hoist.go                       moving conversions to where they are cheaper
//	cleanup.go                     patterns that fold conversions; Canonicalize
//	dead_args.go                   patterns that remove dead loop-carried values
//
// Pipelining loops:
//
//	combine_select.go              tritongpu-combine-tensor-select-and-if, nereid-gpu-branch-on-products
//	fuse_nested_loops.go           tritongpu-fuse-nested-loops: tl.range(flatten=True)
//	deepen.go                      nereid-gpu-deepen-pipelines: more stages where programs are few
//	load_at_once.go                nereid-gpu-load-at-once: all loads of short loops first
//	fetch_ahead.go                 nereid-gpu-fetch-ahead: asking for the next iteration's memory
//	assign_latencies.go            tritongpu-assign-latencies: which loads run ahead
//	schedule_loops.go              tritongpu-schedule-loops: a stage for each op
//	schedule.go                    schedule: stages and clusters
//	schedule_memory.go             which accesses must stay in order
//	software_pipeline.go           tritongpu-pipeline
//	lower_loads.go                 loads as asynchronous copies
//	load_buffers.go                the buffers of such copies and their counters
//	expand_loop.go                 taking a loop apart by its schedule
//	async_products.go              products of warp groups that overlap with the next iteration
//	early_products.go              products that begin together with the one before
//	warp_specialize.go             what tl.range(warp_specialize=True) changes
//	group_turns.go                 nereid-gpu-group-turns: loops whose warp groups need not run in step
//	take_turns.go                  what lets them apart, and gives them turns
//	guard_slots.go                 barriers in shared memory for the slots of their loops
//	turn_order.go                  the order of what they compute in turns
//	scale_late.go                  nereid-gpu-scale-late
//	store_by_warps.go              nereid-gpu-store-by-warps
//	program_loop.go                nereid-gpu-loop-over-programs: programs of plain products that stay
//	persist.go                     nereid-gpu-persist-programs: which programs stay on their SMs
//	persist_loop.go                the loop over programs, and the copies for the next one
//	branch_on_masks.go             nereid-gpu-branch-on-masks
//	branch_on_copies.go            nereid-gpu-branch-on-copies
//	wait_inside.go                 nereid-gpu-wait-inside
//	reorder_instructions.go        tritongpu-reorder-instructions
//	order_offsets.go               nereid-gpu-order-offsets: offsets that elements have in common first
//	load_early.go                  nereid-gpu-load-early: loads above products and reductions
//	load_late.go                   nereid-gpu-load-late: operands in registers read next to the product
//	hold_operands.go               nereid-gpu-hold-operands: left operands in registers during a loop
//	short_lives.go                 nereid-gpu-short-lives: arithmetic and conversions over products
//	stream_loads.go                nereid-gpu-stream-loads: what is read once leaves the caches first
//	ruled.go                       the values of the module's rules (internal/rules)
package gpu
