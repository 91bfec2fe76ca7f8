package constfold_test

import (
	"math"
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/dialect/ub"
	"github.com/nereid-lang/nereid/internal/ir"
)

func add(x, y float64) (float64, bool) { return x + y, true }

func sum(i constfold.Ints) (int64, bool) { return i.X + i.Y, true }

// TestIntBinary: integers wrap at their width, and a splat with a row gives a row.
func TestIntBinary(t *testing.T) {
	v4 := ir.Tensor([]int64{4}, ir.I8, nil)
	row := ir.DenseOf(v4, []uint64{1, 2, 3, 255})
	for name, c := range map[string]struct {
		t          ir.Type
		a, b, want ir.Attr
	}{
		"wraps": {ir.I8, ir.IntAttr(127, ir.I8), ir.IntAttr(1, ir.I8), ir.IntAttr(-128, ir.I8)},
		"i64":   {ir.I64, ir.I64Attr(math.MaxInt64), ir.I64Attr(1), ir.I64Attr(math.MinInt64)},
		"splats": {v4, ir.DenseSplat(v4, ir.IntAttr(3, ir.I8)), ir.DenseSplat(v4, ir.IntAttr(4, ir.I8)),
			ir.DenseSplat(v4, ir.IntAttr(7, ir.I8))},
		"row":       {v4, row, ir.DenseSplat(v4, ir.IntAttr(1, ir.I8)), ir.DenseOf(v4, []uint64{2, 3, 4, 0})},
		"unknown":   {ir.I8, nil, ir.IntAttr(1, ir.I8), nil},
		"poison":    {ir.I8, ub.PoisonAttr.Get(), ir.IntAttr(1, ir.I8), ub.PoisonAttr.Get()},
		"too wide":  {ir.Int(128), ir.IntAttr(1, ir.Int(128)), ir.IntAttr(1, ir.Int(128)), nil},
		"no number": {ir.F32, ir.FloatOf(1, ir.F32), ir.FloatOf(1, ir.F32), nil},
	} {
		if got := constfold.IntBinary(c.t, c.a, c.b, sum); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestFloatBinary: one rounding, in the format itself. The sums below lie just above a tie, which a second
// rounding would not see.
func TestFloatBinary(t *testing.T) {
	for _, c := range []struct {
		t          *ir.FloatType
		a, b, want float64
	}{
		{ir.F32, 16777216, 1, 16777216},
		{ir.F32, 16777216, 1.0000001, 16777218},
		{ir.F16, 2048, 1, 2048},
		{ir.F16, 2048, 1.001, 2050},
		{ir.BF16, 256, 1, 256},
		{ir.BF16, 256, 1.0078125, 258},
		{ir.F64, 1 << 53, 1, 1 << 53},
		{ir.F16, 65504, 65504, math.Inf(1)},
		{ir.F8E4M3FN, 448, 448, math.NaN()},
	} {
		got := constfold.FloatBinary(c.t, ir.FloatOf(c.a, c.t), ir.FloatOf(c.b, c.t), add)
		if want := ir.FloatOf(c.want, c.t); got != want {
			t.Errorf("%s: %v + %v = %v, want %v", c.t, c.a, c.b, got, want)
		}
	}
}

func TestMatchers(t *testing.T) {
	v4 := ir.Tensor([]int64{4}, ir.I1, nil)
	all := ir.DenseSplat(v4, ir.BoolAttr(true))
	for name, ok := range map[string]bool{
		"true is all ones":        constfold.IsAllOnes(ir.BoolAttr(true)),
		"a splat of true is one":  constfold.IsInt(all, 1),
		"minus one, cut":          constfold.IsInt(ir.IntAttr(255, ir.I8), -1),
		"zero has a sign":         !constfold.IsFloat(ir.FloatOf(math.Copysign(0, -1), ir.F32), 0),
		"a row is no scalar":      constfold.Scalar(ir.DenseOf(v4, []uint64{0, 1, 0, 1})) == nil,
		"poison is poison":        constfold.IsPoison(ub.PoisonAttr.Get()),
		"zero is no poison":       !constfold.IsPoison(ir.I32Attr(0)),
		"nothing is nothing":      constfold.Scalar(nil) == nil && !constfold.IsPoison(nil),
		"zero of a float":         constfold.Zero(ir.F16) == ir.Attr(ir.FloatOf(0, ir.F16)),
		"no zero of another type": constfold.Zero(ir.None) == nil,
		"bits read as another": constfold.Bitcast(ir.I32,
			ir.FloatOf(1, ir.F32)) == ir.Attr(ir.I32Attr(0x3f800000)),
		"bits of another width": constfold.Bitcast(ir.I64, ir.FloatOf(1, ir.F32)) == nil,
		"a shape for the same": constfold.Reshape(all, ir.Tensor([]int64{2, 2}, ir.I1, nil)) ==
			ir.Attr(ir.DenseSplat(ir.Tensor([]int64{2, 2}, ir.I1, nil), ir.BoolAttr(true))),
		"unknown sizes, no splats": constfold.Splat(ir.Tensor([]int64{ir.Dynamic}, ir.I1, nil),
			ir.BoolAttr(true)) == nil,
	} {
		if !ok {
			t.Error(name)
		}
	}
}
