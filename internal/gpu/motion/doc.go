// Package motion moves code behind the pipelining: loads up, conversions and arithmetic to their users,
// branches instead of masks.
//
//	branch_on_masks.go        nereid-gpu-branch-on-masks
//	flatten_branches.go       nereid-gpu-flatten-branches: selects instead of short branches
//	hold_operands.go          nereid-gpu-hold-operands: left operands in registers during a loop
//	load_early.go             nereid-gpu-load-early: loads above products and reductions
//	load_late.go              nereid-gpu-load-late: operands in registers read next to the product
//	merge_branches.go         nereid-gpu-merge-branches: one side where both sides of a branch do the same
//	order_offsets.go          nereid-gpu-order-offsets: offsets that elements have in common first
//	reorder_instructions.go   tritongpu-reorder-instructions
//	scale_late.go             nereid-gpu-scale-late
//	short_lives.go            nereid-gpu-short-lives: arithmetic and conversions over products
//	stream_loads.go           nereid-gpu-stream-loads: what is read once leaves the caches first
//	wait_inside.go            nereid-gpu-wait-inside
//	while_to_for.go           nereid-gpu-while-to-for: whiles that count become loops with a counter
package motion
