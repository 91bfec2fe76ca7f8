//go:build amd64 || arm64

package codemem

import "syscall"

// Supported reports whether this package has memory for code here.
const Supported = true

// PageSize is the size of a page of memory.
var PageSize = syscall.Getpagesize()

// mapCode returns executable memory.
func mapCode(size int) ([]byte, error) {
	return syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_EXEC,
		syscall.MAP_PRIVATE|syscall.MAP_ANON)
}

func unmapCode(mem []byte) { _ = syscall.Munmap(mem) }

// protect makes pages writable, or executable.
func protect(mem []byte, writable bool) error {
	if writable {
		return syscall.Mprotect(mem, syscall.PROT_READ|syscall.PROT_WRITE)
	}
	return syscall.Mprotect(mem, syscall.PROT_READ|syscall.PROT_EXEC)
}

// forget gives the system back what pages hold: they are zero then.
func forget(mem []byte) { _ = syscall.Madvise(mem, syscall.MADV_DONTNEED) }
