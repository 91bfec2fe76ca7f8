// Package libtest lets tests compare IR of kernels that call the standard library with Triton's. Our library
// is our own: it splits its work into other functions than Triton's does. Its public functions make the same
// operations in the same order nevertheless, but for a few that are left out where they have no effect. So a
// test compares two forms: the IR before any pass with the library's functions inlined (Inline), and, where
// that differs, the IR after the TTIR passes (Optimize).
package libtest

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// IsLibrary reports whether a symbol belongs to a library function: its name begins with its module's,
// triton.language or triton.tools.
func IsLibrary(symbol string) bool { return strings.HasPrefix(symbol, "triton.") }

// Uses reports whether a module has library functions.
func Uses(m *ir.Module) bool {
	for name, f := range m.Symbols() {
		if f.Def == tt.Func && IsLibrary(name) {
			return true
		}
	}
	return false
}

// Inline inlines the library's functions in a module that has any; other functions stay as they are. Where a
// constant is made, and how often, depends on how a function is written down; so each use of a constant gets
// one of its own.
func Inline(m *ir.Module) error {
	if !Uses(m) {
		return nil
	}
	return run(m, pass.InlineOnly(IsLibrary))
}

// Optimize runs the TTIR passes of cuda:90, and places constants as Inline does.
func Optimize(m *ir.Module) error { return run(m, pass.TTIR(pass.TTIRFor(chip.CUDA(90)))...) }

func run(m *ir.Module, passes ...pass.Pass) error {
	if err := pass.Run(&pass.Context{}, m, passes); err != nil {
		return err
	}
	placeConstants(m)
	return nil
}

// placeConstants makes each constant anew before each op that uses it, and removes what nothing uses.
func placeConstants(m *ir.Module) {
	var constants, others []*ir.Op
	for op := range m.Op.Ops() {
		if op.Def == arith.Constant {
			constants = append(constants, op)
		} else {
			others = append(others, op)
		}
	}
	for _, op := range others {
		for i, v := range op.Operands() {
			if c := v.DefBy(arith.Constant); c != nil {
				own := c.Clone(ir.NewMapping())
				own.MoveBefore(op)
				op.SetOperand(i, own.Result(0))
			}
		}
	}
	for _, c := range constants {
		c.Erase()
	}
}
