package engine

import (
	"container/list"
	"crypto/sha256"
	"encoding/binary"
	"sync/atomic"

	"example.com/llm/model"
)

// pages hands out the pages of the cache. Sequences whose texts begin alike share the pages of that
// beginning: a full page is found by a hash of its tokens and all tokens before them. An unused page keeps
// its contents until its memory is needed. Only the engine's goroutine takes and gives pages.
type pages struct {
	free   []int32 // with nothing in them
	list   []page
	known  map[pageKey]int32
	unused list.List // pages that are known and not in use, the one that was used last at the end
	used   atomic.Int64
}

// page is a page of the cache.
type page struct {
	users  int
	known  bool
	key    pageKey
	unused *list.Element // in pages.unused
}

// pageKey names the contents of a full page: a hash of its tokens and of the key before it.
type pageKey [sha256.Size]byte

func (p *pages) fill(n int) {
	p.list, p.known = make([]page, n), map[pageKey]int32{}
	for i := range n {
		p.free = append(p.free, int32(n-1-i))
	}
}

// keysOf returns the keys of the full pages of a text.
func keysOf(tokens []int) (keys []pageKey) {
	var before pageKey
	for ; len(tokens) >= model.PageSize; tokens = tokens[model.PageSize:] {
		data := before[:]
		for _, id := range tokens[:model.PageSize] {
			data = binary.LittleEndian.AppendUint32(data, uint32(id))
		}
		before = sha256.Sum256(data)
		keys = append(keys, before)
	}
	return keys
}

// take returns n pages, or nil if fewer are left. The first ones, shared in number, already have the contents
// of the first keys.
func (p *pages) take(n int, keys []pageKey) (taken []int32, shared int) {
	room := len(p.free) + p.unused.Len()
	for _, k := range keys {
		i, ok := p.known[k]
		if !ok {
			break
		}
		if p.list[i].users == 0 {
			room--
		}
		taken = append(taken, i)
	}
	shared = len(taken)
	if n-shared > room {
		return nil, 0
	}
	for _, i := range taken {
		p.use(i)
	}
	for len(taken) < n {
		i := p.empty()
		p.use(i)
		taken = append(taken, i)
	}
	return taken, shared
}

// use adds a user of a page.
func (p *pages) use(i int32) {
	x := &p.list[i]
	if x.users++; x.users == 1 {
		p.used.Add(1)
	}
	if x.unused != nil {
		p.unused.Remove(x.unused)
		x.unused = nil
	}
}

// empty returns a page with nothing in it: a free one, or the one that was not used for the longest time.
func (p *pages) empty() int32 {
	if n := len(p.free); n > 0 {
		i := p.free[n-1]
		p.free = p.free[:n-1]
		return i
	}
	i := p.unused.Remove(p.unused.Front()).(int32)
	delete(p.known, p.list[i].key)
	p.list[i] = page{}
	return i
}

// note says what full pages have in them.
func (p *pages) note(taken []int32, keys []pageKey) {
	for i, k := range keys {
		x := &p.list[taken[i]]
		if _, ok := p.known[k]; !ok && !x.known {
			p.known[k], x.known, x.key = taken[i], true, k
		}
	}
}

func (p *pages) give(taken []int32) {
	for _, i := range taken {
		x := &p.list[i]
		if x.users--; x.users > 0 {
			continue
		}
		p.used.Add(-1)
		if x.known {
			x.unused = p.unused.PushBack(i)
		} else {
			p.free = append(p.free, i)
		}
	}
}

func (p *pages) inUse() int { return int(p.used.Load()) }
