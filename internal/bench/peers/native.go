package peers

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/dl"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/target/cpu/gemm"
)

// open finds the competitors, and notes which are not here.
func (s *Suite) open() {
	var err error
	if s.peer, err = buildPeer(s.Root, s.Threads); err != nil {
		s.absent = append(s.absent, fmt.Sprintf("the C programs: %v", err))
	}
	venv := filepath.Join(s.Root, ".venv", "bin", "python")
	if s.numpy, err = startScript(venv, s.Root, "numpy_peer.py", "numpy", s.Threads); err != nil {
		s.absent = append(s.absent, fmt.Sprintf("NumPy: %v (make setup)", err))
	}
	python := cmp.Or(s.Torch, venv)
	if s.torch, err = startScript(python, s.Root, "torch_peer.py", "torch", s.Threads); err != nil {
		s.absent = append(s.absent, fmt.Sprintf("PyTorch: %v (--torch names another)", err))
	}
}

func (s *Suite) close() {
	for _, p := range []*script{s.numpy, s.torch} {
		if p != nil {
			p.close()
		}
	}
}

// library is the C programs of peer/c.
type library struct{ lib *dl.Library }

// sources of the C programs with the flags that the comparison asks for.
var sources = []struct{ file, flags string }{
	{"threads.c", "-O3 -march=native"}, {"plain.c", "-O3 -march=native"},
	{"fast.c", "-O3 -march=native -ffast-math"},
}

// buildPeer compiles and opens the C programs.
func buildPeer(root string, threads int) (*library, error) {
	cc, err := exec.LookPath("gcc")
	if err != nil {
		return nil, errors.New("no gcc (apt install gcc)")
	}
	// A folder of its own: a library that is written over while it is in use crashes its process.
	dir, err := os.MkdirTemp("", "nereid-peer")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var objects []string
	for _, src := range sources {
		obj := filepath.Join(dir, strings.TrimSuffix(src.file, ".c")+".o")
		args := append(strings.Fields(src.flags), "-fPIC", "-c", filepath.Join(root, "peer", "c", src.file),
			"-o", obj)
		if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("gcc: %w: %s", err, out)
		}
		objects = append(objects, obj)
	}
	so := filepath.Join(dir, "peer.so")
	// Linked without -ffast-math, which would change how the whole process treats subnormal numbers.
	args := append([]string{"-shared", "-o", so}, append(objects, "-lm", "-lpthread")...)
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("gcc: %w: %s", err, out)
	}
	lib, err := dl.Open("the C programs", []dl.Candidate{so}, nil)
	if err != nil {
		return nil, err
	}
	p := &library{lib}
	// The thread is not pinned: the function looks for the processors that it may use.
	dl.Call(p.symbol("peer_start"), uintptr(threads))
	if n := int(int32(dl.Call(p.symbol("peer_threads")))); n != threads {
		return nil, fmt.Errorf("the C programs run on %d threads, not %d", n, threads)
	}
	return p, nil
}

// call is a call of a C function with slices, as pointers, and integers. While it runs, the thread is
// pinned as C's own are.
func (p *library) call(symbol string, args ...any) func() {
	fn, pin := p.symbol(symbol), p.symbol("peer_pin")
	words := make([]uintptr, len(args))
	for i, a := range args {
		switch v := reflect.ValueOf(a); v.Kind() {
		case reflect.Slice:
			words[i] = uintptr(v.UnsafePointer())
		default:
			words[i] = uintptr(v.Int())
		}
	}
	return func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		dl.Call(pin, 1)
		dl.Call(fn, words...)
		dl.Call(pin, 0)
		runtime.KeepAlive(args)
	}
}

// symbol is the address of a C function.
func (p *library) symbol(name string) uintptr {
	fn, err := p.lib.Symbol(name)
	if err != nil {
		panic(err) // the sources are ours
	}
	return fn
}

// blas is OpenBLAS.
type blas struct{ sgemm uintptr }

// openBLAS is nil where it is not installed.
func (s *Suite) openBLAS() *blas {
	setCoreType()
	lib, err := dl.Open("OpenBLAS", []dl.Candidate{"libopenblas.so.0", "libopenblas.so", "libopenblas.dylib"},
		nil)
	if err != nil {
		s.absent = append(s.absent, "OpenBLAS: libopenblas cannot be opened (apt install libopenblas0)")
		return nil
	}
	var threads uintptr
	b := &blas{}
	if err := lib.Bind([]dl.Func{{Ptr: &b.sgemm, Symbol: "sgemm_"},
		{Ptr: &threads, Symbol: "openblas_set_num_threads"}}); err != nil {
		s.absent = append(s.absent, fmt.Sprintf("OpenBLAS: %v", err))
		return nil
	}
	dl.Call(threads, uintptr(s.Threads))
	return b
}

// setCoreType has OpenBLAS take the code for the widest vectors here, unless the user named a core. Releases
// older than a processor do not know it and take code for vectors of 16 bytes.
func setCoreType() {
	const name = "OPENBLAS_CORETYPE"
	if os.Getenv(name) != "" {
		return
	}
	core := ""
	switch h := hostVectors(); h {
	case 64:
		core = "SkylakeX"
	case 32:
		core = "Haswell"
	}
	libc, err := dl.Open("libc", []dl.Candidate{"libc.so.6"}, nil)
	if err != nil || core == "" {
		return
	}
	if setenv, err := libc.Symbol("setenv"); err == nil { // Go's own variables are not C's
		k, v := append([]byte(name), 0), append([]byte(core), 0)
		dl.Call(setenv, uintptr(unsafe.Pointer(&k[0])), uintptr(unsafe.Pointer(&v[0])), 1)
		runtime.KeepAlive([][]byte{k, v})
	}
}

// hostVectors returns the bytes of a vector of an x86 host, and 0 of others.
func hostVectors() int {
	lib, err := llvm.Load()
	if err != nil || runtime.GOARCH != "amd64" {
		return 0
	}
	return gemm.Host(lib.HostTarget().Features, false).VectorBytes
}

// multiply is c = a·b of square matrices by rows, which for Fortran is cᵀ = bᵀ·aᵀ.
func (b *blas) multiply(n int, x, y, z []float32) {
	p := &struct {
		no          [8]byte
		n           int32
		one, nought float32
	}{no: [8]byte{'N'}, n: int32(n), one: 1}
	at := func(q unsafe.Pointer) uintptr { return uintptr(q) }
	size, no := at(unsafe.Pointer(&p.n)), at(unsafe.Pointer(&p.no))
	dl.Call(b.sgemm, no, no, size, size, size, at(unsafe.Pointer(&p.one)), at(unsafe.Pointer(&y[0])), size,
		at(unsafe.Pointer(&x[0])), size, at(unsafe.Pointer(&p.nought)), at(unsafe.Pointer(&z[0])), size)
	runtime.KeepAlive(p)
}
