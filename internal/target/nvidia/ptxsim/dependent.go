package ptxsim

// A launch may begin before the one before it has ended (programmatic dependent launch). Its threads then
// must not read what that launch writes, nor write what it accesses, before they are behind a
// griddepcontrol.wait, which waits for its end. The simulator runs launches one after the other, so results
// do not show a missing wait: accesses before the wait are compared with all those of the launch before.

// Touched is the global memory that a launch has accessed.
type Touched struct{ pages map[uint64]*touchedPage }

type touchedPage struct{ read, written [pageSize / 64]uint64 }

// NewTouched returns an empty set.
func NewTouched() *Touched { return &Touched{pages: map[uint64]*touchedPage{}} }

// add notes an access to n bytes.
func (s *Touched) add(addr uint64, n int, write bool) {
	for i := range uint64(n) {
		a := addr + i
		p := s.pages[a/pageSize]
		if p == nil {
			p = new(touchedPage)
			s.pages[a/pageSize] = p
		}
		word, bit := a%pageSize/64, uint64(1)<<(a%64)
		p.read[word] |= bit
		if write {
			p.written[word] |= bit
		}
	}
}

// has reports whether one of n bytes was accessed, or written.
func (s *Touched) has(addr uint64, n int, written bool) bool {
	for i := range uint64(n) {
		a := addr + i
		p := s.pages[a/pageSize]
		if p == nil {
			continue
		}
		in := &p.read
		if written {
			in = &p.written
		}
		if in[a%pageSize/64]>>(a%64)&1 != 0 {
			return true
		}
	}
	return false
}

// merge adds all of another set, which may be nil.
func (s *Touched) merge(other *Touched) {
	if other == nil {
		return
	}
	for n, p := range other.pages {
		mine := s.pages[n]
		if mine == nil {
			s.pages[n] = p
			continue
		}
		for i := range p.read {
			mine.read[i] |= p.read[i]
			mine.written[i] |= p.written[i]
		}
	}
}

// gridWait is griddepcontrol.wait: the launch before has ended for the threads, and for all that come behind
// them.
func gridWait(s *stmt) (action, error) {
	if !s.has("wait") {
		return nothing(s)
	}
	return func(c *block, act []int32) {
		if c.waits == nil || c.globals == nil {
			return
		}
		c.globals.waited = true
		for _, t := range act {
			c.waits.threads[t] = true
			c.waits.first[t/32] = c.now(t)
		}
	}, nil
}

// gridWaits says which threads of a block have waited for the launch before.
type gridWaits struct {
	threads []bool
	first   []stamp // a wait of each warp; the time of one that has not waited is 0
}

// newGridWaits returns nil if the launch before has ended.
func newGridWaits(l *Launch, n int) *gridWaits {
	if l.Before == nil {
		return nil
	}
	return &gridWaits{make([]bool, n), make([]stamp, (n+31)/32)}
}

// behindWait reports whether a thread is behind a wait of its own or of a thread of the block that it has met
// since.
func (c *block) behindWait(t int32) bool {
	if c.waits == nil || c.waits.threads[t] {
		return true
	}
	for _, w := range c.waits.first {
		if w.gen != 0 && c.ordered(w, c.now(t)) {
			return true
		}
	}
	return false
}

// depend notes an access for the next launch, and compares it with those of the launch before.
func (c *block) depend(t int32, addr uint64, n int, write bool) {
	if s := c.launch.Touched; s != nil {
		s.add(addr, n, write)
	}
	if c.behindWait(t) || !c.launch.Before.has(addr, n, !write) {
		return
	}
	what, other := "reads", "writes"
	if write {
		what, other = "writes", "accesses"
	}
	c.fail(t, "%s global memory at %#x before griddepcontrol.wait, and the launch before, which may still run, "+
		"%s it", what, addr, other)
}
