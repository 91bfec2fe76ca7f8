//go:build !(linux && amd64) || nereid_static

package dl

import (
	"sync"
	"unsafe"
)

// heapLaunch is a Launch in memory that does not move.
type heapLaunch struct {
	args   [11]uintptr
	words  [MaxWords]uint64
	params [MaxWords]*uint64
}

var heapLaunches = sync.Pool{New: func() any {
	h := new(heapLaunch)
	for i := range h.words {
		h.params[i] = &h.words[i]
	}
	return h
}}

// Call makes the call.
func (l *Launch) Call() uint32 {
	h := heapLaunches.Get().(*heapLaunch)
	defer heapLaunches.Put(h)
	copy(h.words[:], unsafe.Slice(l.Words, l.N))
	k := l.Kernel
	h.args = [11]uintptr{
		k.function, uintptr(l.Grid[0]), uintptr(l.Grid[1]), uintptr(l.Grid[2]), uintptr(k.Block[0]),
		uintptr(k.Block[1]), uintptr(k.Block[2]), uintptr(k.Shared), l.Stream,
		uintptr(unsafe.Pointer(&h.params[0])), 0,
	}
	return uint32(Call(k.fn, h.args[:]...))
}

func launchEntry() uintptr { return 0 }
