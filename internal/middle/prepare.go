package middle

import (
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// prepare brings a module into the form that the analyses know: no calls, no assembly, no block pointers or
// descriptors, and control flow in loops and branches that are operations.
func prepare(ctx *pass.Context, m *ir.Module) error {
	for op := range m.Block().Ops() {
		if op.Def != tt.Func {
			continue
		}
		op.SetAttr("noinline", nil)
		if err := structure(op); err != nil {
			return err
		}
	}
	if err := runAll(ctx, m, pass.Inline); err != nil {
		return err
	}
	if err := expandAsm(m); err != nil {
		return err
	}
	if !hasBlocks(m) {
		return nil
	}
	// Loops then carry parts that never change, which are worth knowing before the analyses begin.
	return runAll(ctx, m, pass.RewriteTensorPointer, pass.RewriteTensorDescriptor, pass.Canonicalize)
}

// hasBlocks reports whether block pointers or descriptors are used.
func hasBlocks(m *ir.Module) bool {
	for op := range m.Op.Ops() {
		values := op.Operands()
		if op.Def == tt.Func && !op.Region(0).Empty() { // an argument may be of no use to anybody
			values = op.Body(0).Args()
		}
		for _, v := range values {
			if tt.IsTensorPtr(v.Type) || tt.DescBlock(v.Type) != nil {
				return true
			}
		}
	}
	return false
}

func runAll(ctx *pass.Context, m *ir.Module, passes ...pass.Pass) error {
	for _, p := range passes {
		if err := p.Run(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// tidy takes away what the conversion left over: constants and scalars computed twice, parts that no loop
// needs.
func tidy(ctx *pass.Context, m *ir.Module) error {
	return runAll(ctx, m, pass.Canonicalize, pass.CSE, pass.LICM, pass.Canonicalize, pass.CSE)
}
