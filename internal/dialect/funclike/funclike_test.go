package funclike_test

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

func TestArgAttrs(t *testing.T) {
	f := ir.NewOp(funclike.State(tt.Func, "f", ir.Func([]ir.Type{ir.I32, tt.Ptr(ir.F32)}, nil),
		"public", false))
	if f.HasAttr("arg_attrs") || funclike.ArgAttrs(f, 0) != nil ||
		funclike.ArgAttr(f, 1, "tt.divisibility") != nil {
		t.Error("nothing is set yet")
	}
	funclike.SetArgAttr(f, 1, "tt.divisibility", ir.I32Attr(16))
	funclike.SetArgAttr(f, 1, "tt.alias", ir.Unit)
	if funclike.ArgAttr(f, 1, "tt.divisibility") != ir.Attr(ir.I32Attr(16)) ||
		funclike.ArgAttrs(f, 0) != nil {
		t.Error("the second argument has its attribute, the first none")
	}
	funclike.SetArgAttr(f, 1, "tt.alias", nil)
	funclike.SetArgAttr(f, 1, "tt.divisibility", nil)
	if f.HasAttr("arg_attrs") {
		t.Error("the list goes with its last attribute")
	}
}

func TestVerify(t *testing.T) {
	f := ir.NewOp(funclike.State(tt.Func, "f", ir.Func([]ir.Type{ir.I32}, nil), "", false))
	if err := funclike.Verify(f); err != nil {
		t.Error(err)
	}
	funclike.SetType(f, ir.Func([]ir.Type{ir.I64}, nil))
	if err := funclike.Verify(f); err == nil {
		t.Error("the entry block has another argument")
	}
	f.SetAttr("function_type", ir.TypeOf(ir.I32))
	if err := funclike.Verify(f); err == nil {
		t.Error("i32 is no function type")
	}
	decl := ir.NewOp(funclike.State(tt.Func, "g", ir.Func([]ir.Type{ir.I32}, nil), "private", true))
	if !funclike.IsDeclaration(decl) || funclike.Verify(decl) != nil {
		t.Error("a function without a body is a declaration")
	}
}
