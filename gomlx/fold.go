package gomlx

import (
	"slices"

	"github.com/gomlx/compute"
)

// Constant folding: a node that depends on constants alone, and costs more than a few instructions for each
// element, is computed when the program is made.

// mostFolded is how many bytes a folded node may have.
const mostFolded = 64 << 20

// fold computes such nodes and keeps their memory.
func (l *lowering) fold() error {
	list := l.foldable()
	if len(list) == 0 {
		return nil
	}
	// a function of the same nodes, with these results
	f := &Function{builder: l.fn.builder, name: l.fn.name, nodes: l.fn.nodes, outputs: list}
	p, err := l.b.lowered(f, false)
	if err != nil {
		return err
	}
	defer p.release()
	made, err := p.run(nil, nil, foldDepth)
	if err != nil {
		return err
	}
	for i, n := range list {
		l.folded[n] = made[i]
	}
	return nil
}

// foldDepth is the depth of calls at which folded nodes are computed: that of no other program under way.
const foldDepth = 64

// foldable returns nodes that only depend on constants, and that others, or outputs, need.
func (l *lowering) foldable() (list []*node) {
	constant, cost := map[*node]bool{}, map[*node]int{}
	for _, n := range l.fn.nodes {
		ok := n.op != compute.OpTypeParameter && n.op != opCapture && n.op != opPart && n.subs == nil &&
			n.outs == nil
		c := 0
		for _, in := range n.inputs {
			ok = ok && constant[in]
			c += cost[in]
		}
		constant[n] = ok
		switch {
		case n.op == compute.OpTypeConstant || n.op == compute.OpTypeIota:
		case !fusible(n):
			c += 100
		case !moves[n.op]:
			c += max(1, weights[n.op])
		}
		cost[n] = min(c, 1000)
	}
	needed := map[*node]bool{}
	for _, n := range l.fn.outputs {
		needed[n] = true
	}
	for _, n := range l.fn.nodes {
		if !constant[n] {
			for _, in := range n.inputs {
				needed[in] = true
			}
		}
	}
	for _, n := range l.fn.nodes {
		if constant[n] && needed[n] && cost[n] > cheapCost && n.shape.Size() > 0 &&
			bytesOf(n.shape.DType, n.shape.Size()) <= mostFolded {
			list = append(list, n)
		}
	}
	return slices.Clip(list)
}
