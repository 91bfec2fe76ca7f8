package tma

import (
	"github.com/nereid-lang/nereid/internal/analysis/address"
	"github.com/nereid-lang/nereid/internal/analysis/axisinfo"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu/pipeline"
	"github.com/nereid-lang/nereid/internal/gpu/products"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/rules"
)

// Which loads of a kernel are given to the copy engine: those that may be, and where that pays.

// hasDescriptors reports whether the kernel has descriptors of its own.
func (t *tiler) hasDescriptors() bool {
	for op := range t.fn.Ops() {
		for _, v := range op.Operands() {
			made := v.IsArg() && v.Block() == t.fn.Body(0) && tt.TileOf(t.fn, v.Index()) != nil
			if tt.DescBlock(v.Type) != nil && !made {
				return true
			}
		}
	}
	return false
}

// plans returns the loads that become descriptor loads.
func (t *tiler) plans(m *ir.Module) []*tilePlan {
	t.addr, t.axes = address.New(t.fn), axisinfo.Module(m)
	t.suppose()
	var out []*tilePlan
	if t.all {
		for _, load := range ttgir.OpsOf(t.fn, tt.Load) {
			if p := t.plan(load); p != nil {
				out = append(out, p)
			}
		}
		return out
	}
	planned := map[*ir.Op]bool{} // loops may share a load before them
	for _, loop := range ttgir.ForLoops(t.fn) {
		for _, p := range t.planLoop(loop) {
			if !planned[p.op] {
				planned[p.op] = true
				out = append(out, p)
			}
		}
	}
	return out
}

// planLoop returns the loads of a loop that feed products, if all of them are tiles and it pays.
func (t *tiler) planLoop(loop *ir.Op) (out []*tilePlan) {
	if loop.IntOr(pipeline.StagesAttr, int64(t.stages)) < 2 || !pipeline.MayPipeline(loop) {
		return nil
	}
	if !t.hasChain(loop) && !t.isWide(loop) && !t.isPersistent(loop) {
		return nil
	}
	for op := range ttgir.Body(loop) {
		if op.Def != tt.Load || op.Block() != loop.Body(0) || !t.feedsProducts(op) {
			continue
		}
		p := t.plan(op)
		if p == nil || !p.suits() || !pays(op) {
			return nil
		}
		out = append(out, p)
	}
	if len(out) > 0 {
		out = append(out, t.planBefore(loop)...)
	}
	return out
}

// planBefore returns the loads before a loop that feed its products and are tiles, once for each product.
func (t *tiler) planBefore(loop *ir.Op) (out []*tilePlan) {
	for op := range ttgir.Body(loop) {
		if !IsGroupProduct(t.mach, op) {
			continue
		}
		load := op.Operand(0).DefBy(tt.Load)
		if load == nil || load.Block() != loop.Block() || !t.feedsProducts(load) {
			continue
		}
		if p := t.plan(load); p != nil && p.suits() && pays(load) {
			out = append(out, p)
		}
	}
	return out
}

// hasChain reports whether threads compute the left operand of a product from another product of the same
// iteration, as in attention, and several warp groups do. There the time for addresses and copies is taken
// from the computation.
func (t *tiler) hasChain(loop *ir.Op) bool {
	if t.mach.NumWarps < 2*ttgir.GroupWarps {
		return false
	}
	for op := range ttgir.Body(loop) {
		if IsGroupProduct(t.mach, op) && pipeline.FromProduct(op.Operand(0), loop, tt.Dot) {
			return true
		}
	}
	return false
}

// isWide reports whether the products of a loop have large results, in several warp groups. With small ones,
// the programs are short, or several to an SM: they begin before a map is fetched, and hide what copies take.
func (t *tiler) isWide(loop *ir.Op) bool {
	for op := range ttgir.Body(loop) {
		if IsGroupProduct(t.mach, op) && t.mach.NumWarps >= 2*ttgir.GroupWarps {
			shape := ttgir.TensorOf(op.Result(0)).Shape
			return ttgir.Satisfies(op, rules.TileAccumulators, shape[0]*shape[1]/int64(32*t.mach.NumWarps))
		}
	}
	return false
}

// isPersistent reports whether a loop of products lies in another, as in a program that computes one tile
// after the other. It has an SM for itself and fetches the maps once, so that smaller results than those of
// isWide gain: what threads do for copies would be taken from the products.
func (t *tiler) isPersistent(loop *ir.Op) bool {
	outer := loop.Block().Parent()
	if outer == nil || outer.Def != scf.For {
		return false
	}
	for op := range ttgir.Body(loop) {
		if IsGroupProduct(t.mach, op) {
			shape := ttgir.TensorOf(op.Result(0)).Shape
			return ttgir.Satisfies(op, rules.PersistentTileAccumulators,
				shape[0]*shape[1]/int64(32*t.mach.NumWarps))
		}
	}
	return false
}

// feedsProducts reports whether a load has no users but products of warp groups, directly or transposed.
func (t *tiler) feedsProducts(load *ir.Op) bool {
	found := false
	for u := range load.Result(0).Users() {
		if u.Def.Has(ir.Permutes) {
			for v := range u.Result(0).Users() {
				if !IsGroupProduct(t.mach, v) {
					return false
				}
			}
		} else if !IsGroupProduct(t.mach, u) {
			return false
		}
		found = true
	}
	return found
}

// IsGroupProduct reports whether an op is a product that AccelerateMatmul gives to wgmma.
func IsGroupProduct(m ttgir.Machine, op *ir.Op) bool {
	if op.Def != tt.Dot {
		return false
	}
	out := ttgir.TensorOf(op.Result(0))
	return products.FitsWarpGroup(op, out.Shape, int64(m.NumWarps)) && products.TakesTypes(op)
}

// suits reports whether products read a tile as the copy engine leaves it in shared memory. Operands of 16
// bits may have either dimension contiguous there, others must have the one along which products are summed.
func (p *tilePlan) suits() bool {
	typ, ok := ttgir.TensorOf(p.op.Result(0)), true
	if ir.BitWidth(typ.Elem) == 16 {
		return true
	}
	contiguous := 1
	if p.swapped {
		contiguous = 0
	}
	check := func(v *ir.Value, dim int) {
		for u := range v.Uses() {
			if u.Owner().Def == tt.Dot && u.Index() < 2 {
				ok = ok && dim == 1-u.Index()
			}
		}
	}
	check(p.op.Result(0), contiguous)
	for u := range p.op.Result(0).Users() {
		if u.Def.Has(ir.Permutes) {
			check(u.Result(0), 1-contiguous)
		}
	}
	return ok
}

// pays reports whether the copy engine copies a load's tile faster than threads do: a few large copies.
func pays(load *ir.Op) bool {
	t := ttgir.TensorOf(load.Result(0))
	return ttgir.Satisfies(load, rules.TileBytes, t.Shape[0]*t.Shape[1]*int64(ir.BitWidth(t.Elem)/8)) &&
		ttgir.Satisfies(load, rules.TileSide, min(t.Shape[0], t.Shape[1]))
}
