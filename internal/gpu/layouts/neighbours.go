package layouts

import (
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// neighbours knows the widest access of each kind among those that an op is connected with, over operands,
// uses and what is nested in an op, within its function.
//
// An op with regions is connected with all ops in them, and these with it only if they use its arguments. All
// other connections go both ways, so ops fall into groups whose members have the same neighbours.
type neighbours struct {
	group map[*ir.Op]int
	own   []map[string]int64 // by group: the widest access of each kind
	inner []map[int]bool     // by group: the groups of the ops nested in its ops
	all   []map[string]int64 // own and all that inner reaches; computed when first asked for
}

// newNeighbours looks at the accesses for which kind is ok.
func newNeighbours(m *ir.Module, kind func(*ir.Op) (kind string, width int64, ok bool)) *neighbours {
	n := &neighbours{group: map[*ir.Op]int{}}
	for op := range m.Op.Ops() {
		if _, known := n.group[op]; !known && isConnected(op) {
			n.gather(op)
		}
	}
	n.all = make([]map[string]int64, len(n.own))
	for op, g := range n.group {
		if k, width, ok := kind(op); ok {
			n.own[g][k] = max(n.own[g][k], width)
		}
		for _, r := range op.Regions() {
			for b := range r.Blocks() {
				for in := range b.Ops() {
					n.inner[g][n.group[in]] = true
				}
			}
		}
	}
	return n
}

// isConnected reports whether an op belongs to a function's body: it is neither the function nor the module.
func isConnected(op *ir.Op) bool { return op.Def != tt.Func && !op.Def.Has(ir.SymbolTableOp) }

// gather makes the group of an op.
func (n *neighbours) gather(op *ir.Op) {
	g := len(n.own)
	n.own, n.inner = append(n.own, map[string]int64{}), append(n.inner, map[int]bool{})
	var list []*ir.Op
	add := func(o *ir.Op) {
		if _, known := n.group[o]; !known && isConnected(o) {
			n.group[o] = g
			list = append(list, o)
		}
	}
	users := func(values []*ir.Value) {
		for _, v := range values {
			for u := range v.Users() {
				add(u)
			}
		}
	}
	add(op)
	for len(list) > 0 {
		o := list[len(list)-1]
		list = list[:len(list)-1]
		for _, v := range o.Operands() {
			if v.IsArg() {
				add(v.Block().Parent())
			} else {
				add(v.Def())
			}
		}
		users(o.Results())
		for _, r := range o.Regions() {
			for b := range r.Blocks() {
				users(b.Args())
			}
		}
	}
}

// widest returns the widest access of a kind among the neighbours of an op, itself included; 0 if there is
// none.
func (n *neighbours) widest(op *ir.Op, kind string) int64 {
	g := n.group[op]
	if n.all[g] == nil {
		n.all[g] = n.reach(g)
	}
	return n.all[g][kind]
}

// reach returns the widest accesses of a group and of those nested in it.
func (n *neighbours) reach(g int) map[string]int64 {
	all, seen, list := map[string]int64{}, map[int]bool{g: true}, []int{g}
	for i := 0; i < len(list); i++ {
		for k, width := range n.own[list[i]] {
			all[k] = max(all[k], width)
		}
		for in := range n.inner[list[i]] {
			if !seen[in] {
				seen[in] = true
				list = append(list, in)
			}
		}
	}
	return all
}
