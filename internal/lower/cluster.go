package lower

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// Clusters: with num_ctas > 1 a program is a cluster of blocks, and layouts say with the bits of the input dimension block which part of a
// tensor each of them has, or that they have the same. What moves between blocks goes through shared memory: each block writes what it has
// to its own, all meet, each reads from the memory of whoever has what it wants (mapa, ld.shared::cluster), and all meet again. So nothing
// of another block is pending when an operation is over: its memory can be used again after a barrier of the block alone, and the block can
// leave.

// blockDims are the input dimensions that say where in its block a thread is.
var blockDims = []string{layout.Lane, layout.Warp}

// clusterBarrier waits for all threads of the cluster; what they have written to shared memory is there for all.
func (l *lowering) clusterBarrier() {
	l.call("void", "llvm.nvvm.barrier.cluster.arrive.aligned")
	l.call("void", "llvm.nvvm.barrier.cluster.wait.aligned")
}

// meet waits for the cluster if an operation reads what other blocks have written, else for the block.
func (l *lowering) meet(crosses bool) {
	if crosses {
		l.clusterBarrier()
		return
	}
	l.barrier()
}

// meetBefore lets those threads meet that have to before an operation.
func (l *lowering) meetBefore(op *ir.Op) {
	if l.alloc.barriers.drain[op] {
		l.asm("void", "cp.async.wait_all;", "", true)
	}
	switch who := l.alloc.barriers.who[op]; who {
	case nobody:
	case theWarp:
		l.call("void", "llvm.nvvm.bar.warp.sync", "i32 -1")
	default:
		l.meet(l.ctas > 1 && who == theProgram)
	}
}

// programBarrier waits for all threads of the program.
func (l *lowering) programBarrier() { l.meet(l.ctas > 1) }

// programID and numPrograms are those along an axis: a program is a cluster where there are clusters.
func (l *lowering) programID(axis string) string {
	return l.sreg(l.clusterWord("ctaid", "clusterid"), axis)
}

func (l *lowering) numPrograms(axis string) string {
	return l.sreg(l.clusterWord("nctaid", "nclusterid"), axis)
}

func (l *lowering) clusterWord(block, cluster string) string {
	if l.ctas > 1 {
		return cluster
	}
	return block
}

func (l *lowering) sreg(name, axis string) string {
	return l.call("i32", "llvm.nvvm.read.ptx.sreg."+name+"."+axis)
}

// onCluster gives a layout a bit for each bit of a block's number: one that knows fewer blocks repeats over the others.
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

// homes says which block of a cluster has which element of a tensor, and where: an element is the sum of a part that all blocks have alike,
// numbered by an offset, and of a part by the block.
type homes struct {
	basis layout.Layout // (offset, block) to coordinates, invertible: block has only the bits that matter
	bits  []int         // which bits of a block's number those are
	twins []int         // for each bit that does not matter, the change of a block's number that leads to a block with the same elements; else 0
}

// homesOf are the homes of a tensor whose layout is ll: of registers, lanes and warps, or of offsets in memory, to coordinates.
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
	h.basis = layout.Must(layout.New([]layout.Bases{{Name: layout.Offset, Vectors: within}, {Name: layout.Block, Vectors: across}}, ll.OutDims()))
	h.twins = make([]int, ll.InBits(layout.Block))
	own := ll.InvertAndCompose(h.basis)
	for k := range h.twins {
		if !slices.Contains(h.bits, k) {
			h.twins[k] = 1<<k ^ h.number(own.BasisAlong(layout.Block, k, layout.Block))
		}
	}
	return h
}

// number is the block's number whose bits that matter are those given.
func (h homes) number(bits int) int {
	n := 0
	for i, k := range h.bits {
		n |= bits >> i & 1 << k
	}
	return n
}

// find maps the places of another layout of the tensor to (offset, block): where the element lies that a place wants. Of blocks with the
// same elements it takes the place's own, if that is one.
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
	return layout.Must(layout.New(ins, []layout.Dim{{Name: layout.Offset, Size: h.basis.InSize(layout.Offset)}, {Name: layout.Block, Size: 1 << len(h.twins)}}))
}

// crossing reports whether a map to (offset, block) leads to other blocks.
func crossing(cvt layout.Layout) bool {
	if !cvt.HasOut(layout.Block) || cvt.OutBits(layout.Block) == 0 {
		return false
	}
	return !cvt.SublayoutIsIdentity(layout.Block) || !cvt.SublayoutIsZero(withoutName(cvt.InNames(), layout.Block), []string{layout.Block})
}

func withoutName(names []string, drop string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == drop })
}

// offsets is the part of a map to (offset, block) that says where in a block's memory.
func offsets(cvt layout.Layout) layout.Layout {
	if !cvt.HasOut(layout.Block) {
		return cvt
	}
	return cvt.Sublayout(cvt.InNames(), []string{layout.Offset})
}

// nearby changes a conversion, which maps places of the result to places of the operand, so that of blocks with the same elements each takes
// its own.
func nearby(cvt, from layout.Layout) layout.Layout {
	free := from.FreeVariablesIn(layout.Block)
	const probe = "probe"
	first := from.Sublayout([]string{layout.Block}, from.OutNames()).RenameIn(layout.Block, probe).InvertAndCompose(from)
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

// exchange is a conversion through shared memory on a cluster.
type exchange struct {
	store, load layout.Layout // places to offsets; those of load to blocks as well
	crosses     bool
}

// newExchange is how a tensor gets from one layout to another. Each block has room for its part alone; where in it an element lies is
// chosen as for one block.
func newExchange(from, to layout.Layout, elemBits int) exchange {
	h := homesOf(from)
	have, want := h.find(from), h.find(to)
	dim := layout.TensorDim(0)
	flatHave, flatWant := offsets(have).RenameOut(layout.Offset, dim), offsets(want).RenameOut(layout.Offset, dim)
	mem := swizzled(flatHave, flatWant, elemBits, nil, false)
	load := flatWant.InvertAndCompose(mem)
	return exchange{flatHave.InvertAndCompose(mem), load.ConcatOuts(want.Sublayout(want.InNames(), []string{layout.Block})), crossing(want)}
}

// size is the number of elements that a block keeps for others.
func (x exchange) size() int { return x.store.OutSize(layout.Offset) }

// moveCluster gives registers another layout through shared memory.
func (l *lowering) moveCluster(src []string, elem ir.Type, from, to layout.Layout, base int, again bool) []string {
	if again {
		l.barrier()
	}
	x := newExchange(from, to, bitsOf(elem))
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

// mapTo is the address, in the window of the cluster, of a place in the shared memory of a block.
func (l *lowering) mapTo(ptr, rank string) string {
	return l.asm("i32", "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r", false, "ptr addrspace(3) "+ptr, "i32 "+rank)
}

// loadFrom reads one element from the shared memory of a block; "" is this one.
func (l *lowering) loadFrom(t ir.Type, base int, off, rank string) string {
	if rank == "" {
		return l.loadShared(t, base, off)
	}
	a := newAccess(t, 1)
	at := l.mapTo(l.sharedAt(l.mul(off, bitsOf(t)/8), itoa(base)), rank)
	return l.unpack(a, l.loadWords(a, "ld.shared::cluster", at, "i32", "r", "", nil))[0]
}

// registerImage is what register reg adds to an output of a layout.
func registerImage(ll layout.Layout, reg int, out string) int {
	c := 0
	for i := range ll.InBits(layout.Register) {
		if reg>>i&1 != 0 {
			c ^= ll.BasisAlong(layout.Register, i, out)
		}
	}
	return c
}

// crossings say, of operations that may use the memory of other blocks, whether they do so last, and end with the cluster's barrier.
var crossings = map[*ir.OpDef]func(l *lowering, op *ir.Op) bool{}

func init() {
	crossings[ttg.ConvertLayout] = func(l *lowering, op *ir.Op) bool {
		t := op.Operand(0).Type.(*ir.TensorType)
		from, to := l.layout(op, t), l.layout(op, op.Result(0).Type)
		return newConversion(from, to, t.Elem).how == byShared && newExchange(from, to, bitsOf(t)).crosses
	}
}

// crosses reports whether an operation ends with the use of other blocks' memory and the cluster's barrier.
func (l *lowering) crosses(op *ir.Op) bool {
	f := crossings[op.Def]
	return l.ctas > 1 && f != nil && f(l, op)
}

// sameFreedom makes sure that an operation that only renames registers leaves every element in its block: operand and result must repeat
// over the same bits.
func (l *lowering) sameFreedom(op *ir.Op, v *ir.Value) {
	if l.ctas == 1 {
		return
	}
	from, to := l.layout(op, v.Type), l.layout(op, op.Result(0).Type)
	for _, in := range threadDims {
		if from.FreeVariablesIn(in) != to.FreeVariablesIn(in) {
			l.fail(op, "num_ctas=%d: the layouts of operand and result do not repeat elements over the same threads", l.ctas)
		}
	}
}

// refuseOnCluster fails for what programs of several blocks cannot do.
func (l *lowering) refuseOnCluster(op *ir.Op, what string) {
	if l.ctas > 1 {
		l.fail(op, "num_ctas=%d: %s", l.ctas, what)
	}
}

// maxCTAs is the largest cluster; one of more than 8 is not to be had on every GPU.
const maxCTAs = 16

// CheckCluster says whether programs can have so many blocks on a GPU of a compute capability.
func CheckCluster(ctas, capability int) error {
	switch {
	case ctas == 1:
		return nil
	case ctas < 1 || ctas > maxCTAs || ctas&(ctas-1) != 0:
		return fmt.Errorf("num_ctas=%d: a cluster has 1, 2, 4, 8 or %d blocks", ctas, maxCTAs)
	case capability < 90:
		return fmt.Errorf("num_ctas=%d: clusters of blocks need compute capability 9.0 or higher, and this is for sm_%d", ctas, capability)
	}
	return nil
}
