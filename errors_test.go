package nereid_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

const provokers = `import triton
import triton.language as tl

@triton.jit
def at(x, i):
    tl.store(x + i, 1.0)

@triton.jit
def assertion(x, n):
    tl.device_assert(n == 1, "n must be one")

@triton.jit
def wrong(x):
    y = tl.arange(0, 4) + tl.arange(0, 8)
    tl.store(x + y, y)

@triton.autotune(configs=[triton.Config({"B": 4})], key=["n"])
@triton.jit
def tuned(x, n, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 1.0)
`

func faultyKernel(t *testing.T, name string, opts ...nereid.LoadOption) *nereid.Kernel {
	return kernelOf(t, "faulty.py", provokers, name, opts...)
}

// provoke returns the errors of one wrong launch by every way that there is to launch.
func provoke(k *nereid.Kernel, s *nereid.Stream, list ...any) map[string]error {
	out := map[string]error{"Launch": k.Launch(s, nereid.Grid{1}, list...)}
	out["Launch again"] = k.Launch(s, nereid.Grid{1}, list...)
	b, err := k.Bind(s, list...)
	if err == nil {
		err = b.Launch(nereid.Grid{1})
		b.Close()
	}
	out["Bind"] = err
	return out
}

// Each error that can be provoked is of its type, or wraps its sentinel, by every way to it.
func TestErrors(t *testing.T) {
	s := stream(t, "interp")
	x := nereid.FromSlice(make([]float32, 4))
	closed, err := nereid.NewTensor(s.Device(), nereid.Float32, 4)
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	gone, err := s.Device().NewStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	at, tuned := faultyKernel(t, "at"), faultyKernel(t, "tuned")
	argument := func(param string) func(error) bool {
		return func(err error) bool {
			var e *nereid.ArgumentError
			return errors.As(err, &e) && e.Param == param && (e.Kernel == "at" || e.Kernel == "tuned") &&
				e.Err != nil
		}
	}
	is := func(sentinel error) func(error) bool {
		return func(err error) bool { return errors.Is(err, sentinel) }
	}
	compile := func(err error) bool { return errors.As(err, new(*nereid.CompileError)) }
	fault := func(err error) bool { return errors.As(err, new(*nereid.Fault)) }
	strict := nereid.With(nereid.Config{Strict: true})
	for _, c := range []struct {
		name string
		errs map[string]error
		want func(error) bool
	}{
		{"too few", provoke(at, s, x), argument("i")},
		{"too many", provoke(at, s, x, 1, 2), argument("")},
		{"unknown name", provoke(at, s, x, 1, nereid.Arg("z", 1)), argument("")},
		{"no argument", provoke(at, s, x, make(chan int)), argument("i")},
		{"closed tensor", provoke(at, s, closed, 1), argument("x")},
		{"closed tensor", provoke(at, s, closed, 1), is(nereid.ErrClosed)},
		{"closed tensor, tuned", map[string]error{"Launch": tuned.Launch(s, nereid.Grid{1}, closed, 1)},
			is(nereid.ErrClosed)},
		{"broken tensor", provoke(at, s, x.Skip(9), 1), argument("x")},
		{"closed stream", provoke(at, gone, x, 1), is(nereid.ErrClosed)},
		{"out of bounds", provoke(at, s, x, 4), fault},
		{"assertion", provoke(faultyKernel(t, "assertion"), s, x, 2,
			nereid.Options{Debug: nereid.DebugOn}), fault},
		{"wrong kernel", provoke(faultyKernel(t, "wrong"), s, x), compile},
		{"strict", provoke(faultyKernel(t, "at", strict), s, x, 1), is(nereid.ErrNotCompiled)},
		{"strict, tuned", provoke(faultyKernel(t, "tuned", strict), s, x, 1), is(nereid.ErrNotCompiled)},
	} {
		for way, err := range c.errs {
			if err == nil || !c.want(err) {
				t.Errorf("%s, %s: %T %v", c.name, way, err, err)
			}
		}
	}
}

// So is each error of what comes before launches, and after a Close.
func TestErrorsElsewhere(t *testing.T) {
	s := stream(t, "interp")
	k := faultyKernel(t, "at")
	is := func(sentinel error) func(error) bool {
		return func(err error) bool { return errors.Is(err, sentinel) }
	}
	compile := func(err error) bool {
		var e *nereid.CompileError
		return errors.As(err, &e) && len(e.Diagnostics) > 0 && e.Diagnostics[0].Line > 0
	}
	argument := func(err error) bool { return errors.As(err, new(*nereid.ArgumentError)) }
	x, err := nereid.NewTensor(s.Device(), nereid.Float32, 4)
	if err != nil {
		t.Fatal(err)
	}
	bound, err := k.Bind(s, x, 1)
	if err != nil {
		t.Fatal(err)
	}
	bound.Close()
	x.Close()
	gone, err := s.Device().NewStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	open, err := k.Bind(gone, nereid.FromSlice([]float32{1, 2}), 1)
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	second := func(_ any, err error) error { return err }
	file := t.TempDir() + "/bad.py"
	if err := os.WriteFile(file, []byte("def f(:\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		err  error
		want func(error) bool
	}{
		{"Open", second(nereid.OpenDevice("cuda:77")), is(nereid.ErrNoDevice)},
		{"Open", second(nereid.OpenDevice("abacus")), is(nereid.ErrNoDevice)},
		{"Open", second(nereid.OpenDevice("interp:9")), is(nereid.ErrNoDevice)},
		{"Load", second(nereid.Load(file)), compile},
		{"Load", second(nereid.Load(file + "x")), is(os.ErrNotExist)},
		{"Parse", second(nereid.Parse("bad.py", []byte("x = = 1\n"))), compile},
		{"LoadFS", second(nereid.LoadFS(os.DirFS(t.TempDir()), "none.py")), is(os.ErrNotExist)},
		{"Compile", second(faultyKernel(t, "wrong").Compile(t.Context(), s.Device(), "*fp32",
			nereid.Options{})), compile},
		{"CompileFor", second(faultyKernel(t, "wrong").CompileFor(t.Context(), "cuda:90", "*fp32",
			nereid.Options{}, "source")), compile},
		{"signature", second(k.Compile(t.Context(), s.Device(), "*fp99, i32", nereid.Options{})), argument},
		{"signature", second(k.CompileFor(t.Context(), "interp", "*fp32", nereid.Options{}, "")), argument},
		{"Source", second(k.Source(t.Context(), 1, 2, 3)), argument},
		{"Source", second(faultyKernel(t, "wrong").Source(t.Context(), nereid.FromSlice([]float32{1}))),
			compile},
		{"Source", second(faultyKernel(t, "wrong").Source(t.Context(), x.Skip(0))), is(nereid.ErrClosed)},
		{"Bound.Launch", bound.Launch(nereid.Grid{1}), is(nereid.ErrClosed)},
		{"Bound.SetInt", bound.SetInt(1, 2), is(nereid.ErrClosed)},
		{"Bound.Launch on a closed stream", open.Launch(nereid.Grid{1}), is(nereid.ErrClosed)},
		{"Sync", gone.Sync(), is(nereid.ErrClosed)},
		{"Read", x.CopyBytesTo(make([]byte, 4)), is(nereid.ErrClosed)},
		{"Write", x.CopyBytesFrom(make([]byte, 4)), is(nereid.ErrClosed)},
		{"At", second(x.At(0)), is(nereid.ErrClosed)},
		{"Slice", second(nereid.AsSlice[float32](x)), is(nereid.ErrClosed)},
		{"CopyTo", nereid.CopyTo(make([]float32, 4), x), is(nereid.ErrClosed)},
		{"view", x.Slice(0, 0, 1, 1).Err(), is(nereid.ErrClosed)},
	} {
		if c.err == nil || !c.want(c.err) {
			t.Errorf("%s: %T %v", c.name, c.err, c.err)
		}
	}
	for i, err := range []error{x.Close(), gone.Close(), bound.Close(), open.Close()} {
		if err != nil {
			t.Errorf("a second Close, %d: %v", i, err)
		}
	}
}

// A diagnostic has all that an editor shows.
func TestDiagnostics(t *testing.T) {
	_, err := faultyKernel(t, "wrong").Compile(t.Context(), nil, "*fp32", nereid.Options{})
	var e *nereid.CompileError
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	d := e.Diagnostics[0]
	if d.Severity != "error" || d.File != "faulty.py" || d.Line != 14 || d.Column != 9 || d.EndLine != 14 ||
		d.EndColumn <= d.Column ||
		d.Code == "" || d.Message == "" {
		t.Errorf("%+v", d)
	}
	if !strings.HasPrefix(d.String(), "faulty.py:14:9: error: ") || !strings.Contains(err.Error(), "^") {
		t.Errorf("%s\n%v", d, err)
	}
	_, err = nereid.Parse("hint.py",
		[]byte("import triton\nimport triton.language as tl\n@triton.jit\ndef k(x):\n    tl.stor(x, 1)\n"))
	if err == nil {
		m, _ := nereid.Parse("hint.py",
			[]byte("import triton\nimport triton.language as tl\n@triton.jit\ndef k(x):\n    tl.stor(x, 1)\n"))
		k, _ := m.Kernel("k")
		_, err = k.Compile(t.Context(), nil, "*fp32", nereid.Options{})
	}
	if !errors.As(err, &e) || e.Diagnostics[0].Hint == "" && len(e.Diagnostics[0].Notes) == 0 {
		t.Errorf("no hint: %v", err)
	}
}

// A fault has the place, the argument and the index, by every device that checks.
func TestFaults(t *testing.T) {
	for name, s := range checkedDevices(t, "interp", "cpu", "sim:90", "cuda:0") {
		x := nereid.FromSlice(make([]float32, 4))
		k := faultyKernel(t, "at")
		for way, err := range provoke(k, s, x, 1000, nereid.Options{Check: true}) {
			var f *nereid.Fault
			if !errors.As(err, &f) {
				t.Errorf("%s, %s: %T %v", name, way, err, err)
				continue
			}
			if f.Kernel != "at" || f.Line != 6 || f.Column == 0 || !strings.HasSuffix(f.File, "faulty.py") ||
				f.Program != [3]int{} || f.Message == "" {
				t.Errorf("%s, %s: %+v", name, way, *f)
			}
			if f.Argument != "x" || f.Index != 1000 {
				t.Errorf("%s, %s: argument %q, index %d", name, way, f.Argument, f.Index)
			}
			if want := faultText; err.Error() != want {
				t.Errorf("%s, %s:\n%v\nwant\n%s", name, way, err, want)
			}
		}
		for _, err := range provoke(k, s, x, -1, nereid.Options{Check: true}) {
			var f *nereid.Fault
			if !errors.As(err, &f) || f.Index != -1 {
				t.Errorf("%s: %v %+v", name, err, f)
			}
		}
	}
}

// Without LLVM the CPU is no device, for this reason. A process looks for LLVM once, so another one does it.
func TestNoLLVM(t *testing.T) {
	if os.Getenv("NEREID_TEST_NO_LLVM") != "" {
		_, err := nereid.OpenDevice("cpu")
		fmt.Println("no device:", errors.Is(err, nereid.ErrNoDevice), "no LLVM:",
			errors.Is(err, nereid.ErrNoLLVM))
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestNoLLVM$", "-test.v")
	cmd.Env = append(os.Environ(), "NEREID_TEST_NO_LLVM=1", "NEREID_LLVM=/nowhere/libLLVM.so")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "no device: true no LLVM: true") {
		t.Errorf("%v\n%s", err, out)
	}
}

// Errors of generated functions are of the same types, at the first launch and at the next.
func TestErrorsGenerated(t *testing.T) {
	s := stream(t, "interp")
	x, y, out := tensors(t, s.Device(), 16)
	c := addConsts{BLOCK_SIZE: 16}
	for range 2 {
		if err := launchAdd(s, nereid.Grid{1}, x, y, out, 16, c); err != nil {
			t.Fatal(err)
		}
		var f *nereid.Fault
		if err := launchAdd(s, nereid.Grid{1}, x, y, out.Skip(8), 16, c); !errors.As(err, &f) ||
			f.Kernel != "add_kernel" || f.Index != 16 {
			t.Errorf("%T %v", err, err)
		}
	}
	out.Close()
	var e *nereid.ArgumentError
	if err := launchAdd(s, nereid.Grid{1}, x, y, out, 16, c); !errors.Is(err, nereid.ErrClosed) ||
		!errors.As(err, &e) || e.Param != "out_ptr" {
		t.Errorf("%T %v", err, err)
	}
}

// faultText is the text of the fault in kernel "at", the same on every device.
const faultText = `faulty.py:6:5: error: out of bounds store of 4 bytes: index 1000 of x, which has 4 elements
        tl.store(x + i, 1.0)
        ^~~~~~~~~~~~~~~~~~~~
    in kernel at, program (0, 0, 0)`

// TestTupleForPointer passes numbers instead of a pointer to them, as a std::vector of C++ does.
func TestTupleForPointer(t *testing.T) {
	k := kernelOf(t, "k.py", timelineKernels, "scale", nereid.With(nereid.Config{}))
	err := k.Launch(stream(t, "interp"), nereid.Grid{1}, []any{1.0, 2.0}, 2, 64)
	if err == nil || !strings.Contains(err.Error(), "x.data() for a std::vector x") ||
		!strings.Contains(err.Error(), `argument "x"`) {
		t.Errorf("the error is %v", err)
	}
}
