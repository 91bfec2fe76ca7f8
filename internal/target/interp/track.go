package interp

import (
	"fmt"
	"unsafe"
)

// mark is what a caller fills memory with that has no value yet: words of 8 bytes, at addresses that are
// multiples of 8, the first byte at the lowest address.
var mark = [8]byte{0x2d, 0xb4, 0xf8, 0xc1, 0xa3, 0x57, 0x6d, 0x9e}

// leastMark is how much of a word at the end of a tensor must be as mark has it.
const leastMark = 4

// unmarked returns, for each byte of the caller's memory, 1 if it has a value and 0 if it lies in a word that
// is still mark; nil if all have values.
func unmarked(data []byte) []byte {
	if len(data) == 0 {
		return nil
	}
	var written []byte
	at := int(uintptr(unsafe.Pointer(unsafe.SliceData(data))) % uintptr(len(mark)))
	for lo := 0; lo < len(data); {
		hi := min(lo+len(mark)-at, len(data))
		if hi-lo >= leastMark && string(data[lo:hi]) == string(mark[at:at+hi-lo]) {
			if written == nil {
				written = make([]byte, len(data))
				markWritten(written)
			}
			clear(written[lo:hi])
		}
		lo, at = hi, 0
	}
	return written
}

// checkWritten stops the program at the first element of a run that nobody has written.
func (w *worker) checkWritten(b *Buffer, addr uint64, count, size, i int, shape []int64) {
	off := int(addr - b.addr)
	for k, seen := range b.written[off : off+count*size] {
		if seen == 0 {
			e := w.newFault(fmt.Sprintf("load of %d bytes at offset %d of %s, which nobody has written", size,
				off+k/size*size, b.label()))
			e.Element, e.Uninit = unravel(i+k/size, shape), true
			e.Access, e.Buffer = w.accessOf(b, "load", addr+uint64(k/size*size), size), b.addr
			panic(e)
		}
	}
}

// gridIndex returns the position of a program in the grid.
func (r *run) gridIndex(id int64) []int {
	x, y := int64(r.grid[0]), int64(r.grid[1])
	return []int{int(id % x), int(id / x % y), int(id / x / y)}
}
