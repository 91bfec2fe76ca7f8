package pool

import "unsafe"

// slot is the memory that a thread needs to call native code: the words of the call, which would otherwise be
// allocated each time, and scratch, which grows to the largest kernel's need.
type slot struct {
	words  [6]uintptr
	status [4]int64 // the last is the address of the run's stop word
	mem    []byte
	addr   uintptr // aligned address in mem
}

const align = 64

// scratch returns the address of n bytes. Go's heap does not move, so it stays valid as long as the slot.
func (s *slot) scratch(n int) uintptr {
	if n > 0 && len(s.mem) < n+align {
		s.mem = make([]byte, n+align)
		s.addr = (uintptr(unsafe.Pointer(&s.mem[0])) + align - 1) &^ (align - 1)
	}
	return s.addr
}
