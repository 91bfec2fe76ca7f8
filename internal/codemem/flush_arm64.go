//go:build linux

package codemem

import "unsafe"

// flush makes the processor's instruction cache see code that was written as data.
func flush(mem []byte) {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	flushLines(at, at+uintptr(len(mem)))
}

// flushLines cleans the data cache and invalidates the instruction cache of [at, end), 16 bytes at a time: no
// processor has shorter lines.
//
//go:noescape
func flushLines(at, end uintptr)
