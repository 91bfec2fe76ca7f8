//go:build !nereid_static

package dl

import "unsafe"

// Call makes the call.
func (l *Launch) Call() uint32 { return uint32(cgocallStack(l.Kernel.entry, unsafe.Pointer(l))) }

// launchCall is the address of the code that takes a Launch apart. It runs on the system's stack.
var launchCall uintptr

func launchEntry() uintptr { return launchCall }

// cgocallStack is cgocall for an argument that may lie on the stack: it stays where it is for as long as C
// runs, as that of cgo does.
//
//go:noescape
//go:linkname cgocallStack runtime.cgocall
func cgocallStack(fn uintptr, arg unsafe.Pointer) int32
