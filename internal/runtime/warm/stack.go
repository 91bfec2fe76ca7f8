package warm

import "unsafe"

// OnStack returns words in a way that lets them stay on the stack of the caller: the compiler would move them
// to the heap for a call through an interface, since the callee might keep them. A device.Launcher does not.
// The caller keeps words alive until the call returns (runtime.KeepAlive).
func OnStack(words *[CutWords]uint64) *[CutWords]uint64 {
	p := uintptr(unsafe.Pointer(words)) // a number, which escape analysis does not follow
	return *(**[CutWords]uint64)(unsafe.Pointer(&p))
}
