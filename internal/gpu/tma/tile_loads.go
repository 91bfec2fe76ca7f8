package tma

import (
	"github.com/nereid-lang/nereid/internal/analysis/address"
	"github.com/nereid-lang/nereid/internal/analysis/axisinfo"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// TileMode says which loads by pointers the copy engine executes.
type TileMode int

const (
	NoTiles     TileMode = iota
	PayingTiles          // those of loops of products, where that is faster
	AllTiles             // all that are known to be tiles, for tests
)

// TileLoads gives loads by pointers to the copy engine, where their addresses are those of a tile of a tensor
// whose strides are arguments. The kernel gets an argument for each such tensor: a descriptor that the host
// makes of other arguments at the launch (tt.Tile).
//
//	%p = %x + head*%sh + (n + rows)*%sn + cols       func (…, %d: tensordesc<1x64x128xf16> {nereid.tile})
//	%v = tt.load %p, n + rows < %len, 0         =>   %v = tt.descriptor_load %d[head, n, 0]
//
// Products of program numbers and strides become dimensions of their own. A mask must be a bound for each
// dimension, which the copy engine then has as the size of the tensor; what lies beyond is 0. Without a
// bound, a coordinate must be known not to be negative, since the engine reads nothing there.
//
// The engine reads memory in a way of its own, which no barrier of threads orders. A load stays as it is if
// the kernel stores through the same argument or has atomics. If it may have stored through another one
// before, the host checks that this is other memory.
func TileLoads(mach ttgir.Machine, numStages int, mode TileMode) pass.Pass {
	return pass.Pass{
		Name: "nereid-gpu-tile-loads",
		Doc:  "give loads of tiles by pointers to the copy engine",
		Run: func(ctx *pass.Context, m *ir.Module) error {
			fns := ttgir.OpsOf(m.Op, tt.Func)
			if mode == NoTiles || mach.NumCTAs > 1 || len(fns) != 1 || fns[0].Region(0).Empty() {
				return nil
			}
			t := tiler{mach: mach, stages: numStages, all: mode == AllTiles, fn: fns[0]}
			if ttgir.IsOrdered(t.fn) || t.hasDescriptors() {
				return nil
			}
			for _, p := range t.plans(m) {
				ctx.At(p.op)
				t.replace(p)
			}
			return nil
		},
	}
}

// tiler finds the loads and stores of one kernel that are tiles.
type tiler struct {
	mach   ttgir.Machine
	stages int
	all    bool // make tiles also where the rules see no gain
	fn     *ir.Op

	addr  *address.Analysis
	axes  *axisinfo.Analysis
	wraps map[*ir.Value]wrap // by the scalar that stands for a wrapped index
	maps  []tileMap
}

// tileMap is a descriptor that the kernel has already.
type tileMap struct {
	attr ir.Attr
	desc *ir.Value
}

// tilePlan describes a load or a store whose addresses form a tile: its dimensions, strides and coordinates.
type tilePlan struct {
	op        *ir.Op
	base      int
	dims      []tileDim // outermost first; the last two are those of the tensor
	swapped   bool      // the tensor's first dimension is the contiguous one
	natural   []int
	multiples []tt.TileMultiple
	guards    []tt.TileGuard
	apart     []int // arguments whose memory may not overlap the tile's
}

// tileDim is a dimension of a tile.
type tileDim struct {
	stride address.Term // in bytes
	at     address.Sum  // coordinate of the tile's first element
	size   address.Sum  // nil for no bound
	above  bool         // the mask excludes negative coordinates
}
