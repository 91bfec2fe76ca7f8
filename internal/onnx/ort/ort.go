// Package ort runs models in ONNX Runtime, through its C interface.
//
// In: libonnxruntime, which is opened at run time; a model's file and a library of operators. Out: types and
// shapes that ONNX Runtime infers, results of runs on the CPU.
package ort

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/dl"
)

// version is that of the C interface: ONNX Runtime 1.17 and later have it.
const version = 17

// Places of functions in the interface's table. Later versions append to it.
const (
	getErrorMessage                = 2
	createEnv                      = 3
	createSession                  = 7
	run                            = 9
	createSessionOptions           = 10
	setSessionLogSeverityLevel     = 22
	setGraphOptimizationLevel      = 23
	setIntraOpNumThreads           = 24
	sessionGetInputCount           = 30
	sessionGetOutputCount          = 31
	sessionGetInputTypeInfo        = 33
	sessionGetOutputTypeInfo       = 34
	sessionGetInputName            = 36
	sessionGetOutputName           = 37
	createTensorWithDataAsOrtValue = 49
	isTensor                       = 50
	getTensorMutableData           = 51
	castTypeInfoToTensorInfo       = 55
	getTensorElementType           = 60
	getDimensionsCount             = 61
	getDimensions                  = 62
	getSymbolicDimensions          = 63
	getTensorTypeAndShape          = 65
	createCPUMemoryInfo            = 69
	allocatorFree                  = 76
	getAllocator                   = 78
	releaseStatus                  = 93
	releaseSession                 = 95
	releaseValue                   = 96
	releaseTypeInfo                = 98
	releaseTensorInfo              = 99
	releaseSessionOptions          = 100
	registerCustomOpsLibrary       = 228
	tableSize                      = 229
)

// Runtime is an open ONNX Runtime.
type Runtime struct {
	Version   string
	Path      string
	table     *[tableSize]uintptr
	env       uintptr
	allocator uintptr
	memory    uintptr // describes host memory
}

var (
	opened sync.Mutex
	open   = map[string]*Runtime{} // environments stay for the life of the process
)

// Open opens a library of ONNX Runtime, or with "" the first that is found: where the system's loader
// looks, and in the Python environment that is active or in .venv.
func Open(path string) (*Runtime, error) {
	opened.Lock()
	defer opened.Unlock()
	if r := open[path]; r != nil {
		return r, nil
	}
	places := []string{path}
	if path == "" {
		places = candidates()
	} else if abs, err := filepath.Abs(path); err == nil {
		places = []string{abs}
	}
	r := &Runtime{}
	lib, err := dl.Open("ONNX Runtime 1.17 or later", places, r.accept)
	if err != nil {
		var missing *dl.NotFoundError
		if errors.As(err, &missing) {
			missing.Hint = "install it (pip install onnxruntime), or name the library: --onnxruntime FILE"
		}
		return nil, err
	}
	r.Path = lib.Path
	if err := r.begin(); err != nil {
		return nil, err
	}
	open[path] = r
	return r, nil
}

// candidates lists the places of the library.
func candidates() (out []string) {
	names := map[string][]string{"linux": {"libonnxruntime.so.1", "libonnxruntime.so"},
		"darwin": {"libonnxruntime.dylib"}, "windows": {"onnxruntime.dll"}}[runtime.GOOS]
	for _, dir := range []string{os.Getenv("VIRTUAL_ENV"), ".venv"} {
		pattern := filepath.Join(dir, "lib/python3*/site-packages/onnxruntime/capi/libonnxruntime.so*")
		if dir == "" {
			continue
		}
		found, _ := filepath.Glob(pattern)
		for _, f := range found {
			if abs, err := filepath.Abs(f); err == nil {
				out = append(out, abs)
			}
		}
	}
	return append(out, names...)
}

// accept takes a library that has the interface's version.
func (r *Runtime) accept(lib *dl.Library) error {
	base, err := lib.Symbol("OrtGetApiBase")
	if err != nil {
		return err
	}
	functions := dl.Call(base) // GetApi, GetVersionString
	getAPI, getVersion := at(functions, 0), at(functions, 1)
	r.Version = dl.GoString(pointer[byte](dl.Call(getVersion)))
	api := dl.Call(getAPI, version)
	if api == 0 {
		return fmt.Errorf("it is ONNX Runtime %s", r.Version)
	}
	r.table = pointer[[tableSize]uintptr](api)
	return nil
}

// pointer makes a pointer of an address of C's memory.
func pointer[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// at returns a word of C's memory.
func at(address uintptr, i int) uintptr { return pointer[[2]uintptr](address)[i] }

// begin makes what all sessions share.
func (r *Runtime) begin() error {
	name := cString("nereid")
	const errorsOnly = 3
	const arenaAllocator, defaultMemory = 1, 0
	defer runtime.KeepAlive(name)
	return errors.Join(
		r.call(createEnv, errorsOnly, address(name), address(&r.env)),
		r.call(getAllocator, address(&r.allocator)),
		r.call(createCPUMemoryInfo, arenaAllocator, defaultMemory, address(&r.memory)))
}

func cString(s string) *byte { return unsafe.SliceData(append([]byte(s), 0)) }

// address returns the address of memory that C reads or writes during a call. The memory lies in Go's
// heap, which does not move, and not on the stack, which does; the caller keeps it alive.
func address[T any](p *T) uintptr {
	if never {
		panic(p) // what panics may be handed on lies in the heap
	}
	return uintptr(unsafe.Pointer(p))
}

// never is false, which the compiler does not know.
var never bool

// call calls a function that returns a status.
func (r *Runtime) call(function int, args ...uintptr) error {
	status := dl.Call(r.table[function], args...)
	if status == 0 {
		return nil
	}
	text := dl.GoString(pointer[byte](dl.Call(r.table[getErrorMessage], status)))
	dl.Call(r.table[releaseStatus], status)
	return errors.New(text)
}

// release frees an object.
func (r *Runtime) release(function int, object uintptr) {
	if object != 0 {
		dl.Call(r.table[function], object)
	}
}
