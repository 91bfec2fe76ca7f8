// Package layouts gives tensors layouts and improves them: a default for every tensor, wide accesses,
// reductions within threads, no conversions that can be avoided. A layout and an encoding are the same thing,
// as a set of bases and as the attribute that denotes it. A conversion is a ttg.convert_layout.
//
//	backward.go                    when computing anew is cheaper than converting
//	cleanup.go                     patterns that fold conversions; Canonicalize
//	coalesce.go                    tritongpu-coalesce
//	convert_triton.go              convert-triton-to-tritongpu
//	dead_args.go                   patterns that remove dead loop-carried values
//	facts.go                       a row for each op: what the passes know of it
//	given.go                       nereid-given-layouts: those of Gluon programs
//	hoist.go                       moving conversions to where they are cheaper
//	infer.go                       how layouts pass through ops: the functions of the rows
//	late_reduce.go                 … a loop of truth values that are reduced behind it
//	neighbours.go                  the accesses that an op is connected with
//	plan_cta.go                    triton-nvidia-gpu-plan-cta: how the blocks of a cluster share the work
//	propagate.go                   moving layouts forward from anchors
//	remat.go                       computing values anew in another layout
//	remove_layout_conversions.go   tritongpu-remove-layout-conversions
//	thread_locality.go             tritongpu-optimize-thread-locality
package layouts
