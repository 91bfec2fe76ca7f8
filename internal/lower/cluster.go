package lower

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/analysis/address"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// Clusters: with num_ctas > 1 a program is a cluster of blocks. The input dimension layout.Block says which
// part of a tensor each block holds, or that several hold the same. Data moves between blocks through shared
// memory: each block writes its part to its own memory, the cluster meets, each block reads from the memory
// of the block that holds the element, and the cluster meets again. The second
// meeting guarantees that no block still reads another's memory when the operation ends: the memory can be
// reused after a barrier of the block alone, and a block can exit.

// blockDims lists the input dimensions that place a thread within its block.
var blockDims = []string{layout.Lane, layout.Warp}

// clusterBarrier waits for all threads of the cluster and makes their writes to shared memory visible.
func (l *lowering) clusterBarrier() { l.vendor.meet(l, theProgram) }

// meet emits the cluster's barrier if the operation reads other blocks' memory, else the block's.
func (l *lowering) meet(crosses bool) {
	if crosses {
		l.clusterBarrier()
		return
	}
	l.barrier()
}

// meetBefore emits the wait and the barrier that allocation.barriers demands before op.
func (l *lowering) meetBefore(op *ir.Op) {
	if l.alloc.barriers.drain[op] {
		l.vendor.waitCopies(l, allCopies)
	}
	if b := l.alloc.barriers; b.flush[op] || b.fence[op] != noProxy {
		l.vendor.orderEngine(l, b.flush[op], b.fence[op])
	}
	who := l.alloc.barriers.who[op]
	switch who {
	case nobody:
	case theWarp:
		l.vendor.meet(l, theWarp)
	default:
		l.meet(l.ctas > 1 && who == theProgram)
	}
	if list := l.doubtsBefore(op); len(list) > 0 && !l.sure {
		l.vendor.meetIf(l, l.atEntry(func() string { return l.anyFails(list) }))
	}
}

// anyFails returns whether one of the conditions does not hold.
func (l *lowering) anyFails(list []address.Condition) string {
	fails := ""
	for _, c := range list {
		x := itoa(int(c.Scale))
		for _, v := range c.Factors {
			f := l.regs(v)[0]
			if n := ir.BitWidth(v.Type); n < 64 {
				f = l.val("sext i%d %s to i64", n, f)
			}
			x = l.val("mul i64 %s, %s", x, f)
		}
		x = l.val("select i1 %s, i64 %s, i64 %s", l.val("icmp slt i64 %s, 0", x),
			l.val("sub i64 0, %s", x), x)
		near := l.val("icmp ule i64 %s, %d", x, c.Reach)
		if fails == "" {
			fails = near
		} else {
			fails = l.val("or i1 %s, %s", fails, near)
		}
	}
	return fails
}

// programBarrier waits for all threads of the program.
func (l *lowering) programBarrier() { l.meet(l.ctas > 1) }

// onCluster extends ll to log2(ctas) bits of layout.Block. A layout made for fewer blocks repeats over the
// others.
func (g *program) onCluster(ll layout.Layout) layout.Layout {
	if !ll.HasIn(layout.Block) {
		return ll
	}
	v := ll.Bases(layout.Block)
	if len(v) >= log2(g.ctas) {
		return ll
	}
	for len(v) < log2(g.ctas) {
		v = append(v, make([]int, len(ll.OutDims())))
	}
	return ll.WithBases(layout.Block, v)
}

// homes says which block of a cluster holds which element of a tensor, and where. An element's coordinates
// are the sum (xor) of a part numbered by an offset, which is the same in all blocks, and a part chosen by
// the block.
type homes struct {
	// maps (offset, block) to coordinates; invertible, because block has only the bits that change
	// coordinates
	basis layout.Layout
	bits  []int // bits of a block's number that change coordinates
	// for each other bit, the change of a block's number that leads to a block with the same elements; else 0
	twins []int
}

// homesOf returns the homes of a tensor with layout ll, whose inputs are registers, lanes and warps, or
// offsets in memory.
func homesOf(ll layout.Layout) homes {
	var within, across [][]int
	var h homes
	for i, in := range ll.InNames() {
		free := ll.FreeVariables()[i]
		for k, v := range ll.Bases(in) {
			switch {
			case free>>k&1 != 0:
			case in == layout.Block:
				across, h.bits = append(across, v), append(h.bits, k)
			default:
				within = append(within, v)
			}
		}
	}
	h.basis = layout.Must(layout.New([]layout.Bases{{Name: layout.Offset, Vectors: within},
		{Name: layout.Block, Vectors: across}}, ll.OutDims()))
	h.twins = make([]int, ll.InBits(layout.Block))
	own := ll.InvertAndCompose(h.basis)
	for k := range h.twins {
		if !slices.Contains(h.bits, k) {
			h.twins[k] = 1<<k ^ h.number(own.BasisAlong(layout.Block, k, layout.Block))
		}
	}
	return h
}

// number returns the block number in which the bits of h.bits have the values given.
func (h homes) number(bits int) int {
	n := 0
	for i, k := range h.bits {
		n |= bits >> i & 1 << k
	}
	return n
}

// find maps the places of another layout of the tensor to the (offset, block) that holds the element. Among
// blocks that hold the same element it prefers the place's own.
func (h homes) find(to layout.Layout) layout.Layout {
	got := to.InvertAndCompose(h.basis)
	var ins []layout.Bases
	for _, in := range to.InNames() {
		b := layout.Bases{Name: in}
		for k := range to.InBits(in) {
			rank := h.number(got.BasisAlong(in, k, layout.Block))
			if in == layout.Block {
				rank ^= h.twins[k]
			}
			b.Vectors = append(b.Vectors, []int{got.BasisAlong(in, k, layout.Offset), rank})
		}
		ins = append(ins, b)
	}
	return layout.Must(layout.New(ins, []layout.Dim{{Name: layout.Offset,
		Size: h.basis.InSize(layout.Offset)}, {Name: layout.Block, Size: 1 << len(h.twins)}}))
}

// crossing reports whether cvt, a map to (offset, block), leads from any place to another block.
func crossing(cvt layout.Layout) bool {
	if !cvt.HasOut(layout.Block) || cvt.OutBits(layout.Block) == 0 {
		return false
	}
	return !cvt.SublayoutIsIdentity(layout.Block) ||
		!cvt.SublayoutIsZero(withoutName(cvt.InNames(), layout.Block), []string{layout.Block})
}

func withoutName(names []string, drop string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == drop })
}

// offsets returns the offset part of cvt, a map to (offset, block).
func offsets(cvt layout.Layout) layout.Layout {
	if !cvt.HasOut(layout.Block) {
		return cvt
	}
	return cvt.Sublayout(cvt.InNames(), []string{layout.Offset})
}

// nearby changes cvt, which maps places of the result to places of the operand, so that a block that holds a
// copy of an element reads its own.
func nearby(cvt, from layout.Layout) layout.Layout {
	free := from.FreeVariablesIn(layout.Block)
	const probe = "probe"
	first := from.Sublayout([]string{layout.Block}, from.OutNames()).RenameIn(layout.Block,
		probe).InvertAndCompose(from)
	v := cvt.Bases(layout.Block)
	at := slices.Index(cvt.OutNames(), layout.Block)
	for k := range v {
		if free>>k&1 == 0 || v[k][at]>>k&1 != 0 {
			continue
		}
		for i, x := range first.Basis(probe, k) {
			v[k][i] ^= x
		}
		v[k][at] ^= 1 << k
	}
	return cvt.WithBases(layout.Block, v)
}

// exchange is a layout conversion through the shared memory of a cluster.
type exchange struct {
	store, load layout.Layout // store maps places to offsets, load maps places to (offset, block)
	crosses     bool
}

// newExchange returns the conversion of a tensor between two layouts. Each block has memory for its own part
// alone; swizzled chooses the offsets in it, as for a single block.
func (g *program) newExchange(from, to layout.Layout, elemBits int) exchange {
	h := homesOf(from)
	have, want := h.find(from), h.find(to)
	dim := layout.TensorDim(0)
	flatHave, flatWant := offsets(have).RenameOut(layout.Offset, dim),
		offsets(want).RenameOut(layout.Offset, dim)
	mem := swizzled(flatHave, flatWant, elemBits, nil, nil, g.port())
	load := flatWant.InvertAndCompose(mem)
	return exchange{flatHave.InvertAndCompose(mem),
		load.ConcatOuts(want.Sublayout(want.InNames(), []string{layout.Block})), crossing(want)}
}

// size returns the number of elements in each block's buffer.
func (x exchange) size() int { return x.store.OutSize(layout.Offset) }

// moveCluster converts registers between two layouts through shared memory. again says that threads may still
// be reading the buffer.
func (l *lowering) moveCluster(src []string, elem ir.Type, from, to layout.Layout, base int,
	again bool) []string {
	if again {
		l.barrier()
	}
	x := l.newExchange(from, to, bitsOf(elem))
	b := scratchAt(base, elem)
	l.storeAll(b, x.store, src, from.FreeVariablesIn(layout.Register), l.ownsInBlock(from))
	l.meet(x.crosses)
	if !x.crosses {
		return l.loadAll(b, offsets(x.load))
	}
	out := l.loadAll(b, x.load)
	l.clusterBarrier()
	return out
}

// loadFrom reads an element from the shared memory of block rank; "" means this block.
func (l *lowering) loadFrom(t ir.Type, base int, off, rank string) string {
	if rank == "" {
		return l.loadShared(t, base, off)
	}
	a := newAccess(t, 1)
	at := l.vendor.mapTo(l, l.sharedAt(l.mul(off, bitsOf(t)/8), itoa(base)), rank)
	return l.unpack(a, l.vendor.loadWords(l, a, memory{space: inCluster}, at, "", nil))[0]
}

// registerImage returns the part of output out that register reg contributes.
func registerImage(ll layout.Layout, reg int, out string) int {
	c := 0
	for i := range ll.InBits(layout.Register) {
		if reg>>i&1 != 0 {
			c ^= ll.BasisAlong(layout.Register, i, out)
		}
	}
	return c
}

// conversionCrosses reports whether a conversion exchanges elements between blocks.
func conversionCrosses(l *lowering, op *ir.Op) bool {
	t := op.Operand(0).Type.(*ir.TensorType)
	from, to := l.layout(op, t), l.layout(op, op.Result(0).Type)
	return newConversion(l.rules, from, to, t.Elem).how == byShared &&
		l.newExchange(from, to, bitsOf(t)).crosses
}

// crosses reports whether op reads other blocks' memory and ends with the cluster's barrier.
func (l *lowering) crosses(op *ir.Op) bool {
	f := l.fact(op.Def).crosses
	return l.ctas > 1 && f != nil && f(l, op)
}

// sameFreedom fails unless the layouts of v and of op's result repeat elements over the same threads and
// blocks. Operations that only rename registers would otherwise leave an element in the wrong block.
func (l *lowering) sameFreedom(op *ir.Op, v *ir.Value) {
	if l.ctas == 1 {
		return
	}
	from, to := l.layout(op, v.Type), l.layout(op, op.Result(0).Type)
	for _, in := range threadDims {
		if from.FreeVariablesIn(in) != to.FreeVariablesIn(in) {
			l.fail(op, "num_ctas=%d: the layouts of operand and result do not repeat elements over the "+
				"same threads", l.ctas)
		}
	}
}

// refuseOnCluster fails for operations that programs of several blocks cannot execute.
func (l *lowering) refuseOnCluster(op *ir.Op, what string) {
	if l.ctas > 1 {
		l.fail(op, "num_ctas=%d: %s", l.ctas, what)
	}
}
