package programs

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/analysis/axisinfo"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
)

// A parameter with an annotation (stride: int) is not specialized on the value 1, as in Triton. Accesses by
// such a stride have single elements, each with an address of its own, although nearly all strides of large
// elementwise launches are 1. These launches have code of their own, of merged programs, which may as well be
// made for strides of 1: it loads and stores vectors.

// Strides returns the numbers of the kernel's arguments that are the distance of neighbours, elements along
// the last axis of an access, and could be 1. It returns nil if an argument has other than one word, since
// launches count words.
func Strides(m *ir.Module) (list []int) {
	fns := ttgir.OpsOf(m.Op, tt.Func)
	if len(fns) != 1 || funclike.IsDeclaration(fns[0]) {
		return nil
	}
	axes := axisinfo.Module(m)
	for i, arg := range fns[0].Body(0).Args() {
		switch {
		case !tt.IsPtr(arg.Type) && !ir.IsInt(arg.Type) && !ir.IsFloat(arg.Type):
			return nil
		case isStride(axes, arg) && funclike.ArgAttr(fns[0], i, "tt.divisibility") == nil:
			list = append(list, i)
		}
	}
	return list
}

// isStride reports whether a number multiplies indices that count up along the last axis, on their way to an
// address.
func isStride(axes *axisinfo.Analysis, v *ir.Value) bool {
	if elem := ir.ElemOf(v.Type); elem != ir.I32 && elem != ir.I64 {
		return false
	}
	for user := range v.Users() {
		switch user.Def {
		case arith.MulI:
			if slices.ContainsFunc(user.Operands(), func(o *ir.Value) bool { return countsUp(axes, o) }) &&
				reachesAddress(user.Result(0), map[*ir.Value]bool{}) {
				return true
			}
		case arith.ExtSI, tt.Splat:
			if isStride(axes, user.Result(0)) {
				return true
			}
		}
	}
	return false
}

// countsUp reports whether elements along the last axis of a tensor are consecutive integers.
func countsUp(axes *axisinfo.Analysis, v *ir.Value) bool {
	t := ttgir.TensorOf(v)
	return t != nil && axes.Of(v).Contiguity[len(t.Shape)-1] > 1
}

// reachesAddress reports whether an offset is added to pointers, alone or in a sum. Values in seen were
// followed already.
func reachesAddress(v *ir.Value, seen map[*ir.Value]bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	for user := range v.Users() {
		switch user.Def {
		case tt.AddPtr:
			return true
		case arith.AddI, arith.ExtSI, tt.Broadcast, tt.ExpandDims:
			if reachesAddress(user.Result(0), seen) {
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
