package lower

import (
	"math/bits"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// smem is a buffer in shared memory.
type smem struct {
	base  string // first byte
	start string // first element of a view, xored to the offsets of elements
	elem  ir.Type
	pad   *ttg.Padded

	aligned bool // base is known to be a multiple of 16
}

// scratchAt returns a buffer at a fixed place.
func scratchAt(base int, elem ir.Type) smem {
	return smem{base: itoa(base), start: "0", elem: elem, aligned: base%16 == 0}
}

// buffer returns the buffer of a memory descriptor.
func (l *lowering) buffer(v *ir.Value) smem {
	m, _ := ttg.MemDescOf(v.Type)
	b := smem{base: l.regs(v)[0], start: l.regs(v)[1], elem: m.Elem, aligned: l.isAligned(v)}
	if p, ok := ttg.As[ttg.Padded](m.Encoding); ok {
		b.pad = &p
	}
	return b
}

// isAligned reports whether v is known to begin at a multiple of 16 bytes.
func (l *lowering) isAligned(v *ir.Value) bool {
	if base, fixed := constant(l.regs(v)[0]); fixed {
		return base%16 == 0
	}
	op := v.Def()
	switch {
	case op == nil:
		return false
	case op.Def == ttg.MemDescIndex:
		return localBytes(v.Type)%16 == 0 && l.isAligned(op.Operand(0))
	case op.Def == ttg.MemDescTrans, op.Def == ttg.MemDescReshape, op.Def == ttg.MemDescSubslice:
		return l.isAligned(op.Operand(0))
	}
	return false
}

// most returns the largest number of elements in an access: 16 bytes, and no padding between them.
func (b smem) most() int {
	n := 128 / bitsOf(b.elem)
	if b.pad != nil {
		for _, p := range b.pad.Intervals {
			n = min(n, int(p))
		}
	}
	return n
}

// pointers makes the addresses of accesses to a buffer. cvt maps (register, lane, warp) to an element's
// offset. The thread's part of an address is computed once for each value that registers xor into its bits;
// the rest of a register's part is added as a constant.
type pointers struct {
	l      *lowering
	b      smem
	cvt    layout.Layout
	thread string         // the thread's part, in elements
	bits   int            // bits that thread can have
	ptrs   map[int]string // address of thread xor key

	rank   string         // thread's part of the block number to read from; "" is this block
	mapped map[int]string // address in another block, by the register's part of its number
}

// pointers returns the addresses of accesses to b. If cvt has the output layout.Block, they lead into the
// memory of other blocks.
func (l *lowering) pointers(b smem, cvt layout.Layout) *pointers {
	p := &pointers{l: l, b: b, cvt: cvt, ptrs: map[int]string{}, thread: l.threadPart(cvt, layout.Offset),
		bits: l.threadBits(cvt, layout.Offset)}
	if cvt.HasOut(layout.Block) && cvt.OutBits(layout.Block) > 0 {
		p.rank, p.mapped = l.threadPart(cvt, layout.Block), map[int]string{}
	}
	return p
}

// memory returns the memory that these addresses lie in.
func (p *pointers) memory() memory {
	if p.rank != "" {
		return memory{space: inCluster}
	}
	return memory{space: inShared}
}

// key returns the offset and the block that reg contributes: registers with equal keys have the same address.
func (p *pointers) key(reg int) [2]int {
	k := [2]int{registerImage(p.cvt, reg, layout.Offset)}
	if p.rank != "" && p.cvt.HasOut(layout.Block) {
		k[1] = registerImage(p.cvt, reg, layout.Block)
	}
	return k
}

// at returns the address of register reg.
func (p *pointers) at(reg int) string {
	l, size := p.l, bitsOf(p.b.elem)/8
	k := p.key(reg)
	c := k[0]
	mixed := c & p.bits // xored to the thread's part; the rest is added
	if p.b.start == "0" && p.b.pad == nil && (mixed == 0 || p.rank == "") {
		if p.ptrs[mixed] == "" {
			p.ptrs[mixed] = l.sharedAt(l.mul(l.xor(p.thread, itoa(mixed)), size), p.b.base)
		}
		ptr, c := p.ptrs[mixed], c-mixed
		if p.rank != "" {
			if p.mapped[k[1]] == "" {
				p.mapped[k[1]] = l.vendor.mapTo(l, ptr, l.xor(p.rank, itoa(k[1])))
			}
			return l.add(p.mapped[k[1]], itoa(c*size))
		}
		if c == 0 {
			return ptr
		}
		return l.val("getelementptr i8, ptr addrspace(3) %s, i32 %d", ptr, c*size)
	}
	off := l.xor(l.xor(p.thread, itoa(c)), p.b.start)
	if p.b.pad != nil {
		sum := off
		for i, n := range p.b.pad.Intervals {
			k := l.val("lshr i32 %s, %d", off, bits.Len(uint(n))-1)
			sum = l.add(sum, l.mul(k, int(p.b.pad.Paddings[i])))
		}
		off = sum
	}
	at := l.sharedAt(l.mul(off, size), p.b.base)
	if p.rank != "" {
		return l.vendor.mapTo(l, at, l.xor(p.rank, itoa(k[1])))
	}
	return at
}

// sharedAt returns the address of byte off behind base.
func (l *lowering) sharedAt(off, base string) string {
	at := "@global_smem"
	if base != "0" {
		if _, ok := constant(base); ok {
			at = "getelementptr (i8, ptr addrspace(3) @global_smem, i32 " + base + ")"
		} else {
			at = l.val("getelementptr i8, ptr addrspace(3) @global_smem, i32 %s", base)
		}
	}
	if off == "0" {
		return at
	}
	return l.val("getelementptr i8, ptr addrspace(3) %s, i32 %s", at, off)
}

// storeAll writes registers to b with the widest accesses that cvt allows. Registers with a bit of free are
// copies and are skipped; threads for which owner is false do not write.
func (l *lowering) storeAll(b smem, cvt layout.Layout, regs []string, free int, owner string) {
	n, order := layout.LargestVector(cvt, b.most())
	p := l.pointers(b, order.Apply(cvt))
	a := newAccess(b.elem, n)
	for i := 0; i < len(regs); i += n {
		if order.Index(i)&free != 0 {
			continue
		}
		vals := make([]string, n)
		for k := range vals {
			vals[k] = regs[order.Index(i+k)]
		}
		// a store takes the lowest byte of a register, so the others need not be cleared
		if a.wordBits == 8 && owner == "" {
			l.do("store %s %s, ptr addrspace(3) %s", a.memElem(), l.toMem(a, vals[0]), p.at(i))
			continue
		}
		l.vendor.storeWords(l, a, memory{space: inShared}, l.pack(a, vals), p.at(i), owner)
	}
}

// loadBlock loads like loadAll, from the buffer of one block of the cluster.
func (l *lowering) loadBlock(b smem, cvt layout.Layout, rank int) []string {
	return l.loadVia(b, cvt, func(p *pointers) { p.rank, p.mapped = itoa(rank), map[int]string{} })
}

// loadAll reads registers from b. Registers with the same offset are read once. If cvt has the output
// layout.Block, it reads from the blocks' buffers.
func (l *lowering) loadAll(b smem, cvt layout.Layout) []string {
	return l.loadVia(b, cvt, func(*pointers) {})
}

func (l *lowering) loadVia(b smem, cvt layout.Layout, change func(*pointers)) []string {
	n, order := layout.LargestVector(cvt, b.most())
	p := l.pointers(b, order.Apply(cvt))
	change(p)
	a := newAccess(b.elem, n)
	out := make([]string, cvt.InSize(layout.Register))
	done := map[[2]int][]string{}
	for i := 0; i < len(out); i += n {
		vals := done[p.key(i)]
		if vals == nil {
			vals = l.unpack(a, l.vendor.loadWords(l, a, p.memory(), p.at(i), "", nil))
			done[p.key(i)] = vals
		}
		for k, v := range vals {
			out[order.Index(i+k)] = v
		}
	}
	return out
}

// tableLayout returns a layout to offsets below size: register bits have the images regs, and threads returns
// what a thread's place, of those that ll has, contributes.
func tableLayout(size int, regs []int, ll layout.Layout, threads func(p place) int) layout.Layout {
	bases := []layout.Bases{{Name: layout.Register}}
	for _, r := range regs {
		bases[0].Vectors = append(bases[0].Vectors, []int{r})
	}
	for _, in := range threadDims {
		if ll.HasIn(in) {
			bases = append(bases, layout.Bases{Name: in})
		}
	}
	for _, u := range unitPlaces(ll) {
		in := ""
		switch {
		case u.lane != 0:
			in = layout.Lane
		case u.warp != 0:
			in = layout.Warp
		case u.block != 0:
			in = layout.Block
		}
		for i := range bases {
			if bases[i].Name == in {
				bases[i].Vectors = append(bases[i].Vectors, []int{threads(u)})
			}
		}
	}
	return layout.Must(layout.New(bases, []layout.Dim{{Name: layout.Offset, Size: size}}))
}

// lazyLoad reads registers from a buffer when they are asked for, with the widest accesses that the layout
// allows.
type lazyLoad struct {
	l     *lowering
	a     access
	order layout.Action
	p     *pointers
	done  map[int][]string // elements of accesses by vector
}

// lazyLoad returns the registers that cvt places in b.
func (l *lowering) lazyLoad(b smem, cvt layout.Layout) lazyLoad {
	n, order := layout.LargestVector(cvt, b.most())
	return lazyLoad{l, newAccess(b.elem, n), order.Inverse(), l.pointers(b, order.Apply(cvt)),
		map[int][]string{}}
}

// vector returns the offset of the access that reads register reg.
func (z lazyLoad) vector(reg int) int {
	i := z.order.Index(reg)
	return z.p.key(i - i%z.a.vec)[0]
}

// get returns register reg.
func (z lazyLoad) get(reg int) string {
	i, k := z.order.Index(reg), z.vector(reg)
	if z.done[k] == nil {
		words := z.l.vendor.loadWords(z.l, z.a, z.p.memory(), z.p.at(i-i%z.a.vec), "", nil)
		z.done[k] = z.l.unpack(z.a, words)
	}
	return z.done[k][i%z.a.vec]
}

// storeShared writes an element where pred is true; pred may be "" for true.
func (l *lowering) storeShared(v string, t ir.Type, base int, off, pred string) {
	a := newAccess(t, 1)
	p := l.sharedAt(l.mul(off, bitsOf(t)/8), itoa(base))
	if pred == "" {
		l.do("store %s %s, ptr addrspace(3) %s", a.memElem(), l.toMem(a, v), p)
		return
	}
	l.vendor.storeWords(l, a, memory{space: inShared}, l.pack(a, []string{v}), p, pred)
}

// loadShared reads an element.
func (l *lowering) loadShared(t ir.Type, base int, off string) string {
	a := newAccess(t, 1)
	return l.fromMem(a, l.val("load %s, ptr addrspace(3) %s", a.memElem(),
		l.sharedAt(l.mul(off, bitsOf(t)/8), itoa(base))))
}

// barrier waits for all threads of the block, which may be one warp.
func (l *lowering) barrier() {
	if l.warps == 1 && l.ctas == 1 {
		l.vendor.meet(l, theWarp)
		return
	}
	l.vendor.meet(l, theBlock)
}
