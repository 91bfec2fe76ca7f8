package pipeline

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Buffers of asynchronous copies, the counters that select them, and what reads them.

// allocate allocates the buffers of a copy before the loop and releases them behind it.
func (c *copier) allocate(a *asyncCopy) {
	t := ttgir.TensorOf(a.load.Result(0))
	m := ttg.MemDesc{Shape: append([]int64{int64(a.buffers)}, t.Shape...), Elem: t.Elem, Encoding: a.buf,
		Space: ttg.SharedMemory, Mutable: true}
	b := ir.At(c.loop)
	b.Loc = a.load.Loc
	a.alloc = b.Val(ttg.LocalAlloc, m.Type())
	a.alloc.Name = a.load.Result(0).Name
	if a.tight {
		a.alloc.Def().SetAttr(tightAttr, ir.Unit)
	}
	if a.roomy {
		a.alloc.Def().SetAttr(roomyAttr, ir.Unit)
	}
	b.After(c.loop)
	b.Loc = c.loop.Loc
	b.Op(ttg.LocalDealloc, []*ir.Value{a.alloc}, nil)
	if c.ring(a.buffers) == nil {
		c.groups = append(c.groups, &ring{buffers: a.buffers})
	}
	g := c.ring(a.buffers)
	g.tma = g.tma || a.isTMA()
}

func (c *copier) ring(buffers int) *ring {
	for _, g := range c.groups {
		if g.buffers == buffers {
			return g
		}
	}
	return nil
}

// count adds two counters to the loop for each number of buffers. Both always have the same value; with two,
// each is computed in the stage that needs it. A single buffer needs none: the address of its elements must
// not wait for a number that is always zero.
func (c *copier) count() {
	b := ir.At(c.loop)
	start, zero, one := arith.ConstInt(b, -1, ir.I32), arith.ConstInt(b, 0, ir.I32),
		arith.ConstInt(b, 1, ir.I32)
	for _, g := range c.groups {
		b.Before(c.loop)
		if g.buffers == 1 && !g.tma {
			g.insert, g.extract = zero, zero
			continue
		}
		n := arith.ConstInt(b, int64(g.buffers), ir.I32)
		for _, counter := range []**ir.Value{&g.insert, &g.extract} {
			arg := ttgir.Carry(c.loop, start)
			b.ToStart(c.loop.Body(0))
			next := b.Val(arith.AddI, ir.I32, arg, one)
			over := b.ValA(arith.CmpI, ir.I1, []ir.NamedAttr{ir.A("predicate", ir.I64Attr(arith.SGE))},
				next, n)
			*counter = b.Val(arith.Select, ir.I32, over, zero, next)
			c.loop.Body(0).Last().SetOperand(arg.Index()-1, *counter)
			if g.tma && counter == &g.extract {
				g.phase = c.countRounds(b, over, zero, one)
			}
		}
	}
}

// countRounds adds the parity of the number of rounds: over is true in the first iteration of a new round.
func (c *copier) countRounds(b *ir.Builder, over, zero, one *ir.Value) *ir.Value {
	arg := ttgir.Carry(c.loop, zero)
	phase := b.Val(arith.Select, ir.I32, over, b.Val(arith.XOrI, ir.I32, arg, one), arg)
	c.loop.Body(0).Last().SetOperand(arg.Index()-1, phase)
	return phase
}

// copy replaces a load.
func (c *copier) copy(a *asyncCopy) {
	load, g := a.load, c.ring(a.buffers)
	b := c.builder(load, c.places[load])
	m, _ := ttg.MemDescOf(a.alloc.Type)
	m.Shape = m.Shape[1:]
	attrs := []ir.NamedAttr{ir.A("contiguity", ir.I32Attr(int64(a.width)))}
	for _, n := range load.Attrs() {
		if n.Name == "cache" || n.Name == "evict" || n.Name == "isVolatile" {
			attrs = append(attrs, n)
		}
	}
	ptr, mask, other := load.Slot(0), load.Slot(1), load.Slot(2)
	to := b.Val(ttg.MemDescIndex, m.Type(), a.alloc, g.insert)
	token := b.Groups(ttg.AsyncCopy, [][]*ir.Value{{ptr}, {to}, {mask}, {other}}, []ir.Type{ttg.Token},
		attrs...).Result(0)
	group := b.Val(ttg.AsyncCommitGroup, ttg.Token, token)

	b = c.builder(load, c.places[c.firstUser(load)])
	wait := b.ValA(ttg.AsyncWait, ttg.Token, []ir.NamedAttr{ir.A("num", ir.I32Attr(0))}, group)
	from := b.Val(ttg.MemDescIndex, m.Type(), a.alloc, g.extract)
	for _, v := range []*ir.Value{to, token, group, wait, from} {
		v.Name = load.Result(0).Name
	}
	if other == nil || ttgir.IsZero(other) {
		c.readBuffer(load, from)
	}
	if load.HasUses() {
		x := b.Val(ttg.LocalLoad, load.Result(0).Type, from, wait)
		x.Name = load.Result(0).Name
		if other != nil && !ttgir.IsZero(other) { // a copy leaves zeros where its mask is false
			x = b.Val(arith.Select, x.Type, mask, x, other)
		}
		load.Result(0).ReplaceAllUses(x)
	}
	delete(c.places, load)
	load.Erase()
}

// copyPlain keeps a load and stores what it loaded to its buffer.
func (c *copier) copyPlain(a *asyncCopy) {
	load, g := a.load, c.ring(a.buffers)
	stage := c.places[load].stage
	c.insert(load, place{stage, c.first})
	c.prepare(load, stage, map[*ir.Op]bool{})
	m, _ := ttg.MemDescOf(a.alloc.Type)
	m.Shape = m.Shape[1:]
	users := c.places[c.firstUser(load)]
	b := c.builder(load.Next(), place{stage, c.last})
	to := b.Val(ttg.MemDescIndex, m.Type(), a.alloc, g.insert)
	store := b.Op(ttg.LocalStore, []*ir.Value{load.Result(0), to}, nil)
	b = c.builder(store.Next(), users)
	from := b.Val(ttg.MemDescIndex, m.Type(), a.alloc, g.extract)
	c.readBuffer(load, from)
	b.After(from.Def())
	x := b.Val(ttg.LocalLoad, load.Result(0).Type, from)
	for _, v := range []*ir.Value{to, from, x} {
		v.Name = load.Result(0).Name
	}
	load.Result(0).ReplaceUsesIf(x, func(u *ir.Use) bool { return u.Owner() != store })
	if !x.HasUses() {
		delete(c.places, x.Def())
		x.Def().Erase()
	}
}

// prepare moves what op, of a stage, needs from the iteration before to the beginning of the body: ops of the
// next stage.
func (c *copier) prepare(op *ir.Op, stage int, seen map[*ir.Op]bool) {
	for _, v := range ttgir.OuterOperands(op) {
		at := stage
		if ttgir.IsIterArg(v, c.loop) {
			v, at = ttgir.Yielded(v), stage+1
		}
		def := v.Def()
		if def == nil || def.Block() != c.loop.Body(0) || seen[def] || !c.has(def) ||
			c.places[def].stage != at {
			continue
		}
		seen[def] = true
		if at > stage {
			c.insert(def, place{at, c.addresses})
			c.insertDeps(def, c.places[def], false)
		}
		c.prepare(def, at, seen)
	}
}

// readBuffer makes buf replace the buffers with the same encoding that the load would have been stored to.
func (c *copier) readBuffer(load *ir.Op, buf *ir.Value) {
	for _, op := range SameBuffers(load, buf) {
		delete(c.places, op)
		ReplaceBuffer(op, buf)
	}
}

// SameBuffers returns the buffers that a load is stored to and that have the encoding of buf.
func SameBuffers(load *ir.Op, buf *ir.Value) []*ir.Op {
	var out []*ir.Op
	for u := range load.Result(0).Users() {
		if u.Def == ttg.LocalAlloc && EncodingOfBuffer(u.Result(0)) == EncodingOfBuffer(buf) {
			out = append(out, u)
		}
	}
	return out
}

// ReplaceBuffer replaces a read-only buffer by a mutable one. The types of its views change with it.
func ReplaceBuffer(op *ir.Op, buf *ir.Value) {
	op.Result(0).ReplaceAllUses(buf)
	var retype func(v *ir.Value)
	retype = func(v *ir.Value) {
		for use := range v.Uses() {
			u := use.Owner()
			if u.Def == ttng.WarpGroupDotWait {
				u.Result(use.Index()).Type = v.Type
				retype(u.Result(use.Index()))
			}
			if m, ok := bufferResult(u); ok && !m.Mutable && u.Operand(0) == v {
				m.Mutable = true
				u.Result(0).Type = m.Type()
				retype(u.Result(0))
			}
		}
	}
	retype(buf)
	op.Erase()
}

// bufferResult returns the type of the view that op makes.
func bufferResult(op *ir.Op) (ttg.MemDesc, bool) {
	if !isBufferView(op) {
		return ttg.MemDesc{}, false
	}
	return ttg.MemDescOf(op.Result(0).Type)
}
