package pool

import "unsafe"

// slot is the memory that a thread needs to call native code: the words of the call, which would otherwise be
// allocated each time, and scratch, which grows to the largest kernel's need.
type slot struct {
	words  [6]uintptr
	status [4]int64 // the last is the address of the run's stop word
	mem    []byte
	addr   uintptr // aligned address in mem
	size   int     // bytes from addr on
}

const align = 64

// LargePage is the size in bytes of a large page.
const LargePage = 2 << 20

// scratch returns the address of n bytes. Go's heap does not move, so it stays valid as long as the slot.
// Large scratch lies in large pages where the system has them: packed operands of products are read over and
// over, and more of them than small pages of a translation buffer hold.
func (s *slot) scratch(n int) uintptr {
	if s.size >= n {
		return s.addr
	}
	to := uintptr(align)
	if n >= LargePage {
		to = LargePage
	}
	s.mem = make([]byte, n+int(to))
	s.addr = (uintptr(unsafe.Pointer(&s.mem[0])) + to - 1) &^ (to - 1)
	s.size = n
	if to == LargePage {
		off := int(s.addr - uintptr(unsafe.Pointer(&s.mem[0])))
		InLargePages(s.mem[off : off+n])
	}
	return s.addr
}
