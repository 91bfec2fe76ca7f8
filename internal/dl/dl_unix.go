//go:build (darwin || freebsd || linux || netbsd) && !android && !nereid_static

package dl

import (
	"runtime"

	"sync"

	"github.com/ebitengine/purego"
)

// Symbols are local to the library, so that two versions of one can live side by side.
func load(path string) (uintptr, error) {
	runtime.LockOSThread() // the message of an error belongs to the thread that made it
	defer runtime.UnlockOSThread()
	return purego.Dlopen(path, purego.RTLD_LAZY|purego.RTLD_LOCAL)
}

func symbol(handle uintptr, name string) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlsym(handle, name)
}

func unload(handle uintptr) { _ = purego.Dlclose(handle) }

// OpenGlobal opens a library for all that is loaded later, code made at run time included.
func OpenGlobal(path string) error {
	_, err := purego.Dlopen(path, purego.RTLD_LAZY|purego.RTLD_GLOBAL)
	return err
}

// FindC returns the address of a symbol of the C library, of libm, or of a library that OpenGlobal opened.
func FindC(name string) (uintptr, error) {
	OpenMath()
	return symbol(purego.RTLD_DEFAULT, name)
}

var threadSelf = sync.OnceValue(func() uintptr {
	addr, err := purego.Dlsym(purego.RTLD_DEFAULT, "pthread_self")
	if err != nil {
		panic("dl: pthread_self: " + err.Error()) // every libc has it
	}
	return addr
})

// ThreadID names the thread that it is called on. A caller that needs it to stay the same locks the thread
// first.
func ThreadID() uintptr {
	id, _, _ := purego.SyscallN(threadSelf())
	return id
}
