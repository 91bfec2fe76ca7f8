// Package pipeline turns loops into software pipelines: loads run iterations ahead, products of warp groups
// overlap, and warp groups may ping-pong on the tensor cores.
//
//	assign_latencies.go      tritongpu-assign-latencies: which loads run ahead
//	async_products.go        products of warp groups that overlap with the next iteration
//	branch_on_copies.go      nereid-gpu-branch-on-copies
//	coalesce_async_copy.go   tritongpu-coalesce-async-copy
//	combine_select.go        tritongpu-combine-tensor-select-and-if, nereid-gpu-branch-on-products
//	deepen.go                nereid-gpu-deepen-pipelines: more stages where programs are few
//	early_products.go        products that begin together with the one before
//	expand_loop.go           taking a loop apart by its schedule
//	fetch_ahead.go           nereid-gpu-fetch-ahead: asking for the next iteration's memory
//	fuse_nested_loops.go     tritongpu-fuse-nested-loops: tl.range(flatten=True)
//	mark_ping_pong.go           nereid-gpu-mark-ping-pong: loops whose warp groups may ping-pong
//	guard_slots.go           barriers in shared memory for the slots of their loops
//	load_at_once.go          nereid-gpu-load-at-once: all loads of short loops first
//	load_buffers.go          the buffers of such copies and their counters
//	lower_loads.go           loads as asynchronous copies
//	schedule.go              schedule: stages and clusters
//	schedule_loops.go        tritongpu-schedule-loops: a stage for each op
//	schedule_memory.go       which accesses must stay in order
//	software_pipeline.go     tritongpu-pipeline
//	ping_pong.go            barriers of the ping-pong: which group multiplies when
//	tma_loads.go             loads in pipelines, and their barriers
//	tma_stores.go            stores in loops that overlap with the next iteration
//	ping_pong_order.go            the order of the arithmetic within a turn of the ping-pong
//	warp_specialize.go       what tl.range(warp_specialize=True) changes
package pipeline
