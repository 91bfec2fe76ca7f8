package sem

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/num"
)

// evalInts runs straight-line integer operations on one argument and returns the last value.
func evalInts(block *ir.Block, arg uint64) uint64 {
	vals := map[*ir.Value]uint64{block.Arg(0): arg}
	var last uint64
	for op := range block.Ops() {
		var x, y uint64
		if op.NumOperands() > 0 {
			x = vals[op.Operand(0)]
		}
		if op.NumOperands() > 1 {
			y = vals[op.Operand(1)]
		}
		switch op.Def {
		case arith.Constant:
			v, _ := op.Int("value")
			last = uint64(v)
		case arith.AndI:
			last = x & y
		case arith.OrI:
			last = x | y
		case arith.AddI:
			last = x + y
		case arith.ShLI:
			last = x << y
		case arith.ShRUI:
			last = x >> y
		case arith.MinUI:
			last = min(x, y)
		case arith.ExtUI, arith.TruncI, tt.Bitcast:
			last = x
		default:
			panic(op.Name())
		}
		last &= 1<<ir.BitWidth(op.Result(0).Type) - 1
		vals[op.Result(0)] = last
	}
	return last
}

// TestE4B15 compares the conversions with what the format means, for all values.
func TestE4B15(t *testing.T) {
	value := func(bits uint64) float64 { // s_eeee_mmm with bias 15; no infinities, no NaN
		v := num.F16.Decode(bits & 0x7f << 7)
		if bits&0x80 != 0 {
			v = -v
		}
		return v
	}
	up := newTestFunc(DefaultOptions("cuda", "90"))
	if _, err := up.b.Cast(up.param(Float8E4B15), Float16, ""); err != nil {
		t.Fatal(err)
	}
	for bits := range uint64(256) {
		if got := num.F16.Decode(evalInts(up.fn.Body(0), bits)); got != value(bits) {
			t.Fatalf("%#x becomes %v, not %v", bits, got, value(bits))
		}
	}
	down := newTestFunc(DefaultOptions("cuda", "90"))
	if _, err := down.b.Cast(down.param(Float16), Float8E4B15, ""); err != nil {
		t.Fatal(err)
	}
	for bits := range uint64(1 << 16) {
		got := evalInts(down.fn.Body(0), bits)
		if want := nearestE4B15(bits); got != want {
			t.Fatalf("%#x becomes %#x, not %#x", bits, got, want)
		}
	}
}

// nearestE4B15 rounds an fp16 by searching: the nearest magnitude up to 1.75, the larger one of two equally
// near. What is no number becomes the largest.
func nearestE4B15(half uint64) uint64 {
	v := num.F16.Decode(half & 0x7fff)
	best, gap := uint64(0x7e), -1.0
	if v < 1.75 {
		for c := range uint64(0x7f) {
			d := num.F16.Decode(c<<7) - v
			if d < 0 {
				d = -d
			}
			if gap < 0 || d <= gap {
				best, gap = c, d
			}
		}
	}
	return best | half>>8&0x80
}
