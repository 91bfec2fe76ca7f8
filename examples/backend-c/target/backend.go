// Package target has two back ends for Nereid that write C, let the machine's C compiler make a shared
// object of each kernel, and run it over threads. docs/BACKENDS.md in Nereid's repository walks through
// it. A program that imports the package has the device "c", the smallest thing that runs kernels, and the
// devices "c-device:0" and "c-device:1", which have all that a GPU has: memory and streams of their own.
//
//	backend.go          the target c: from linalg, on the host's memory
//	device.go           the target c-device: from TTGIR, on devices
//	mlir.go, types.go   a parser of MLIR's generic form; pretty.go: of the pretty one
//	emit.go             the C of a kernel; emit_*.go: of its operations
package target

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/nereid-lang/nereid/backend"
)

// flags are those of cc. Floats keep their IEEE meaning: nothing is reassociated. Products and sums are fused
// where the options of the launch allow it (Options.FPFusion).
var flags = []string{
	"-std=gnu11", "-march=native", "-fwrapv", "-fno-strict-aliasing", "-fno-math-errno",
	"-shared", "-fPIC",
}

// cTarget is the back end.
type cTarget struct{ compiled atomic.Int64 } // kernels that cc has compiled, for tests

var theTarget = &cTarget{}

func init() { backend.Register(theTarget) }

func (*cTarget) Name() string         { return "c" }
func (*cTarget) Input() backend.Stage { return backend.Linalg }
func (*cTarget) Stages() []string     { return []string{"c", "so"} }

// compiler is the C compiler of this machine.
type compiler struct{ path, version, chip string }

// cc finds the compiler once.
var cc = sync.OnceValues(findCC)

// findCC returns the compiler, or what to install. Code made with -march=native depends on the chip; the
// macros that the compiler defines for it name the chip.
func findCC() (*compiler, error) {
	path, err := exec.LookPath("cc")
	if err != nil {
		return nil, errors.New("no C compiler: cc is not in PATH (install gcc or clang)")
	}
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("%s --version: %w", path, err)
	}
	version, _, _ := strings.Cut(string(out), "\n")
	macros, err := exec.Command(path, "-march=native", "-dM", "-E", "-x", "c", os.DevNull).Output()
	if err != nil {
		return nil, fmt.Errorf("%s -march=native: %w", path, err)
	}
	return &compiler{path, version, fmt.Sprintf("%.8x", sha256.Sum256(macros))}, nil
}

func (*cTarget) Info() (string, error) {
	c, err := cc()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("C by %s, %d threads", c.version, runtime.GOMAXPROCS(0)), nil
}

// Version names the compiler, its flags and the chip. The number is that of the emitter: whoever changes
// the C that it writes counts it up.
func (*cTarget) Version() string { return version(2) }

func version(emitter int) string {
	c, err := cc()
	if err != nil {
		return "" // Info has said why: nothing is compiled
	}
	return fmt.Sprintf("%d %s %s %s", emitter, c.version, c.chip, strings.Join(flags, " "))
}

// Compile writes C and has it compiled.
func (t *cTarget) Compile(ctx context.Context, k *backend.Kernel) (*backend.Code, error) {
	t.compiled.Add(1)
	return compile(ctx, k, Emit)
}

// compile compiles the C that emit writes.
func compile(ctx context.Context, k *backend.Kernel,
	emit func(*backend.Kernel) (string, error)) (*backend.Code, error) {
	if len(k.Libs) > 0 {
		return nil, backend.Refuse("extern_libs", "functions of "+k.Libs[0].Path+" are none of C", "")
	}
	c, err := cc()
	if err != nil {
		return nil, err
	}
	text, err := emit(k)
	if err != nil {
		return nil, err
	}
	so, err := c.run(ctx, k, text)
	if err != nil {
		return nil, err
	}
	return &backend.Code{Stages: map[string][]byte{"c": []byte(text), "so": so}}, nil
}

// Options returns the target's only option. Nereid refuses all others, and all other values.
func (*cTarget) Options() []backend.Option { return options }

var options = []backend.Option{
	{Name: "opt", Help: "optimization level of cc", Values: []string{"0", "1", "2", "3"}},
}

// run makes a shared object of a C file.
func (c *compiler) run(ctx context.Context, k *backend.Kernel, text string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "backend-c")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "kernel.c"), filepath.Join(dir, "kernel.so")
	if err := os.WriteFile(in, []byte(text), 0o600); err != nil {
		return nil, err
	}
	args := append([]string{"-O" + cmp.Or(k.Options.Extra["opt"], "3"), "-ffp-contract=off"}, flags...)
	if k.Options.FPFusion {
		args[1] = "-ffp-contract=fast"
	}
	cmd := exec.CommandContext(ctx, c.path, append(args, "-o", out, in, "-lm")...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("kernel %s: cc: %w\n%s", k.Name, err, stderr.Bytes())
	}
	return os.ReadFile(out)
}

// Load opens a shared object. The loader wants a file; it is gone from the folder once it is open.
func (*cTarget) Load(_ context.Context, k *backend.Kernel, code *backend.Code) (backend.Executable, error) {
	return open(k, code)
}

func open(k *backend.Kernel, code *backend.Code) (*executable, error) {
	f, err := os.CreateTemp("", "backend-c-*.so")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(code.Stages["so"])
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	lib, err := purego.Dlopen(f.Name(), purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", k.Name, err)
	}
	fn, err := purego.Dlsym(lib, entry)
	if err != nil {
		purego.Dlclose(lib)
		return nil, fmt.Errorf("kernel %s: %w", k.Name, err)
	}
	return &executable{lib, fn, k.Name}, nil
}

// executable is a loaded shared object.
type executable struct {
	lib, fn uintptr
	kernel  string
}

func (x *executable) Close() error { return purego.Dlclose(x.lib) }

// Launch runs the programs of a grid in chunks, which threads take until none is left.
func (x *executable) Launch(ctx context.Context, grid [3]int, words []uint64) error {
	l := &launch{
		x: x, ctx: ctx,
		words: slices.Concat(words, []uint64{0}), // never empty: C gets an address
		grid:  [3]int32{int32(grid[0]), int32(grid[1]), int32(grid[2])},
		total: int64(grid[0]) * int64(grid[1]) * int64(grid[2]),
	}
	threads := min(int64(runtime.GOMAXPROCS(0)), l.total)
	if threads <= 1 {
		return l.work(l.total)
	}
	errs := make([]error, threads)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = l.work(l.total / (threads * 4)) }) // so that threads end together
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err // one says it for all
		}
	}
	return nil
}

// launch is a launch under way.
type launch struct {
	x     *executable
	ctx   context.Context
	words []uint64
	grid  [3]int32
	total int64
	next  atomic.Int64 // the first program that nobody has taken
}

// chunkTime is how long a chunk should take: long beside a call of C, short for somebody who waits for
// the end of a launch.
const chunkTime = time.Millisecond

// work runs chunks of up to limit programs. A chunk is twice as large as the one before while these are
// quick.
func (l *launch) work(limit int64) error {
	for n := int64(1); ; {
		begin := l.next.Add(n) - n
		if begin >= l.total {
			return nil
		}
		if err := l.ctx.Err(); err != nil {
			return err
		}
		start := time.Now()
		r, _, _ := purego.SyscallN(l.x.fn, uintptr(unsafe.Pointer(&l.words[0])),
			uintptr(unsafe.Pointer(&l.grid[0])),
			uintptr(begin), uintptr(min(begin+n, l.total)))
		if int32(r) != 0 {
			return fmt.Errorf("kernel %s: out of memory for its tensors", l.x.kernel)
		}
		if time.Since(start) < chunkTime/2 && n*2 <= limit {
			n *= 2
		}
	}
}
