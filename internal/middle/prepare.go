package middle

import (
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// prepare brings a module into the form that the analyses know: no calls, no block pointers or descriptors, and control
// flow in loops and branches that are operations.
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
	for _, p := range []pass.Pass{pass.Inline, pass.RewriteTensorPointer, pass.RewriteTensorDescriptor} {
		if err := p.Run(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// tidy takes away what the conversion left over: constants and scalars computed twice, parts that no loop needs.
func tidy(ctx *pass.Context, m *ir.Module) error {
	for _, p := range []pass.Pass{pass.Canonicalize, pass.CSE, pass.LICM, pass.Canonicalize, pass.CSE} {
		if err := p.Run(ctx, m); err != nil {
			return err
		}
	}
	return nil
}
