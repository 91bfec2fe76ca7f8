package intern

import "unsafe"

// Address returns the address of the value that an interface holds a pointer to, or 0 for nil. It names the
// value in a key; see Table.
func Address(v any) uintptr {
	if v == nil {
		return 0
	}
	return uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1])
}
