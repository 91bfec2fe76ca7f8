package arith

import (
	"math"
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/ir"
)

func TestConstants(t *testing.T) {
	b := ir.NewBuilder(ir.NewBlock())
	vec := ir.Tensor([]int64{4}, ir.I32, nil)
	if v, ok := IntOf(ConstInt(b, -3, vec)); !ok || v != -3 {
		t.Errorf("got %d, %v", v, ok)
	}
	if v, ok := FloatOf(ConstFloat(b, 0.5, ir.F16)); !ok || v != 0.5 {
		t.Errorf("got %v, %v", v, ok)
	}
	list := Const(b, ir.DenseOf(vec, []uint64{1, 2, 3, 4}))
	if _, ok := IntOf(list); ok || list.Type != ir.Type(vec) {
		t.Error("a list of different integers is no integer")
	}
	if _, ok := IntOf(b.Block().AddArg(ir.I32, nil)); ok {
		t.Error("an argument is no constant")
	}
}

func TestFlags(t *testing.T) {
	cases := map[string]ir.Attr{
		"#arith.fastmath<none>":            FastMath(0).Attr(),
		"#arith.fastmath<fast>":            Fast.Attr(),
		"#arith.fastmath<nnan,contract>":   (NoNaNs | Contract).Attr(),
		"#arith.overflow<nsw, nuw>":        (NoSignedWrap | NoUnsignedWrap).Attr(),
		"#arith.overflow<none>":            Overflow(0).Attr(),
		"#arith.fastmath<reassoc,nsz,afn>": (Reassoc | NoSignedZeros | ApproxFunc).Attr(),
	}
	for text, a := range cases {
		if a.String() != text {
			t.Errorf("prints %s, want %s", a, text)
		}
		if back, err := ir.ParseAttr(text); err != nil || back != a {
			t.Errorf("%s reads as %v, %v", text, back, err)
		}
	}
	if _, err := ir.ParseAttr("#arith.fastmath<quick>"); err == nil {
		t.Error("there is no such flag")
	}
	x := ir.NewBlock(ir.F32).Arg(0)
	op := ir.NewOp(ir.State{Def: AddF, Operands: []*ir.Value{x, x}, Results: []ir.Type{ir.F32},
		Attrs: []ir.NamedAttr{ir.A("fastmath", Contract.Attr())}})
	if FastMathOf(op) != Contract || OverflowOf(op) != 0 {
		t.Errorf("has %b and %b", FastMathOf(op), OverflowOf(op))
	}
}

// TestComparisons: every predicate compares numbers as cmpi does, on both sides of each other; its inverse
// holds when it does not, and the swapped one of swapped numbers.
func TestComparisons(t *testing.T) {
	for pred, holds := range map[int64][3]bool{ // for X below Y, equal, above
		EQ:  {false, true, false},
		NE:  {true, false, true},
		SLT: {true, false, false},
		SLE: {true, true, false},
		SGT: {false, false, true},
		SGE: {false, true, true},
		ULT: {true, false, false},
		ULE: {true, true, false},
		UGT: {false, false, true},
		UGE: {false, true, true},
	} {
		row := CmpIRows[pred]
		if row.OfEqual != holds[1] {
			t.Errorf("predicate %d of equal operands", pred)
		}
		lists := [][][2]int64{{{-1, 0}, {-7, 9}, {math.MinInt32, -7}}, {{0, 0}, {-3, -3}},
			{{1, 0}, {9, -7}, {math.MaxInt32, math.MinInt32}}}
		if row.Unsigned {
			lists = [][][2]int64{{{0, -1}, {9, -7}, {-7, -1}}, {{0, 0}, {-3, -3}}, {{-1, 0}, {-7, 9}}}
		}
		for i, list := range lists {
			for _, n := range list {
				x, y := n[0], n[1]
				ints := constfold.Ints{X: x, Y: y, UX: uint64(x), UY: uint64(y), Width: 64}
				swapped := constfold.Ints{X: y, Y: x, UX: uint64(y), UY: uint64(x), Width: 64}
				if row.Holds(ints) != holds[i] || CmpIRows[row.Inverse].Holds(ints) == holds[i] ||
					CmpIRows[row.Swapped].Holds(swapped) != holds[i] {
					t.Errorf("predicate %d of %d and %d", pred, x, y)
				}
			}
		}
	}
}

// TestSpeculation: a division moves only where its divisor is known to be harmless.
func TestSpeculation(t *testing.T) {
	b := ir.NewBuilder(ir.NewBlock(ir.I32))
	n := b.Block().Arg(0)
	div := func(def *ir.OpDef, d *ir.Value) *ir.Op { return b.Op(def, []*ir.Value{n, d}, []ir.Type{ir.I32}) }
	two, zero, minus := ConstInt(b, 2, ir.I32), ConstInt(b, 0, ir.I32), ConstInt(b, -1, ir.I32)
	for _, c := range []struct {
		op   *ir.Op
		pure bool
	}{
		{div(DivSI, two), true}, {div(DivSI, zero), false}, {div(DivSI, minus), false},
		{div(DivSI, n), false}, {div(DivUI, minus), true}, {div(CeilDivUI, zero), false},
		{div(RemSI, n), true}, {div(FloorDivSI, n), true},
	} {
		if c.op.IsPure() != c.pure || c.op.Effects() != 0 {
			t.Errorf("%s: pure is %v, effects %b", c.op, c.op.IsPure(), c.op.Effects())
		}
	}
}
