package pass

import "github.com/nereid-lang/nereid/internal/chip"

// TTIROptions choose the TTIR pipeline of a target.
type TTIROptions struct {
	// NoDescriptors says that the target has no hardware for tensor descriptors: NVIDIA before sm_90, AMD.
	NoDescriptors bool
	// HoistLoads adds triton-licm, as Triton's AMD back end does.
	HoistLoads bool
}

// TTIRFor returns the options for a chip.
func TTIRFor(c chip.Chip) TTIROptions {
	return TTIROptions{NoDescriptors: !c.TMA, HoistLoads: c.HoistLoads}
}

// TTIR returns the pipeline from what the front end makes to TTIR, in the order of make_ttir in Triton's back
// ends.
func TTIR(o TTIROptions) []Pass {
	passes := []Pass{ExpandNewer, Inline, RewriteTensorPointer}
	if o.NoDescriptors {
		passes = append(passes, RewriteTensorDescriptor)
	}
	passes = append(passes, Canonicalize, Combine, ReorderBroadcast, CSE)
	if o.HoistLoads {
		passes = append(passes, TritonLICM)
	}
	return append(passes, SymbolDCE, LoopUnroll)
}

// Constraint says that, in a pipeline that has both, one pass must come before another.
type Constraint struct{ Before, After, Why string }

// Constraints are the orderings that pipelines must keep.
var Constraints = []Constraint{
	{"inline", "triton-rewrite-tensor-pointer",
		"block pointers are followed within a function; fewer cross one after inlining"},
	{"inline", "canonicalize", "a body is worth simplifying once it knows its arguments"},
	{"inline", "symbol-dce", "functions that were inlined everywhere are dead afterwards"},
	{"triton-rewrite-tensor-pointer", "canonicalize",
		"parts of a block pointer that never change are left in loops for it to remove"},
	{"triton-rewrite-tensor-descriptor-to-pointer", "canonicalize",
		"parts of a descriptor that never change are left in loops for it to remove"},
	{"canonicalize", "triton-combine", "the patterns look for constants and views in normal form"},
	{"triton-combine", "triton-reorder-broadcast",
		"a product under a reduction is found by its broadcasts, which reordering moves"},
	{"triton-reorder-broadcast", "cse", "reordering makes equal scalars out of what were equal tensors"},
	{"cse", "triton-loop-unroll", "merging once is cheaper than merging every copy"},
}
