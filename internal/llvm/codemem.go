package llvm

import (
	"fmt"
	"slices"
	"sync"
)

// codeMemory is memory for the code of many kernels, so that thousands of live kernels take a few memory maps
// of the process: a system allows some 65,000. A kernel has pages of its own. They are writable while its
// code is linked, then executable, never both.
type codeMemory struct {
	mu    sync.Mutex
	slabs []*slab
}

// slab is one memory map, all of it executable but for what is being linked.
type slab struct {
	mem  []byte
	free []pages // sorted, no two of them adjacent
}

// pages is a run of bytes of a slab, a whole number of pages.
type pages struct{ at, size int }

// codeRegion is the memory of one kernel.
type codeRegion struct {
	of *codeMemory
	in *slab
	pages
	used     int  // bytes taken by sections
	writable bool // it is data, which never becomes executable
}

// slabSize is the size of a slab that no kernel needs to be larger.
const slabSize = 4 << 20

// alloc returns writable memory.
func (m *codeMemory) alloc(size int) (*codeRegion, error) {
	size = (size + pageSize - 1) &^ (pageSize - 1)
	r, err := m.find(size)
	if err != nil {
		return nil, err
	}
	if err := protect(r.bytes(), true); err != nil {
		m.giveBack(r.in, r.pages)
		return nil, fmt.Errorf("memory for code cannot be written: %w", err)
	}
	return r, nil
}

// find takes pages from the first slab that has them, or from a new one.
func (m *codeMemory) find(size int) (*codeRegion, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.slabs {
		if at, ok := s.take(size); ok {
			return &codeRegion{of: m, in: s, pages: pages{at, size}}, nil
		}
	}
	n := max(size, slabSize)
	mem, err := mapCode(n)
	if err != nil {
		return nil, fmt.Errorf("no memory for code: %w", err)
	}
	s := &slab{mem: mem, free: []pages{{0, n}}}
	m.slabs = append(m.slabs, s)
	at, _ := s.take(size)
	return &codeRegion{of: m, in: s, pages: pages{at, size}}, nil
}

// take takes pages from the first run that has them.
func (s *slab) take(size int) (at int, ok bool) {
	for i := range s.free {
		f := &s.free[i]
		if f.size < size {
			continue
		}
		at = f.at
		if f.at, f.size = f.at+size, f.size-size; f.size == 0 {
			s.free = slices.Delete(s.free, i, i+1)
		}
		return at, true
	}
	return 0, false
}

// giveBack makes pages free, and unmaps a slab that is empty unless it is the last.
func (m *codeMemory) giveBack(s *slab, p pages) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s.put(p)
	if len(s.free) == 1 && s.free[0].size == len(s.mem) && len(m.slabs) > 1 {
		m.slabs = slices.DeleteFunc(m.slabs, func(o *slab) bool { return o == s })
		unmapCode(s.mem)
	}
}

// put adds pages to the free ones.
func (s *slab) put(p pages) {
	i, _ := slices.BinarySearchFunc(s.free, p, func(a, b pages) int { return a.at - b.at })
	s.free = slices.Insert(s.free, i, p)
	if i+1 < len(s.free) && p.at+p.size == s.free[i+1].at {
		s.free[i].size += s.free[i+1].size
		s.free = slices.Delete(s.free, i+1, i+2)
	}
	if i > 0 && s.free[i-1].at+s.free[i-1].size == p.at {
		s.free[i-1].size += s.free[i].size
		s.free = slices.Delete(s.free, i, i+1)
	}
}

func (r *codeRegion) bytes() []byte { return r.in.mem[r.at : r.at+r.size : r.at+r.size] }

// section returns memory for a section, or nil where there is no room.
func (r *codeRegion) section(size, align int) []byte {
	at := (r.used + align - 1) &^ (align - 1)
	if at+size > r.size {
		return nil
	}
	r.used = at + size
	return r.bytes()[at:r.used]
}

// seal makes the code executable and gives back the pages that no section has taken.
func (r *codeRegion) seal() error {
	if err := protect(r.bytes(), false); err != nil {
		return fmt.Errorf("memory for code cannot be made executable: %w", err)
	}
	used := max(pageSize, (r.used+pageSize-1)&^(pageSize-1))
	rest := pages{r.at + used, r.size - used}
	r.size = used
	if rest.size > 0 {
		r.of.giveBack(r.in, rest)
	}
	return nil
}

// release frees the memory. No code in it may be running.
func (r *codeRegion) release() {
	forget(r.bytes())
	if protect(r.bytes(), false) != nil {
		return // these pages are lost
	}
	r.of.giveBack(r.in, r.pages)
}
