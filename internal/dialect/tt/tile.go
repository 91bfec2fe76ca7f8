package tt

import (
	"github.com/nereid-lang/nereid/internal/device/gpucode"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/ir"
)

// TileAttr marks an argument of a kernel that is a descriptor which the host makes of other arguments.
const TileAttr = "nereid.tile"

// What a launch must know of tiles.
type (
	Tile         = gpucode.Tile
	TileDim      = gpucode.TileDim
	TileTerm     = gpucode.TileTerm
	TileMultiple = gpucode.TileMultiple
	TileGuard    = gpucode.TileGuard
)

// Steps of a TileGuard.
const (
	GuardNumber   = gpucode.GuardNumber
	GuardArg      = gpucode.GuardArg
	GuardProgram  = gpucode.GuardProgram
	GuardPrograms = gpucode.GuardPrograms
	GuardIndex    = gpucode.GuardIndex
	GuardEach     = gpucode.GuardEach
	GuardAdd      = gpucode.GuardAdd
	GuardSub      = gpucode.GuardSub
	GuardMul      = gpucode.GuardMul
	GuardDiv      = gpucode.GuardDiv
	GuardRem      = gpucode.GuardRem
	GuardMin      = gpucode.GuardMin
	GuardMax      = gpucode.GuardMax
)

// Bounds of guards.
const (
	MaxGuardStack = gpucode.MaxGuardStack
	MaxGuardArgs  = gpucode.MaxGuardArgs
	MaxGuardLoops = gpucode.MaxGuardLoops
)

// AttrOfTile returns a tile as an attribute.
func AttrOfTile(t Tile) ir.Attr {
	dims := make([]ir.Attr, len(t.Dims))
	for i, d := range t.Dims {
		list := []ir.Attr{termAttr(d.Stride)}
		for _, s := range d.Size {
			list = append(list, termAttr(s))
		}
		dims[i] = ir.Array(list...)
	}
	var multiples []int64
	for _, m := range t.Multiples {
		multiples = append(multiples, int64(m.Arg), m.Of)
	}
	guards := make([]ir.Attr, len(t.Guards))
	for i, g := range t.Guards {
		guards[i] = ir.DenseArray(ir.I64, g...)
	}
	list := []ir.NamedAttr{ir.A("base", ir.I32Attr(int64(t.Base))), ir.A("dims", ir.Array(dims...)),
		ir.A("guards", ir.Array(guards...)), ir.A("multiples", ir.DenseArray(ir.I64, multiples...)),
		ir.A("natural", ir.I32Array(t.Natural...))}
	if len(t.Apart) > 0 {
		list = append(list, ir.A("apart", ir.I32Array(t.Apart...)))
	}
	return ir.Dict(list...)
}

// termAttr returns the factor and the arguments of a term.
func termAttr(t TileTerm) ir.Attr {
	list := []int64{t.Factor}
	for _, a := range t.Args {
		list = append(list, int64(a))
	}
	return ir.DenseArray(ir.I64, list...)
}

// TileOf returns the tile of a function's argument, or nil if the launch passes the argument.
func TileOf(fn *ir.Op, i int) *Tile {
	dict, ok := funclike.ArgAttr(fn, i, TileAttr).(*ir.DictAttr)
	if !ok {
		return nil
	}
	t := &Tile{}
	if n, ok := dict.Get("base").(*ir.IntegerAttr); ok {
		t.Base = int(n.Value)
	}
	if dims, ok := dict.Get("dims").(*ir.ArrayAttr); ok {
		for _, d := range dims.Elems {
			t.Dims = append(t.Dims, dimOf(d))
		}
	}
	if guards, ok := dict.Get("guards").(*ir.ArrayAttr); ok {
		for _, g := range guards.Elems {
			t.Guards = append(t.Guards, denseOf(g))
		}
	}
	for list := denseOf(dict.Get("multiples")); len(list) > 1; list = list[2:] {
		t.Multiples = append(t.Multiples, TileMultiple{Arg: int(list[0]), Of: list[1]})
	}
	for _, n := range denseOf(dict.Get("natural")) {
		t.Natural = append(t.Natural, int(n))
	}
	for _, n := range denseOf(dict.Get("apart")) {
		t.Apart = append(t.Apart, int(n))
	}
	return t
}

func dimOf(a ir.Attr) (d TileDim) {
	list, ok := a.(*ir.ArrayAttr)
	if !ok {
		return d
	}
	for i, e := range list.Elems {
		t := TileTerm{}
		for k, n := range denseOf(e) {
			if k == 0 {
				t.Factor = n
			} else {
				t.Args = append(t.Args, int(n))
			}
		}
		if i == 0 {
			d.Stride = t
		} else {
			d.Size = append(d.Size, t)
		}
	}
	return d
}

func denseOf(a ir.Attr) []int64 {
	if d, ok := a.(*ir.DenseArrayAttr); ok {
		return d.Values
	}
	return nil
}
