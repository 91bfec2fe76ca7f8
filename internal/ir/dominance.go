package ir

// Dominance answers which value is visible where. It is computed for one region at a time, when first asked,
// and is out of date once blocks or branches change.
type Dominance struct {
	regions map[*Region]*domTree
}

// NewDominance returns a dominance analysis that knows nothing yet.
func NewDominance() *Dominance { return &Dominance{regions: map[*Region]*domTree{}} }

// domTree is the dominator tree of a region with several blocks (Cooper, Harvey and Kennedy's algorithm).
type domTree struct {
	order   []*Block       // reverse postorder; unreachable blocks are absent
	number  map[*Block]int // position in order
	idom    []int
	in, out []int // entry and exit times of a walk over the tree: ancestry in constant time
}

func (d *Dominance) tree(r *Region) *domTree {
	if t := d.regions[r]; t != nil {
		return t
	}
	t := buildDomTree(r)
	d.regions[r] = t
	return t
}

func buildDomTree(r *Region) *domTree {
	order := reversePostorder(r.first)
	t := &domTree{order: order, number: make(map[*Block]int, len(order)), idom: make([]int, len(order))}
	for i, b := range order {
		t.number[b] = i
		t.idom[i] = -1
	}
	preds := make([][]int, len(order))
	for i, b := range order {
		for _, s := range b.Successors() {
			preds[t.number[s]] = append(preds[t.number[s]], i)
		}
	}
	t.idom[0] = 0
	for changed := true; changed; {
		changed = false
		for i := 1; i < len(order); i++ {
			dom := -1
			for _, p := range preds[i] {
				switch {
				case t.idom[p] < 0:
				case dom < 0:
					dom = p
				default:
					dom = t.meet(dom, p)
				}
			}
			if t.idom[i] != dom {
				t.idom[i], changed = dom, true
			}
		}
	}
	t.number1(len(order))
	return t
}

func (t *domTree) meet(a, b int) int {
	for a != b {
		for a > b {
			a = t.idom[a]
		}
		for b > a {
			b = t.idom[b]
		}
	}
	return a
}

// number1 gives each block the times at which a walk over the dominator tree enters and leaves it.
func (t *domTree) number1(n int) {
	children := make([][]int, n)
	for i := 1; i < n; i++ {
		children[t.idom[i]] = append(children[t.idom[i]], i)
	}
	t.in, t.out = make([]int, n), make([]int, n)
	type frame struct{ node, child int }
	clock, stack := 0, []frame{{0, 0}}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.child == 0 {
			t.in[f.node] = clock
			clock++
		}
		if f.child < len(children[f.node]) {
			f.child++
			stack = append(stack, frame{children[f.node][f.child-1], 0})
			continue
		}
		t.out[f.node] = clock
		stack = stack[:len(stack)-1]
	}
}

func reversePostorder(entry *Block) []*Block {
	type frame struct {
		b    *Block
		next int
	}
	seen := map[*Block]bool{entry: true}
	stack := []frame{{entry, 0}}
	var post []*Block
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		succs := f.b.Successors()
		if f.next < len(succs) {
			s := succs[f.next]
			f.next++
			if !seen[s] {
				seen[s] = true
				stack = append(stack, frame{s, 0})
			}
			continue
		}
		post = append(post, f.b)
		stack = stack[:len(stack)-1]
	}
	for i, j := 0, len(post)-1; i < j; i, j = i+1, j-1 {
		post[i], post[j] = post[j], post[i]
	}
	return post
}

// BlockDominates reports whether a dominates b, two blocks of one region. Everything dominates an unreachable
// block.
func (d *Dominance) BlockDominates(a, b *Block) bool {
	if a == b || a.region.first == a && a.region == b.region {
		return true
	}
	t := d.tree(a.region)
	nb, ok := t.number[b]
	if !ok {
		return true
	}
	na, ok := t.number[a]
	return ok && t.in[na] <= t.in[nb] && t.out[nb] <= t.out[na]
}

// IsReachable reports whether control can reach b from its region's entry.
func (d *Dominance) IsReachable(b *Block) bool {
	if b.region.first == b {
		return true
	}
	_, ok := d.tree(b.region).number[b]
	return ok
}

// Idom returns the block that immediately dominates b, or nil for an entry or unreachable block.
func (d *Dominance) Idom(b *Block) *Block {
	t := d.tree(b.region)
	n, ok := t.number[b]
	if !ok || n == 0 {
		return nil
	}
	return t.order[t.idom[n]]
}

// Dominates reports whether v may be used by op.
func (d *Dominance) Dominates(v *Value, op *Op) bool {
	def := v.Block()
	if def == nil {
		return false
	}
	// Climb from op to the block's region.
	for op.block != nil && op.block.region != def.region {
		op = op.block.region.parent
		if op == nil {
			return false
		}
	}
	if op.block == nil {
		return false
	}
	if v.op == nil || def != op.block {
		return d.BlockDominates(def, op.block)
	}
	return v.op != op && v.op.Before(op)
}
