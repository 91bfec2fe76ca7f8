package ptxsim

import "slices"

// What products of warp groups must not meet with while they are under way, from wgmma.mma_async to the
// wgmma.wait_group that covers their group:
//
//   - nobody reads or writes the registers of the result, nobody writes those of A. A copy from one
//     register to another is let through, since the assembler makes one register of both: the copy is under
//     way then too;
//   - nobody writes the shared memory that they read, nor before a barrier has shown that their warp has
//     waited;
//   - what threads stored there by themselves was followed by fence.proxy.async, of the writer, or of the
//     reader behind a barrier. So was what cp.async brought, with Launch.CopyFences;
//   - wgmma.fence comes before the first product of a group.

// product is a product that is under way in a warp.
type product struct {
	dst, src []int32 // registers
	units    []int32 // addresses in units of 16 bytes of shared memory
	compute  func()  // computes the result, where that was put off
}

// products are the asynchronous products (wgmma) of a warp that have not completed.
type products struct {
	groups [][]*product // groups that were committed, the oldest first
	now    []*product
	fenced bool
	busy   map[int32]int // registers that results will come to, or came from, and how often
	needed map[int32]int // registers of A
}

// fences are a thread's fence.proxy.async for one kind of memory: its time at each, and what it had seen at
// the last.
type fences struct {
	times []int32
	seen  clock
}

// add notes a fence of a thread of the cluster.
func (f *fences) add(k *clocks, who int32) {
	f.times, f.seen = append(f.times, k.now[who]), k.seen[who]
}

// since reports whether a write of thread w of the cluster, made at a time, when w had so many fences behind
// it, was shown by a fence that thread who is behind: one of w, or one of who itself, whose fences are own.
func (f *fences) since(k *clocks, w, time, behind int32, own *fences, who int32) bool {
	if int(behind) < len(f.times) && k.before(w, f.times[behind]+1, who) {
		return true
	}
	return own.seen.has(w, time)
}

// after reports whether thread who is behind a fence that came after a read of thread w of the cluster: one
// of w, whose fences are f, or one of who itself.
func (f *fences) after(k *clocks, w, time int32, own *fences, who int32) bool {
	i, _ := slices.BinarySearch(f.times, time) // a fence ends the time at which it is
	return f.since(k, w, time, int32(i), own, who)
}

// touched are the registers of an instruction.
type touched struct {
	all     []int32
	written []int32
	kind    touchKind
}

type touchKind uint8

const (
	touchesAny   touchKind = iota
	touchesMove            // the value stays what it is
	touchesGroup           // wgmma itself
)

// storing are instructions whose first operand is nothing that they write.
var storing = map[string]bool{"st": true, "red": true, "stmatrix": true, "cp": true, "tensormap": true,
	"bar": true, "prefetch": true, "discard": true}

// touches returns the registers that an instruction reads or writes.
func (s *stmt) touches(guard int) touched {
	var t touched
	var collect func(o operand) []int32
	collect = func(o operand) []int32 {
		if o.kind == isReg {
			return []int32{int32(o.reg)}
		}
		var out []int32
		for _, e := range o.elems {
			out = append(out, collect(e)...)
		}
		return out
	}
	for i, o := range s.ops {
		regs := collect(o)
		t.all = append(t.all, regs...)
		if i == 0 && !storing[s.name] {
			t.written = regs
		}
	}
	if guard >= 0 {
		t.all = append(t.all, int32(guard))
	}
	switch s.name {
	case "mov":
		t.kind = touchesMove
	case "wgmma":
		t.kind = touchesGroup
	}
	return t
}

func (c *block) productsOf(w int) *products {
	if c.products == nil {
		c.products = make([]products, (c.n+31)/32)
	}
	p := &c.products[w]
	if p.busy == nil {
		p.busy, p.needed = map[int32]int{}, map[int32]int{}
	}
	return p
}

func (p *products) open() int {
	n := len(p.now)
	for _, g := range p.groups {
		n += len(g)
	}
	return n
}

// commit makes a group of the products issued since the last group.
func (p *products) commit() {
	p.groups = append(p.groups, p.now)
	p.now, p.fenced = nil, false
}

// all calls f with each product under way.
func (p *products) all(f func(q *product)) {
	for _, g := range append(slices.Clone(p.groups), p.now) {
		for _, q := range g {
			f(q)
		}
	}
}

// compute computes the first n products that were put off, in their order.
func (p *products) compute(n int) {
	p.all(func(q *product) {
		if q.compute != nil && n > 0 {
			q.compute()
			q.compute, n = nil, n-1
		}
	})
}

// startProduct checks that a product may be issued.
func (c *block) startProduct(w int, q *product) {
	p := c.productsOf(w)
	t := int32(32 * w)
	if !p.fenced {
		c.fail(t, "no wgmma.fence before the first product of a group")
	}
	for _, r := range q.src {
		if p.busy[r] > 0 {
			c.fail(t, "an operand is the result of a product under way")
		}
	}
	for _, r := range q.dst {
		if p.needed[r] > 0 {
			c.fail(t, "the result goes where a product under way has an operand")
		}
	}
}

// issueProduct takes up a product that was computed.
func (c *block) issueProduct(w int, q *product) {
	p := c.productsOf(w)
	for _, r := range q.dst {
		p.busy[r]++
	}
	for _, r := range q.src {
		p.needed[r]++
	}
	if c.races != nil {
		slices.Sort(q.units)
		q.units = slices.Compact(q.units)
		for _, u := range q.units {
			c.races.readMatrix(c, int32(32*w), int(u))
			c.races.reading[u]++
		}
	}
	p.now = append(p.now, q)
	c.underWay++
}

// waitProducts waits until n groups of a warp are under way.
func (c *block) waitProducts(w, n int) {
	p := c.productsOf(w)
	for len(p.groups) > n {
		p.compute(len(p.groups[0]))
		for _, q := range p.groups[0] {
			c.endProduct(w, p, q)
		}
		p.groups = p.groups[1:]
	}
	var lanes [32]int32
	for i := range lanes {
		lanes[i] = int32(32*w + i)
	}
	c.meet(lanes[:]) // the product is one of the warp, each of whose threads is behind it now
}

func (c *block) endProduct(w int, p *products, q *product) {
	for _, r := range q.dst {
		if p.busy[r]--; p.busy[r] == 0 {
			delete(p.busy, r)
		}
	}
	for _, r := range q.src {
		if p.needed[r]--; p.needed[r] == 0 {
			delete(p.needed, r)
		}
	}
	if c.races != nil {
		for _, u := range q.units {
			c.races.reading[u]--
			c.races.note(c, c, int32(32*w), int(u)*16, 16, readsAsync)
		}
	}
	c.underWay--
}

// checkProducts looks at an instruction while products are under way.
func (c *block) checkProducts(in *instr, act []int32) {
	p := &c.products[act[0]/32]
	if len(p.busy) == 0 && len(p.needed) == 0 || in.touches.kind == touchesGroup {
		return
	}
	for _, r := range in.touches.written {
		if p.needed[r] > 0 {
			c.fail(act[0], "a register is written that a product under way has as an operand")
		}
	}
	for _, r := range in.touches.all {
		if p.busy[r] == 0 {
			continue
		}
		if in.touches.kind != touchesMove {
			c.fail(act[0], "a register is used that a product under way writes, without a wait")
		}
		c.copyBusy(p, in, act)
		return
	}
}

// copyBusy lets the results of products under way be known by the registers that they are copied to.
func (c *block) copyBusy(p *products, in *instr, act []int32) {
	from := in.touches.all[len(in.touches.written):]
	if len(from) == 0 || !slices.ContainsFunc(from, func(r int32) bool { return p.busy[r] > 0 }) {
		c.fail(act[0], "a register is written that a product under way writes")
	}
	p.compute(p.open()) // the copy has the result, as the one register would that both become
	p.all(func(q *product) {
		if !slices.ContainsFunc(from, func(r int32) bool { return slices.Contains(q.dst, r) }) {
			return
		}
		q.dst = slices.Clone(q.dst)
		for _, r := range in.touches.written {
			if !slices.Contains(q.dst, r) {
				q.dst = append(q.dst, r)
				p.busy[r]++
			}
		}
	})
}

// isRead reports whether products or bulk copies under way read some of n bytes.
func (r *races) isRead(addr, n int) bool {
	for u := addr >> 4; u <= (addr+n-1)>>4; u++ {
		if r.reading[u] > 0 {
			return true
		}
	}
	return false
}

// readMatrix notes that a product of thread t's warp reads 16 bytes.
func (r *races) readMatrix(c *block, t int32, unit int) {
	r.note(c, c, t, unit*16, 16, readsAsync)
	r.shown(c, t, unit*16, 16)
}
