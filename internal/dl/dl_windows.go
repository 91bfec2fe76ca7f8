//go:build !nereid_static

package dl

import (
	"errors"
	"sync"
	"syscall"
)

func load(path string) (uintptr, error) {
	h, err := syscall.LoadLibrary(path)
	return uintptr(h), err
}

func symbol(handle uintptr, name string) (uintptr, error) {
	return syscall.GetProcAddress(syscall.Handle(handle), name)
}

func unload(handle uintptr) { _ = syscall.FreeLibrary(syscall.Handle(handle)) }

// OpenGlobal opens a library for all that is loaded later, code made at run time included.
func OpenGlobal(path string) error {
	_, err := load(path)
	return err
}

// FindC returns an error: code made at run time is linked by LLVM here.
func FindC(string) (uintptr, error) { return 0, errors.ErrUnsupported }

var threadID = sync.OnceValue(func() *syscall.LazyProc {
	return syscall.NewLazyDLL("kernel32.dll").NewProc("GetCurrentThreadId")
})

// ThreadID names the thread that it is called on. A caller that needs it to stay the same locks the thread
// first.
func ThreadID() uintptr {
	id, _, _ := threadID().Call()
	return id
}
