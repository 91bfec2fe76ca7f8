// Package codemem has memory for native code. Two linkers put code there: LLVM's, and objcode.
//
// Code is written, then made executable; no page is ever both. Many kernels share a memory map.
package codemem

import (
	"fmt"
	"slices"
	"sync"
)

// Shared is the memory of all code of this process.
var Shared Memory

// Memory is memory for the code of many kernels, so that thousands of live kernels take a few memory maps
// of the process: a system allows some 65,000. A kernel has pages of its own. They are writable while its
// code is linked, then executable, never both.
type Memory struct {
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

// Region is the memory of one kernel.
type Region struct {
	of *Memory
	in *slab
	pages
	used int // bytes taken by sections

	Data bool // it stays writable and never becomes executable
}

// slabSize is the size of a slab that no kernel needs to be larger.
const slabSize = 4 << 20

// Alloc returns writable memory.
func (m *Memory) Alloc(size int) (*Region, error) {
	size = (size + PageSize - 1) &^ (PageSize - 1)
	r, err := m.find(size)
	if err != nil {
		return nil, err
	}
	if err := protect(r.Bytes(), true); err != nil {
		m.giveBack(r.in, r.pages)
		return nil, fmt.Errorf("memory for code cannot be written: %w", err)
	}
	return r, nil
}

// find takes pages from the first slab that has them, or from a new one.
func (m *Memory) find(size int) (*Region, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.slabs {
		if at, ok := s.take(size); ok {
			return &Region{of: m, in: s, pages: pages{at, size}}, nil
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
	return &Region{of: m, in: s, pages: pages{at, size}}, nil
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
func (m *Memory) giveBack(s *slab, p pages) {
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

// Bytes returns the memory.
func (r *Region) Bytes() []byte { return r.in.mem[r.at : r.at+r.size : r.at+r.size] }

// Size returns the number of bytes of the memory.
func (r *Region) Size() int { return r.size }

// Section returns memory for a section, or nil where there is no room.
func (r *Region) Section(size, align int) []byte {
	at := (r.used + align - 1) &^ (align - 1)
	if at+size > r.size {
		return nil
	}
	r.used = at + size
	return r.Bytes()[at:r.used]
}

// Seal makes the code executable and gives back the pages that no section has taken.
func (r *Region) Seal() error {
	if err := protect(r.Bytes(), false); err != nil {
		return fmt.Errorf("memory for code cannot be made executable: %w", err)
	}
	flush(r.Bytes())
	used := max(PageSize, (r.used+PageSize-1)&^(PageSize-1))
	rest := pages{r.at + used, r.size - used}
	r.size = used
	if rest.size > 0 {
		r.of.giveBack(r.in, rest)
	}
	return nil
}

// Release frees the memory. No code in it may be running.
func (r *Region) Release() {
	forget(r.Bytes())
	if protect(r.Bytes(), false) != nil {
		return // these pages are lost
	}
	r.of.giveBack(r.in, r.pages)
}
