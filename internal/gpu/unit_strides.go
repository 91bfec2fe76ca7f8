package gpu

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// A parameter with an annotation (stride: int) is not specialized on the value 1, as in Triton. Accesses by
// such a stride have single elements, each with an address of its own, although nearly all strides of large
// elementwise launches are 1. These launches have code of their own, of merged programs, which may as well be
// made for strides of 1: it loads and stores vectors.

// Strides returns the numbers of the kernel's arguments that multiply indices of tensors and that could be 1.
// It returns nil if an argument has other than one word, since launches count words.
func Strides(m *ir.Module) (list []int) {
	fns := opsOf(m.Op, tt.Func)
	if len(fns) != 1 || funclike.IsDeclaration(fns[0]) {
		return nil
	}
	for i, arg := range fns[0].Body(0).Args() {
		switch {
		case !tt.IsPtr(arg.Type) && !ir.IsInt(arg.Type) && !ir.IsFloat(arg.Type):
			return nil
		case isStride(arg) && funclike.ArgAttr(fns[0], i, "tt.divisibility") == nil:
			list = append(list, i)
		}
	}
	return list
}

// isStride reports whether a number multiplies indices of tensors.
func isStride(v *ir.Value) bool {
	if elem := ir.ElemOf(v.Type); elem != ir.I32 && elem != ir.I64 {
		return false
	}
	for user := range v.Users() {
		switch user.Def {
		case arith.MulI:
			if tensorOf(user.Result(0)) != nil {
				return true
			}
		case arith.ExtSI, tt.Splat:
			if isStride(user.Result(0)) {
				return true
			}
		}
	}
	return false
}

// setStrides makes the strides of a kernel 1.
func setStrides(m *ir.Module, fn *ir.Op) {
	body := fn.Body(0)
	b := ir.NewBuilder(body)
	b.Before(body.First())
	for _, i := range Strides(m) {
		arg := body.Arg(i)
		b.Loc = fn.Loc
		arg.ReplaceAllUses(arith.ConstInt(b, 1, arg.Type))
	}
}
