package tma

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/gpud"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/pipeline"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// SpreadStores starts the copies of a stored tile one after the other, in iterations of the next tile. The
// copy engine of an SM does one thing after the other: behind 64 KB that it stores at once, the loads of the
// next iterations would come late.
//
//	scf.for … {                                      scf.for … (%since, %i, %j: of the tile before) {
//	  copies of operands                               copies of operands
//	  scf.if %last {                            =>     if warp == %since: store its part of %buf at [%i, %j]
//	    ttng.async_tma_store_wait                      scf.if %last {
//	    ttg.local_store %x, %buf                         if %since + 1 < parts: store %buf at [%i, %j]
//	    ttng.async_tma_copy_local_to_global …            ttng.async_tma_store_wait
//	  }                                                  ttg.local_store %x, %buf
//	}                                                  }
//	                                                 }
//	                                                 if %since < parts: store %buf at [%i, %j]
//
// What is left when the buffer is needed, or when the loop ends, is stored by all warps, with parts that were
// stored before: all warps take the same way there, so that they can meet.
var SpreadStores = pass.Pass{
	Name: "nereid-gpu-spread-stores",
	Doc:  "store a tile in parts, one in each iteration of the next tile",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for _, loop := range ttgir.ForLoops(m.Op) {
			if s := findTileStore(loop); s != nil {
				ctx.At(s.copy)
				s.spread()
			}
		}
		return nil
	},
}

// tileStore is the store of a tile at the end of some iterations of a loop that copies operands.
type tileStore struct {
	loop, branch *ir.Op // branch is taken in the last iteration of a tile
	wait, copy   *ir.Op // in branch: the wait until the buffer was read by the store before, and the store
	behind       *ir.Op // the wait for all stores, behind the loop
}

// findTileStore returns the store of a loop, nil if there is none that can be spread.
func findTileStore(loop *ir.Op) *tileStore {
	s := &tileStore{loop: loop}
	fills := false
	for op := range loop.Ops() {
		switch op.Def {
		case tt.Load, tt.Store, tt.AtomicRMW, tt.AtomicCAS, ttg.AsyncCopy, scf.While:
			return nil // warps would have to meet before a store
		case ttng.AsyncTMACopyGlobalToLocal:
			fills = true
		case ttng.AsyncTMACopyLocalToGlobal, ttng.AsyncTMAReduce:
			if s.copy != nil || op.Def == ttng.AsyncTMAReduce {
				return nil
			}
			s.copy, s.branch = op, op.Parent()
		case ttng.AsyncTMAStoreWait:
			s.wait = op
		}
	}
	for s.behind = loop.Next(); s.behind != nil && s.behind.Def != ttng.AsyncTMAStoreWait; {
		s.behind = s.behind.Next()
	}
	if !fills || s.copy == nil || s.behind == nil || s.wait == nil || !s.isLast() || !s.isTile() {
		return nil
	}
	return s
}

// isTile reports whether TileStores made the store. It has checked that the kernel accesses the tensor by
// nothing else, so the store needs no order with other accesses.
func (s *tileStore) isTile() bool {
	fn, desc := s.loop.ParentOf(tt.Func), s.copy.Slot(0)
	return desc.IsArg() && desc.Block() == fn.Body(0) && tt.TileOf(fn, desc.Index()) != nil
}

// isLast reports whether the store ends a branch of the loop, right behind the write to its buffer, which has
// at most one part for each warp, and whether its place in the tensor is known before the branch.
func (s *tileStore) isLast() bool {
	if s.branch.Def != scf.If || s.branch.Parent() != s.loop || s.branch.NumResults() > 0 ||
		s.wait.Parent() != s.branch || s.copy.Next().Def != scf.Yield || s.copy.Block() != s.branch.Body(0) {
		return false
	}
	for _, v := range s.copy.Group(1) {
		if v.Block() == s.copy.Block() {
			return false
		}
	}
	fence := s.copy.Prev()
	return fence.Def == ttng.FenceAsyncShared && fence.Prev().Def == ttg.LocalStore &&
		fence.Prev().Operand(1) == s.copy.Slot(2) &&
		!s.copy.Slot(2).Block().IsInside(s.loop) &&
		pipeline.NumBoxes(s.copy.Slot(2)) <= int64(ttg.NumWarps(s.loop))
}

// never is a number of iterations that no loop has.
const never = 1 << 30

// spread distributes the parts of the store. The loop carries how many iterations ago a tile ended, which is
// the number of the warp whose part is due, and the tile's place.
func (s *tileStore) spread() {
	before := ir.At(s.loop)
	since := ttgir.Carry(s.loop, arith.ConstInt(before, never, ir.I32))
	yield := s.loop.Body(0).Last()
	var at []*ir.Value
	for range s.copy.Group(1) {
		at = append(at, ttgir.Carry(s.loop, arith.ConstInt(before, 0, ir.I32)))
	}
	b := ir.At(s.branch)
	warp := b.Val(arith.IndexCast, ir.I32, b.Val(gpud.SubgroupID, ir.Index))
	s.store(b, ttgir.Compare(b, arith.EQ, warp, since), at)
	next := b.Val(arith.AddI, ir.I32, since, arith.ConstInt(b, 1, ir.I32))
	last := s.branch.Operand(0)
	set := func(arg, then, otherwise *ir.Value) {
		yield.SetOperand(arg.Index()-1, b.Val(arith.Select, ir.I32, last, then, otherwise))
	}
	set(since, arith.ConstInt(b, 0, ir.I32), next)
	for i, v := range s.copy.Group(1) {
		set(at[i], v, at[i])
	}
	s.rest(ir.At(s.wait), next, at)
	result := func(v *ir.Value) *ir.Value { return s.loop.Result(v.Index() - 1) }
	for i := range at {
		at[i] = result(at[i])
	}
	s.rest(ir.At(s.behind), result(since), at)
	ir.At(s.copy).Op(ttg.LocalBarrier, nil, nil)
	s.copy.Erase()
}

// rest stores the buffer if not all of its parts were due, since iterations ago.
func (s *tileStore) rest(b *ir.Builder, since *ir.Value, at []*ir.Value) {
	parts := arith.ConstInt(b, pipeline.NumBoxes(s.copy.Slot(2)), ir.I32)
	s.store(b, ttgir.Compare(b, arith.SLT, since, parts), at)
}

// store starts the copies of the buffer under a condition.
func (s *tileStore) store(b *ir.Builder, cond *ir.Value, at []*ir.Value) {
	b.Loc = s.copy.Loc
	branch := scf.NewIf(b, cond, nil, false)
	in := ir.NewBuilder(branch.Body(0))
	in.Loc = s.copy.Loc
	in.Groups(ttng.AsyncTMACopyLocalToGlobal, [][]*ir.Value{{s.copy.Slot(0)}, at, {s.copy.Slot(2)}}, nil)
	scf.MakeYield(in)
}
