package pipeline

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

// Loads through descriptors become copies of the copy engine. A barrier in shared memory counts the bytes
// that arrive; copies that start together share one. A barrier completes once in each round through the
// buffers, so the parity of the round tells a wait which completion to wait for.
//
//	%x = tt.descriptor_load %d[%i, %j] {stage 0}
//	%p = ttng.warp_group_dot %x, … {stage 2}
//
//	=>
//
//	%r = ttg.memdesc_index %bars[%insert] {stage 0}
//	ttng.barrier_expect %r, 16384, %true {stage 0}
//	ttng.async_tma_copy_global_to_local %d[%i, %j] %buf[%insert], %r, %true {stage 0}
//	ttng.wait_barrier %bars[%extract], %phase {stage 2}
//	%p = ttng.warp_group_dot %buf[%extract], … {stage 2}

// barriers gives each group of copies through descriptors its barriers, one for each buffer.
func (c *copier) barriers() {
	for _, group := range c.tmaGroups() {
		first, last := group[0], group[len(group)-1]
		g := c.ring(first.buffers)
		bytes := 0
		var loads []*ir.Op
		for _, a := range group {
			bytes += BlockBytes(ttgir.TensorOf(a.load.Result(0)), a.buf)
			loads = append(loads, a.load)
		}
		bars := c.makeBarriers(g.buffers)
		view := ttg.MemDesc{Shape: []int64{1}, Elem: ir.I64, Encoding: BarrierEncoding(),
			Space: ttg.SharedMemory, Mutable: true}.Type()
		b := c.builder(first.load, c.places[first.load])
		at := b.Val(ttg.MemDescIndex, view, bars, g.insert)
		yes := arith.Const(b, ir.BoolAttr(true))
		b.Op(ttng.BarrierExpect, []*ir.Value{at, yes}, nil, ir.A("size", ir.I32Attr(int64(bytes))))

		b = c.builder(last.load.Next(), c.places[c.firstUser(loads...)])
		b.Loc = last.load.Loc
		done := b.Val(ttg.MemDescIndex, view, bars, g.extract)
		wait := b.Groups(ttng.WaitBarrier, [][]*ir.Value{{done}, {g.phase}, nil, nil}, nil)
		for _, a := range group {
			a.barrier, a.wait = at, wait
		}
	}
}

// tmaGroups returns the copies through descriptors in groups that share a barrier: they run at the same
// place, have equally many buffers, and no user of one lies before another.
func (c *copier) tmaGroups() [][]*asyncCopy {
	var groups [][]*asyncCopy
	for _, a := range c.copies {
		if !a.isTMA() {
			continue
		}
		if n := len(groups) - 1; n >= 0 && c.together(groups[n], a) {
			groups[n] = append(groups[n], a)
			continue
		}
		groups = append(groups, []*asyncCopy{a})
	}
	return groups
}

func (c *copier) together(group []*asyncCopy, a *asyncCopy) bool {
	if group[0].buffers != a.buffers || c.places[group[0].load] != c.places[a.load] {
		return false
	}
	return !slices.ContainsFunc(group, func(g *asyncCopy) bool {
		return slices.ContainsFunc(c.readersOf(g.load), func(u *ir.Op) bool { return u.Before(a.load) })
	})
}

// readersOf returns the ops of the body that use a load, or a buffer that is filled from it.
func (c *copier) readersOf(load *ir.Op) []*ir.Op {
	var out []*ir.Op
	for _, u := range c.usersOf(load) {
		if u.Def == ttg.LocalAlloc {
			out = append(out, c.usersOf(u)...)
		} else {
			out = append(out, u)
		}
	}
	return out
}

func BarrierEncoding() ir.Attr {
	return ttg.Swizzled{Vec: 1, PerPhase: 1, MaxPhase: 1, Order: []int64{0}}.Attr()
}

// makeBarriers makes n barriers before the loop, at which the copy engine's thread arrives, and ends their
// life behind it.
func (c *copier) makeBarriers(n int) *ir.Value {
	m := ttg.MemDesc{Shape: []int64{int64(n), 1}, Elem: ir.I64, Encoding: BarrierEncoding(),
		Space: ttg.SharedMemory, Mutable: true}
	b := ir.At(c.loop)
	bars := b.Val(ttg.LocalAlloc, m.Type())
	m.Shape = m.Shape[1:]
	each := func(f func(bar *ir.Value)) {
		for i := range n {
			f(b.Val(ttg.MemDescIndex, m.Type(), bars, arith.ConstInt(b, int64(i), ir.I32)))
		}
	}
	each(func(bar *ir.Value) { b.Op(ttng.InitBarrier, []*ir.Value{bar}, nil, ir.A("count", ir.I32Attr(1))) })
	b.After(c.loop)
	each(func(bar *ir.Value) { b.Op(ttng.InvalBarrier, []*ir.Value{bar}, nil) })
	b.Op(ttg.LocalDealloc, []*ir.Value{bars}, nil)
	return bars
}

// copyTMA replaces a load through a descriptor.
func (c *copier) copyTMA(a *asyncCopy) {
	load, g := a.load, c.ring(a.buffers)
	b := c.builder(load, c.places[load])
	m, _ := ttg.MemDescOf(a.alloc.Type)
	m.Shape = m.Shape[1:]
	to := b.Val(ttg.MemDescIndex, m.Type(), a.alloc, g.insert)
	to.Name = load.Result(0).Name
	CopyBlock(b, load, a.barrier, to)

	b = c.builder(a.wait.Next(), c.places[a.wait])
	b.Loc = load.Loc
	from := b.Val(ttg.MemDescIndex, m.Type(), a.alloc, g.extract)
	from.Name = load.Result(0).Name
	c.readBuffer(load, from)
	if load.HasUses() {
		b.After(from.Def()) // the op behind it may have been a buffer, now erased
		x := b.Val(ttg.LocalLoad, load.Result(0).Type, from)
		x.Name = load.Result(0).Name
		load.Result(0).ReplaceAllUses(x)
	}
	delete(c.places, load)
	load.Erase()
}

// CopyBlock starts the copy of a load's block to a buffer.
func CopyBlock(b *ir.Builder, load *ir.Op, barrier, to *ir.Value) {
	yes := arith.Const(b, ir.BoolAttr(true))
	b.Groups(ttng.AsyncTMACopyGlobalToLocal,
		[][]*ir.Value{{load.Operand(0)}, load.Group(1), {barrier}, {to}, {yes}}, nil)
}

// BlockBytes returns how many bytes of a tensor a CTA copies to shared memory.
func BlockBytes(t *ir.TensorType, enc ir.Attr) int {
	shape := t.Shape
	if part, err := ttglayout.ShapePerCTA(enc, t.Shape); err == nil {
		shape = part
	}
	n := ir.BitWidth(t.Elem) / 8
	for _, d := range shape {
		n *= int(d)
	}
	return n
}
