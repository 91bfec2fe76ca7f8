package lower

import (
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// gatherPlan says how elements are found in the memory of a cluster's blocks.
type gatherPlan struct {
	homes
	where layout.Layout // maps coordinates to (offset, block)
	own   layout.Layout // maps places of the result to (offset, block) as if all indices were zero
	axis  string
}

func (l *lowering) newGather(op *ir.Op) gatherPlan {
	from, to := l.layout(op, op.Operand(0).Type), l.layout(op, op.Result(0).Type)
	g := gatherPlan{homes: homesOf(from), axis: layout.TensorDim(int(op.IntOr("axis", 0)))}
	g.where = g.basis.Invert()
	// The result's size along the axis may differ from the source's, so its coordinate there is set to zero.
	var ins []layout.Bases
	at := int(op.IntOr("axis", 0))
	for _, b := range to.AllBases() {
		n := layout.Bases{Name: b.Name}
		for _, v := range b.Vectors {
			w := append([]int{}, v...)
			w[at] = 0
			n.Vectors = append(n.Vectors, w)
		}
		ins = append(ins, n)
	}
	g.own = g.find(layout.Must(layout.New(ins, from.OutDims())))
	return g
}

// crosses reports whether an index may lead to another block.
func (g gatherPlan) crosses() bool {
	return crossing(g.own) || !g.where.SublayoutIsZero([]string{g.axis}, []string{layout.Block})
}

// gatherCluster lowers a gather on a cluster: each block writes its part of the source to its own memory.
func (l *lowering) gatherCluster(op *ir.Op) {
	src, idx := op.Operand(0), op.Operand(1)
	from, to := l.layout(op, src.Type), l.layout(op, op.Result(0).Type)
	elem, base := ir.ElemOf(src.Type), l.alloc.scratch(op)[0]
	g := l.newGather(op)
	crosses := g.crosses()
	l.storeAll(scratchAt(base, elem), offsets(g.find(from)), l.regs(src),
		from.FreeVariablesIn(layout.Register), l.ownsInBlock(from))
	l.meet(crosses)
	out := make([]string, to.InSize(layout.Register))
	part, block := l.threadPart(g.own, layout.Offset), l.threadPart(g.own, layout.Block)
	for r := range out {
		i := l.toI32(l.regs(idx)[r], ir.ElemOf(idx.Type))
		off := l.xor(l.xor(part, itoa(registerImage(g.own, r, layout.Offset))),
			l.along(g.where, g.axis, i, layout.Offset, nil))
		rank := ""
		if crosses {
			rank = l.xor(l.xor(block, itoa(registerImage(g.own, r, layout.Block))),
				l.along(g.where, g.axis, i, layout.Block, g.number))
		}
		out[r] = l.loadFrom(elem, base, off, rank)
	}
	if crosses {
		l.clusterBarrier()
	}
	l.set(op.Result(0), out)
}

// along returns the part of output out that x, a value of input in known only at run time, contributes.
// number, if not nil, is applied to the images.
func (l *lowering) along(ll layout.Layout, in, x, out string, number func(int) int) string {
	acc := "0"
	for k := range ll.InBits(in) {
		image := ll.BasisAlong(in, k, out)
		if number != nil {
			image = number(image)
		}
		if image != 0 {
			acc = l.xor(acc, l.field(x, k, 1, image))
		}
	}
	return acc
}

// bins returns the counts of a histogram: summed over all blocks if crosses, else this block's, which has
// counted everything.
func (l *lowering) bins(b smem, cvt layout.Layout, crosses bool) []string {
	if !crosses {
		return l.loadAll(b, cvt)
	}
	var sum []string
	for rank := range l.ctas {
		part := l.loadBlock(b, cvt, rank)
		for i, v := range part {
			if rank > 0 {
				part[i] = l.val("add i32 %s, %s", sum[i], v)
			}
		}
		sum = part
	}
	l.clusterBarrier()
	return sum
}

func gatherCrosses(l *lowering, op *ir.Op) bool { return l.newGather(op).crosses() }

// histogramCrosses reports whether blocks must add up their counts: a block that holds all elements counts
// alone.
func histogramCrosses(l *lowering, op *ir.Op) bool {
	ll := l.layout(op, op.Operand(0).Type)
	return ll.FreeVariablesIn(layout.Block) != ll.InSize(layout.Block)-1
}
