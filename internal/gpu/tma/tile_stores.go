package tma

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/analysis/address"
	"github.com/nereid-lang/nereid/internal/analysis/axisinfo"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu/pipeline"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/rules"
)

// TileStores gives stores by pointers to the copy engine, where their addresses are those of a tile, as
// TileLoads does for loads. Threads then have no addresses to compute, and in persistent kernels
// (LoopOverPrograms), the tile of one program is written while the next one multiplies.
//
//	tt.store %c + rows*%sc + cols, %v, mask   =>   tt.descriptor_store %d[row, col], %v
//
// No coordinate may be negative: the engine reads 0 there, but it does not write. And it writes units of 16
// bytes, at which rows have to end.
//
// The engine writes in no order with the program's other accesses. So a store stays as it is if the program
// may execute it more than once, or accesses memory through the same argument elsewhere. Where memory of
// other arguments might be the same, the host checks that it is not.
func TileStores(mach ttgir.Machine, mode TileMode) pass.Pass {
	return pass.Pass{
		Name: "nereid-gpu-tile-stores",
		Doc:  "give stores of tiles by pointers to the copy engine",
		Run: func(ctx *pass.Context, m *ir.Module) error {
			fns := ttgir.OpsOf(m.Op, tt.Func)
			if mode == NoTiles || mach.NumCTAs > 1 || len(fns) != 1 || fns[0].Region(0).Empty() {
				return nil
			}
			t := tiler{mach: mach, all: mode == AllTiles, fn: fns[0]}
			if ttgir.IsOrdered(t.fn) || t.hasDescriptors() {
				return nil
			}
			for _, p := range t.planStores(m) {
				ctx.At(p.op)
				t.replace(p)
			}
			return nil
		},
	}
}

// planStores returns the stores that become descriptor stores: all tiles, or those of results that have one
// type and so share a buffer in shared memory.
func (t *tiler) planStores(m *ir.Module) (out []*tilePlan) {
	var stores []*ir.Op
	for _, store := range ttgir.OpsOf(t.fn, tt.Store) {
		fits := len(stores) == 0 || stores[0].Operand(1).Type == store.Operand(1).Type
		if t.all || fits && t.isResult(store) {
			stores = append(stores, store)
		}
	}
	if len(stores) == 0 {
		return nil
	}
	t.addr, t.axes = address.New(t.fn), axisinfo.Module(m)
	t.suppose()
	for _, store := range stores {
		if p := t.planStore(store); p != nil && (t.all || !p.swapped) {
			out = append(out, p)
		}
	}
	return out
}

// isResult reports whether a store is worth a tile: it stores, in 16 bits (which stmatrix writes to shared
// memory), the accumulator of large products of the last loop before it, and the loop's pipeline leaves
// shared memory for it.
func (t *tiler) isResult(store *ir.Op) bool {
	typ, loop := ttgir.TensorOf(store.Operand(1)), store
	for loop != nil && loop.Def != scf.For {
		loop = loop.Prev()
	}
	if typ == nil || ir.BitWidth(typ.Elem) != 16 || loop == nil || !t.isWide(loop) || t.hasChain(loop) ||
		!ttgir.Satisfies(loop, rules.StoreStages, StagesBeside(loop, ttgir.TensorBytes(typ))) {
		return false
	}
	used := uses{}
	used.add(store.Operand(1))
	for op := range ttgir.Body(loop) {
		if op.Def == tt.Dot && used[op.Result(0)] {
			return slices.Equal(typ.Shape, ttgir.TensorOf(op.Result(0)).Shape)
		}
	}
	return false
}

// WholeShared is the shared memory of a program that has an SM of sm_90 for itself, in bytes.
const WholeShared = 227 << 10

// StagesBeside returns the number of stages of a loop's tiles for which there is shared memory beside so many
// bytes, 0 if the loop loads no tiles.
func StagesBeside(loop *ir.Op, bytes int64) int64 {
	stage := int64(0)
	for op := range ttgir.Body(loop) {
		if op.Def == tt.DescLoad {
			stage += ttgir.TensorBytes(ttgir.TensorOf(op.Result(0)))
		}
	}
	if stage == 0 {
		return 0
	}
	return (WholeShared - pipeline.ReservedShared - bytes) / stage
}

// planStore returns the tile of a store, nil if its addresses may form none or if the order of accesses may
// matter.
func (t *tiler) planStore(store *ir.Op) *tilePlan {
	if ttgir.IsHinted(store) || isRepeated(store) {
		return nil
	}
	p := t.shape(store, ttgir.TensorOf(store.Operand(1)))
	if p == nil || !t.endsAtUnit(p) {
		return nil
	}
	var known bool
	if p.apart, known = t.unordered(p); !known {
		return nil
	}
	return p
}

// endsAtUnit reports whether a tile's rows end at a unit of 16 bytes, and has the host check what is not
// known of arguments. The engine writes whole units: up to 15 bytes behind the end of a row.
func (t *tiler) endsAtUnit(p *tilePlan) bool {
	end := p.dims[len(p.dims)-1].size
	for _, term := range t.addr.Terms(end) {
		of := term.Factor * address.ElementBytes(p.op.Operand(0).Type)
		for _, s := range term.Of {
			of *= min(t.divisor(s), storeUnit)
		}
		need := storeUnit / min(of&-of, storeUnit)
		if need == 1 {
			continue
		}
		if len(term.Of) == 0 || t.argument(term.Of[0]) < 0 {
			return false
		}
		p.multiples = addMultiple(p.multiples, tt.TileMultiple{Arg: t.argument(term.Of[0]), Of: need})
	}
	return true
}

// storeUnit is what the copy engine writes at once, in bytes.
const storeUnit = 16

// uses is a set of values from which others are computed.
type uses map[*ir.Value]bool

// add adds a value and those from which it is computed, but for those inside of whiles.
func (u uses) add(v *ir.Value) {
	if u[v] {
		return
	}
	u[v] = true
	op := v.Def()
	switch {
	case op == nil:
		if loop := v.Block().Parent(); loop.Def == scf.For && v.Index() > 0 {
			u.carried(loop, v.Index()-1)
		}
	case op.Def == scf.For:
		u.carried(op, v.Index())
	case op.Def == scf.If:
		for i := range op.Regions() {
			u.add(op.Body(i).Last().Operand(v.Index()))
		}
	case op.Def != scf.While:
		for _, x := range op.Operands() {
			u.add(x)
		}
	}
}

// carried adds the initial value and the yielded value of iteration argument i of a loop.
func (u uses) carried(loop *ir.Op, i int) {
	u.add(scf.Inits(loop)[i])
	u.add(loop.Body(0).Last().Operand(i))
}
