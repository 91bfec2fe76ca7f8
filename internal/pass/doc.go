// Package pass runs passes over IR, and holds the passes that know no target: those of Triton's TTIR stage.
//
// A valid module comes in; a valid module goes out, changed in place. A pipeline is a slice of passes, read
// from top to bottom. The runner owns what is common to all of them: verifying, timing, dumping, stopping,
// recovering from a panic, writing a reproducer. A pass never prints, and the same input gives the same
// output, byte for byte.
//
// Running passes:
//
//	pass.go                        Pass, Options, Context
//	run.go                         the runner
//	registry.go                    All: every pass by name
//	pipelines.go                   the TTIR pipeline, and the orderings that pipelines must keep
//	pipeline_text.go               the text of a pipeline, with nesting and options
//	timing.go                      durations of passes
//	reproducer.go                  files that run a failed pass again
//
// Rewriting:
//
//	rewrite.go                     patterns and the greedy driver
//	constants.go                   one pool of constants for each function
//	regions.go                     simplifying the control flow between blocks
//	equiv.go                       whether two operations compute the same
//	expand.go                      replacing a value of one type by several of others
//	block_addr.go                  pointers and masks of a block of a tensor
//
// Passes:
//
//	canonicalize.go                canonicalize; its patterns are in canon_arith.go, canon_cf.go,
//	                               canon_for.go, canon_if.go, canon_select.go, canon_tt.go,
//	                               canon_while.go
//	combine.go                     triton-combine
//	reorder_broadcast.go           triton-reorder-broadcast
//	rewrite_tensor_pointer.go      block pointers as pointers
//	rewrite_tensor_descriptor.go   tensor descriptors as pointers
//	expand_newer.go                operations of newer releases by older ones
//	unroll.go                      loop unrolling
//	inline.go                      inlining
//	cse.go                         common subexpressions; loop_cse.go also among loop-carried values
//	licm.go                        loop-invariant code motion
//	sccp.go                        constants along paths that can be taken
//	symbol_dce.go                  unused private functions
//	check_gather.go                assertions that indices of gathers are in bounds
//	check_overflow.go              assertions that indices do not overflow
package pass
