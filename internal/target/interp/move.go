package interp

import (
	"github.com/nereid-lang/nereid/internal/ir"
)

// move emits the steps that copy values into registers, all at once: a source may be another move's
// destination. Where the value was made in the block given and nothing else needs it, the registers change
// places instead.
func (c *compiler) move(dst []value, src []*ir.Value, in *ir.Block) {
	var saves, copies, swaps, late []pair
	for i, d := range dst {
		s := c.in(src[i])
		switch {
		case d.kind == kNone || d.kind != kObj && d.reg == s.reg && !s.uni:
		case d.kind == kObj && d.reg == s.reg:
		case c.isTarget(dst, s):
			t := c.temp(d.kind, s.regLen())
			saves = append(saves, pair{t, s}) // before any copy overwrites it
			late = append(late, pair{d, value{layout: d.layout, reg: t.reg, uni: s.uni}})
		case c.canSwap(src, i, d, s, in):
			swaps = append(swaps, pair{d, s})
		default:
			copies = append(copies, pair{d, s})
		}
	}
	for i, list := range [][]pair{saves, copies, late} {
		for _, p := range list {
			c.emit(nil, copyStep(p, c.lanes))
		}
		if i == 1 && len(swaps) > 0 {
			c.emit(nil, swapStep(swaps))
		}
	}
}

type pair struct{ dst, src value }

// regLen returns the number of elements in the register of a value.
func (v value) regLen() int {
	if v.uni {
		return 1
	}
	return v.n
}

func (c *compiler) isTarget(dst []value, s value) bool {
	for _, d := range dst {
		if d.reg == s.reg && (d.kind == kObj) == (s.kind == kObj) && d.kind != kNone {
			return true
		}
	}
	return false
}

// canSwap reports whether source i may be given away: it is a whole row, made in this block, and moved only
// once.
func (c *compiler) canSwap(src []*ir.Value, i int, d, s value, in *ir.Block) bool {
	root := c.plan.root(src[i])
	if in == nil || s.uni || s.kind == kObj || s.n < 16 || d.n != s.n || d.kind.bytes() != s.kind.bytes() {
		return false
	}
	if root.IsArg() || root.Block() != in || c.plan.pinned[root] {
		return false
	}
	for j, v := range src {
		if j != i && c.in(v).reg == s.reg && c.in(v).kind != kObj {
			return false
		}
	}
	return true
}

func copyStep(p pair, lanes bool) step {
	d, s, k := p.dst.reg, p.src.reg, p.dst.kind
	switch {
	case k == kObj:
		return func(f *frame) { f.objs[d] = f.objs[s] }
	case p.src.uni && p.dst.n > 1:
		return fillStep(k, d, s)
	case lanes:
		return func(f *frame) { f.copyReg(d, s, k) }
	case k == kI64 && p.dst.n == 1:
		return func(f *frame) { *(*int64)(f.regs[d].p) = *(*int64)(f.regs[s].p) }
	case k == kI32 && p.dst.n == 1:
		return func(f *frame) { *(*int32)(f.regs[d].p) = *(*int32)(f.regs[s].p) }
	}
	return func(f *frame) { f.copyReg(d, s, k) }
}

// copyReg copies a register; one element is repeated where more are wanted.
func (f *frame) copyReg(d, s reg, k kind) {
	if f.regs[s].n == 1 && f.regs[d].n > 1 {
		f.fill(d, s, k)
		return
	}
	copy(f.bytes(d, k), f.bytes(s, k))
}

func swapStep(pairs []pair) step {
	return func(f *frame) {
		for _, p := range pairs {
			f.regs[p.dst.reg], f.regs[p.src.reg] = f.regs[p.src.reg], f.regs[p.dst.reg]
		}
	}
}

// fillStep puts one element in all places of a register.
func fillStep(k kind, d, s reg) step {
	return func(f *frame) { f.fill(d, s, k) }
}

func (f *frame) fill(d, s reg, k kind) {
	switch k.bytes() {
	case 1:
		fill(row[uint8](f, d), scalar[uint8](f, s))
	case 2:
		fill(row[uint16](f, d), scalar[uint16](f, s))
	case 4:
		fill(row[uint32](f, d), scalar[uint32](f, s))
	case 8:
		fill(row[uint64](f, d), scalar[uint64](f, s))
	}
}

// fill sets all elements, by copies of doubling size: much faster than a loop.
func fill[T any](d []T, x T) {
	n := min(len(d), 16)
	for i := range d[:n] {
		d[i] = x
	}
	for ; n < len(d); n *= 2 {
		copy(d[n:], d[:n])
	}
}
