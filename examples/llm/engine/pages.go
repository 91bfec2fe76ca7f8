package engine

import "sync/atomic"

// pages hands out the pages of the cache. The engine's goroutine alone takes and gives.
type pages struct {
	free  []int32
	total int
	used  atomic.Int64
}

func (p *pages) fill(n int) {
	p.total = n
	for i := range n {
		p.free = append(p.free, int32(n-1-i))
	}
}

// take returns n pages, or nil if there are not so many.
func (p *pages) take(n int) []int32 {
	if n > len(p.free) {
		return nil
	}
	at := len(p.free) - n
	list := append([]int32(nil), p.free[at:]...)
	p.free = p.free[:at]
	p.used.Add(int64(n))
	return list
}

func (p *pages) give(list []int32) {
	p.free = append(p.free, list...)
	p.used.Add(-int64(len(list)))
}

func (p *pages) inUse() int { return int(p.used.Load()) }
