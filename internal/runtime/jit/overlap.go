package jit

import (
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

// Code for the CPU computes a load and a store of two arguments in one loop. That is right only if their
// memory does not overlap or is the same. The compiler lists the pairs for which it assumes this
// (target.Assuming). Each launch compares them; if a pair overlaps, it uses code without the assumption
// (Options.Overlap), which is compiled when first needed. So does code for NVIDIA's GPUs whose copy engine
// loads tiles of one argument after stores through another.

// buildOverlap returns the kernel compiled for overlapping arguments.
func (l *launch) buildOverlap(s *core.Stream) (*code.Build, error) {
	l.opts.Overlap = true
	return l.k.build(s.Context(), l)
}
