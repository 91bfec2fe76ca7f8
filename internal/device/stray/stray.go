// Package stray describes accesses to memory that stop a kernel, and the faults that they are: every device
// that checks them reports them alike. Spans are the memory that a device's pointers may point into.
package stray

import "fmt"

// Access describes an access to memory that stopped a kernel.
type Access struct {
	What string // "load", "store" or "atomic"
	Size int    // bytes

	// Element is the size of an element of the argument's tensor: code for GPUs takes several at once. 0
	// stands for Size.
	Element int

	// Word is the position, among the words of the launch, of the argument through which memory was
	// accessed, or -1. Name is the name of its parameter where the device knows it.
	Word int
	Name string

	Offset int64 // bytes from the beginning of the argument's memory
	Bytes  int64 // size of that memory
	Null   bool  // the argument is a null pointer

	// Misaligned is set if the bytes are there, but the address is no multiple of Size. An access within the
	// memory at an offset that is no multiple of Size need not set it.
	Misaligned bool
}

// element returns the size of an element: of the tensor, or what was accessed at once.
func (a *Access) element() int64 {
	if a.Element > 0 {
		return int64(a.Element)
	}
	return int64(max(a.Size, 1))
}

// Index returns the element that was accessed: the first one outside of the memory if the access begins in it
// and goes over its end. An address right before the memory is that of element -1.
func (a *Access) Index() int64 {
	size, at := a.element(), a.Offset
	if at >= 0 && at < a.Bytes && at+int64(a.Size) > a.Bytes {
		at = a.Bytes
	}
	q := at / size
	if at%size < 0 {
		q--
	}
	return q
}

// Text says what is wrong with the access.
func (a *Access) Text(name string) string {
	switch {
	case a.Null:
		return fmt.Sprintf("%s of %d bytes through %s, which is null", a.What, a.Size, name)
	case a.Misaligned || a.Offset%int64(max(a.Size, 1)) != 0 && a.Offset >= 0 && a.Offset < a.Bytes:
		return fmt.Sprintf("misaligned %s of %d bytes at offset %d of %s, which has %d bytes", a.What, a.Size,
			a.Offset, name, a.Bytes)
	}
	return fmt.Sprintf("out of bounds %s of %d bytes: index %d of %s, which has %d elements",
		a.What, a.Size, a.Index(), name, a.Bytes/a.element())
}
