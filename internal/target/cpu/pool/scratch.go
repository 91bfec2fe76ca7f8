package pool

import "unsafe"

// slot is what one thread needs to call native code: the words of the call, kept since they would otherwise be allocated each time, and
// scratch, which grows to what the largest kernel so far needed.
type slot struct {
	words  [6]uintptr
	status [4]int64 // the last is the address of the run's stop word
	mem    []byte
	addr   uintptr // in mem, aligned
}

const align = 64

// scratch is the address of n bytes. Go's heap does not move, so that it is good while the slot is.
func (s *slot) scratch(n int) uintptr {
	if n > 0 && len(s.mem) < n+align {
		s.mem = make([]byte, n+align)
		s.addr = (uintptr(unsafe.Pointer(&s.mem[0])) + align - 1) &^ (align - 1)
	}
	return s.addr
}
