//go:build unix

package device

import "syscall"

// probe maps and unmaps memory, which fails at limits of the process or the system.
func probe(size int) error {
	data, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return err
	}
	return syscall.Munmap(data)
}
