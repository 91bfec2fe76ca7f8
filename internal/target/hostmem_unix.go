//go:build unix

package target

import "syscall"

// probe asks the system for memory and gives it back: limits of the process, and of what the system promises, show here.
func probe(size int) error {
	data, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return err
	}
	return syscall.Munmap(data)
}
