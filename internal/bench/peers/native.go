package peers

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"time"
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
	if s.numpy, err = startNumPy(s.Root); err != nil {
		s.absent = append(s.absent, fmt.Sprintf("NumPy: %v", err))
	}
}

func (s *Suite) close() {
	if s.numpy != nil {
		s.numpy.close()
	}
}

// library is the C programs of peer/c.
type library struct{ lib *dl.Library }

// sources of the C programs with the flags that the comparison asks for.
var sources = []struct{ file, flags string }{
	{"threads.c", "-O3 -march=native"}, {"plain.c", "-O3 -march=native"}, {"fast.c", "-O3 -march=native -ffast-math"},
}

// buildPeer compiles and opens the C programs.
func buildPeer(root string, threads int) (*library, error) {
	cc, err := exec.LookPath("gcc")
	if err != nil {
		return nil, errors.New("no gcc (apt install gcc)")
	}
	dir := filepath.Join(root, "out", "peer")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	var objects []string
	for _, src := range sources {
		obj := filepath.Join(dir, strings.TrimSuffix(src.file, ".c")+".o")
		args := append(strings.Fields(src.flags), "-fPIC", "-c", filepath.Join(root, "peer", "c", src.file), "-o", obj)
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
	abs, err := filepath.Abs(so)
	if err != nil {
		return nil, err
	}
	lib, err := dl.Open("the C programs", []dl.Candidate{abs}, nil)
	if err != nil {
		return nil, err
	}
	p := &library{lib}
	p.call("peer_start", threads)()
	return p, nil
}

// call is a call of a C function with slices, as pointers, and integers. While it runs, the thread is pinned as C's own are.
func (p *library) call(symbol string, args ...any) func() {
	fn, err := p.lib.Symbol(symbol)
	if err != nil {
		panic(err) // the sources are ours
	}
	words := make([]uintptr, len(args))
	for i, a := range args {
		switch v := reflect.ValueOf(a); v.Kind() {
		case reflect.Slice:
			words[i] = uintptr(v.UnsafePointer())
		default:
			words[i] = uintptr(v.Int())
		}
	}
	pin, _ := p.lib.Symbol("peer_pin")
	return func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		dl.Call(pin, 1)
		dl.Call(fn, words...)
		dl.Call(pin, 0)
		runtime.KeepAlive(args)
	}
}

// blas is OpenBLAS.
type blas struct{ sgemm uintptr }

// openBLAS is nil where it is not installed.
func (s *Suite) openBLAS() *blas {
	lib, err := dl.Open("OpenBLAS", []dl.Candidate{"libopenblas.so.0", "libopenblas.so", "libopenblas.dylib"}, nil)
	if err != nil {
		s.absent = append(s.absent, "OpenBLAS: libopenblas cannot be opened (apt install libopenblas0)")
		return nil
	}
	var threads uintptr
	b := &blas{}
	if err := lib.Bind([]dl.Func{{Ptr: &b.sgemm, Symbol: "sgemm_"}, {Ptr: &threads, Symbol: "openblas_set_num_threads"}}); err != nil {
		s.absent = append(s.absent, fmt.Sprintf("OpenBLAS: %v", err))
		return nil
	}
	dl.Call(threads, uintptr(s.Threads))
	return b
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
	dl.Call(b.sgemm, no, no, size, size, size, at(unsafe.Pointer(&p.one)), at(unsafe.Pointer(&y[0])), size, at(unsafe.Pointer(&x[0])), size,
		at(unsafe.Pointer(&p.nought)), at(unsafe.Pointer(&z[0])), size)
	runtime.KeepAlive(p)
}

// amxFactor is how much faster than fp32 bf16 should be: three times where there are tiles, and else no slower.
func amxFactor() float64 {
	lib, err := llvm.Load()
	if err != nil || !gemm.Host(lib.HostTarget().Features, gemm.RequestAMX() == nil).AMXBF16 {
		return 0.9
	}
	return 3
}

// numpy is a Python process that runs peer/numpy_peer.py.
type numpy struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startNumPy(root string) (*numpy, error) {
	python := filepath.Join(root, ".venv", "bin", "python")
	if err := exec.Command(python, "-c", "import numpy").Run(); err != nil {
		return nil, fmt.Errorf("%s does not have it (make setup)", python)
	}
	n := &numpy{cmd: exec.Command(python, filepath.Join(root, "peer", "numpy_peer.py"))}
	var err error
	if n.in, err = n.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := n.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	n.cmd.Stderr = os.Stderr
	n.out = bufio.NewScanner(out)
	return n, n.cmd.Start()
}

// run runs one of its lines once.
func (n *numpy) run(name string) (time.Duration, error) {
	if _, err := fmt.Fprintln(n.in, name); err != nil {
		return 0, err
	}
	if !n.out.Scan() {
		return 0, errors.New("peer/numpy_peer.py ended")
	}
	s, err := strconv.ParseFloat(n.out.Text(), 64)
	return time.Duration(s * float64(time.Second)), err
}

func (n *numpy) close() {
	_ = n.in.Close()
	_ = n.cmd.Wait()
}
