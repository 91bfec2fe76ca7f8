//go:build !nereid_static

package dl

import "github.com/ebitengine/purego"

// Static says that the program was built to open no libraries, so that it needs none itself.
const Static = false

// Call calls a C function with integers and pointers. With a slice that is reused (args...) it allocates
// nothing and takes about 0.1 µs more than C needs; the caller keeps alive what the arguments point at.
//
//go:uintptrescapes
func Call(fn uintptr, args ...uintptr) uintptr {
	r, _, _ := purego.SyscallN(fn, args...)
	return r
}

// NewCallback makes a C function pointer of a Go function of integers and pointers with at most one result.
// It is never freed, and there are only about 2000: make one for each kind of callback, and tell calls
// apart by an argument.
func NewCallback(fn any) uintptr { return purego.NewCallback(fn) }

func bind(ptr any, addr uintptr) {
	if p, ok := ptr.(*uintptr); ok {
		*p = addr
		return
	}
	purego.RegisterFunc(ptr, addr)
}
