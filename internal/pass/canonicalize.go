package pass

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/ir"
)

// Canonicalize brings IR into its normal form: constants folded and on the right, loops and branches
// without what is known or unused, views of views joined, dead code gone. It is MLIR's pass of that name,
// for our dialects.
//
//	%c = arith.constant 4 : i32                    %c6 = arith.constant 6 : i32
//	%d = arith.constant 2 : i32             =>     %y = arith.addi %x, %c6 : i32
//	%s = arith.addi %c, %d : i32
//	%y = arith.addi %s, %x : i32
var Canonicalize = Pass{
	Name: "canonicalize",
	Doc:  "fold constants, apply every dialect's canonicalization patterns, simplify regions",
	Run:  func(ctx *Context, m *ir.Module) error { return canonicalizeWith(ctx, m, canonical) },
}

// CanonicalizeWith returns Canonicalize with patterns of dialects that this package does not know.
func CanonicalizeWith(more []Pattern) Pass {
	ps := NewPatterns(arithPatterns, ttPatterns, scfPatterns, cfPatterns, more)
	return Pass{Name: Canonicalize.Name, Doc: Canonicalize.Doc, Run: func(ctx *Context, m *ir.Module) error {
		return canonicalizeWith(ctx, m, ps)
	}}
}

func canonicalizeWith(ctx *Context, m *ir.Module, ps *Patterns) error {
	Greedy(ctx, m.Op, ps, GreedyOptions{})
	return nil
}

// ForPatterns returns the canonicalizations of scf.for alone; IfPatterns does so for scf.if.
func ForPatterns() []Pattern { return slices.Clone(forPatterns) }
func IfPatterns() []Pattern  { return slices.Clone(ifPatterns) }

// canonical has every canonicalization pattern.
var canonical = NewPatterns(arithPatterns, ttPatterns, scfPatterns, cfPatterns)

var scfPatterns = slices.Concat(forPatterns, ifPatterns, whilePatterns)
