package llvm

import "syscall"

// sharesCode reports whether the code of many kernels can share memory maps here. Elsewhere than on amd64 a
// processor must be told of new instructions, which LLVM does in memory of its own.
const sharesCode = true

var pageSize = syscall.Getpagesize()

// mapCode returns executable memory.
func mapCode(size int) ([]byte, error) {
	return syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_EXEC, syscall.MAP_PRIVATE|syscall.MAP_ANON)
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
