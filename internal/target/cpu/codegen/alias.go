package codegen

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/indexlist"
	"github.com/nereid-lang/nereid/internal/dialect/memref"
	"github.com/nereid-lang/nereid/internal/ir"
)

// unsliced is the view that a part was taken of.
func unsliced(v *ir.Value) *ir.Value {
	for v.DefBy(memref.SubView) != nil {
		v = v.Def().Operand(0)
	}
	return v
}

// sameView reports whether two views of one pointer put each element in the same place.
func sameView(x, y *ir.Op) bool {
	return slices.Equal(indexlist.Of(x, 1, "static_offsets"), indexlist.Of(y, 1, "static_offsets")) &&
		slices.Equal(indexlist.Of(x, 3, "static_strides"), indexlist.Of(y, 3, "static_strides"))
}

// apart reports whether two views of one pointer, with neighbours in them, are known to have no element in common.
func apart(x, y *ir.Op) bool {
	a, ok1 := reach(x)
	b, ok2 := reach(y)
	if !ok1 || !ok2 {
		return false
	}
	v, i := offsetOf(indexlist.Of(x, 1, "static_offsets")[0])
	w, j := offsetOf(indexlist.Of(y, 1, "static_offsets")[0])
	return v == w && (i+a <= j || j+b <= i)
}

// reach is how far a view with constant strides goes.
func reach(op *ir.Op) (int64, bool) {
	sizes, strides := indexlist.Of(op, 2, "static_sizes"), indexlist.Of(op, 3, "static_strides")
	n := int64(1)
	for d := range sizes {
		if sizes[d].Value != nil || strides[d].Value != nil || strides[d].Const < 0 {
			return 0, false
		}
		n += (sizes[d].Const - 1) * strides[d].Const
	}
	return n, true
}

// offsetOf is an offset as a value and a constant.
func offsetOf(e indexlist.Entry) (*ir.Value, int64) {
	if e.Value == nil {
		return nil, e.Const
	}
	if op := e.Value.DefBy(arith.AddI); op != nil {
		for i := range 2 {
			if k, ok := arith.IntOf(op.Operand(i)); ok {
				v, c := offsetOf(indexlist.Entry{Value: op.Operand(1 - i)})
				return v, c + k
			}
		}
	}
	if k, ok := arith.IntOf(e.Value); ok {
		return nil, k
	}
	return e.Value, 0
}
