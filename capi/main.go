// Command capi is the library behind nereid.h: the JIT for programs in C and in every language that calls C.
// `make capi` builds it as libnereid.so and libnereid.a, and, with the build tag nereid_run, as
// libnereid_run, which runs compiled code and does not reach the compiler.
//
//	nereid.h             the interface
//	door.c, door.h       its functions: the guard against fork, errors, calls of the caller's functions;
//	                     door_jit.c: those that compile
//	handle.go            handles: numbers for Go's objects
//	error.go             errors → status, text, diagnostics
//	device.go            devices, streams, tensors; place.go: which of them C's handles stand for
//	args.go              arguments and grids
//	code.go, bundle.go   compiled code and bundles
//	environ.go           the environment of the moment
//	running.go           what only libnereid_run has
//
// and, in libnereid alone:
//
//	jit.go               what differs there
//	config.go, hooks.go  configuration, logs and hooks
//	module.go            modules and kernels
//	launch.go, bound.go  launches and frozen specializations
//	quick.c, quick.go    launches that C repeats itself
//	compile.go           compilation without a launch
//	certify.go           comparing code with its source
//
// Arguments are the business of package foreign. This module is the only one with cgo.
package main

/*
#cgo CFLAGS: -O2 -Wall -fvisibility=default
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "door.h"
*/
import "C"

import (
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"unsafe"

	"github.com/nereid-lang/nereid/capi/foreign"
	"github.com/nereid-lang/nereid/internal/cache"
	nereid "github.com/nereid-lang/nereid/run"
)

func main() {}

// The structs of both languages are the same memory.
var (
	_ [C.sizeof_nereid_arg - foreign.ArgBytes]struct{}
	_ [foreign.ArgBytes - C.sizeof_nereid_arg]struct{}
	_ [C.sizeof_nereid_descriptor - foreign.DescBytes]struct{}
	_ [foreign.DescBytes - C.sizeof_nereid_descriptor]struct{}
	_ [C.sizeof_nereid_options - foreign.OptionsBytes]struct{}
	_ [foreign.OptionsBytes - C.sizeof_nereid_options]struct{}
)

func init() {
	// The compiler is in this library, not in the program: its identity is part of the cache's keys.
	cache.Program = func() (string, error) {
		if p := C.door_path(); p != nil && strings.Contains(C.GoString(p), "/") {
			return C.GoString(p), nil
		}
		return os.Executable()
	}
}

// version is nereid_version's text, which lives for ever.
var version = sync.OnceValue(func() *C.char {
	text := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		text = info.Main.Version
	}
	return keep(text + " " + cache.BuildText(cache.Build()))
})

//export go_version
func go_version() *C.char { return version() }

//export go_dtype_of
func go_dtype_of(name *C.char) C.int {
	t, err := nereid.DTypeOf(C.GoString(name))
	if err != nil {
		return C.NEREID_INVALID
	}
	return C.int(t)
}

// dtypeNames holds the names of the element types, which live for ever.
var dtypeNames = sync.OnceValue(func() (names [256]*C.char) {
	empty := keep("")
	for i := range names {
		names[i] = empty
		if t := nereid.DType(i); t.Size() > 0 {
			names[i] = keep(t.String())
		}
	}
	return names
})

//export go_dtype_name
func go_dtype_name(t C.int) *C.char { return dtypeNames()[uint8(min(max(t, 0), 255))] }

//export go_dtype_size
func go_dtype_size(t C.int) C.size_t { return C.size_t(nereid.DType(min(max(t, 0), 255)).Size()) }

// keep returns a string for C that lives for ever.
func keep(s string) *C.char { return (*C.char)(unsafe.Pointer(C.door_keep(C.CString(s)))) }

// cString returns a copy of a string for C, which frees it.
func cString(s string) *C.char { return C.CString(strings.ReplaceAll(s, "\x00", "?")) }

// cBytes returns a copy of bytes for C, which frees it, with a zero byte behind.
func cBytes(b []byte) unsafe.Pointer {
	p := C.malloc(C.size_t(len(b) + 1))
	to := unsafe.Slice((*byte)(p), len(b)+1)
	to[copy(to, b)] = 0
	return p
}
