package ptxsim

// Asynchronous instructions begin when a thread issues them and have ended when a thread has waited for them.
// In between they read and write at moments of their own. The checks of races take the whole time between for
// such a moment; Order.Ends says when the bytes move in fact, so that a kernel's result shows what the checks
// do not know.

// early reports whether an asynchronous instruction that is issued now does its work at once.
func (c *block) early() bool {
	switch c.launch.Order.Ends {
	case Earliest:
		return true
	case EndsAny:
		return c.turns.rand.IntN(4) == 0
	}
	return false
}

// late reports whether products are computed later than they are issued.
func (c *block) late() bool { return c.launch.Order.Ends >= Latest && !c.early() }

// someEnd lets some of the asynchronous instructions under way do their work, where they may at any time.
func (c *block) someEnd() {
	if c.launch.Order.Ends != EndsAny {
		return
	}
	r := c.turns.rand
	switch r.IntN(8) {
	case 0:
		if n := len(c.barriers); n > 0 {
			c.barriers[r.IntN(n)].move(func() bool { return r.IntN(2) == 0 })
		}
	case 1:
		c.moveCopies(int32(r.IntN(c.n)), func() bool { return r.IntN(2) == 0 })
	case 2:
		if t := r.IntN(c.n); t < len(c.bulks) {
			c.bulks[t].move(c, func() bool { return r.IntN(2) == 0 })
		}
	case 3:
		if w := r.IntN((c.n + 31) / 32); w < len(c.products) {
			c.products[w].compute(1 + r.IntN(4))
		}
	}
}

// move moves the bytes of some copies that an mbarrier waits for.
func (b *mbarrier) move(chosen func() bool) {
	for _, l := range b.landed {
		if chosen() {
			l.move()
		}
	}
	for _, l := range b.copies {
		if chosen() {
			l.move()
		}
	}
}

// moveCopies moves the bytes of some asynchronous copies of a thread.
func (c *block) moveCopies(t int32, chosen func() bool) {
	p := &c.pending[t]
	for i := range p.now {
		if chosen() {
			c.move(t, &p.now[i])
		}
	}
	for _, g := range p.groups {
		for i := range g {
			if chosen() {
				c.move(t, &g[i])
			}
		}
	}
}

// move lets some bulk copies of a thread read shared memory, and write global memory.
func (g *bulkGroups) move(c *block, chosen func() bool) {
	some := func(q *bulkStore) {
		if chosen() {
			c.fill(q)
			if chosen() {
				q.put()
			}
		}
	}
	for _, q := range g.now {
		some(q)
	}
	for _, group := range g.groups {
		for _, q := range group {
			some(q)
		}
	}
}
