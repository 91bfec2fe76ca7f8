package nereid_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

const irKernels = `
import triton
import triton.language as tl

@triton.jit
def add(x_ptr, n, by, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < n) + by, mask=at < n)

@triton.jit
def move(x_ptr, out_ptr):
    tl.store(out_ptr, tl.load(x_ptr))

@triton.jit
def copy(desc, out, B: tl.constexpr):
    at = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    tl.store(out + at, desc.load([0, 0]) + desc.shape[0])
`

// sourceOf returns the IR of a kernel before any pass.
func sourceOf(t *testing.T, kernel, signature string) []byte {
	t.Helper()
	m, err := nereid.Parse("k.py", []byte(irKernels))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel(kernel)
	if err != nil {
		t.Fatal(err)
	}
	c, err := k.CompileFor(context.Background(), "interp", signature, nereid.Options{}, "source")
	if err != nil {
		t.Fatal(err)
	}
	return c.Stage("source")
}

// irKernel returns the kernel of a text.
func irKernel(t *testing.T, text []byte) *nereid.Kernel {
	t.Helper()
	m, err := nereid.ParseIR("k.ttir", text)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel(m.Kernels()[0])
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func irStream(t *testing.T, device string) *nereid.Stream {
	t.Helper()
	dev, err := nereid.OpenDevice(device)
	if err != nil {
		t.Fatal(err)
	}
	s, err := dev.NewStream(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestParseIR launches kernels that begin with their IR: for numbers that the front end would fold, too.
func TestParseIR(t *testing.T) {
	text := sourceOf(t, "add", "*fp32:16, i32, fp32, 64")
	for _, device := range []string{"interp", "sim:90"} {
		k, s := irKernel(t, text), irStream(t, device)
		if got, err := k.Signature(); got != "*fp32, i32, fp32" || err != nil {
			t.Errorf("Signature() = %q, %v", got, err)
		}
		for _, n := range []int{1, 16, 50} {
			x := make([]float32, 50)
			err := k.Launch(s, nereid.Grid{1}, nereid.FromSlice(x), nereid.ScalarOf(nereid.Int32, n),
				nereid.ScalarOf(nereid.Float32, 2))
			if err != nil {
				t.Fatalf("%s: %v", device, err)
			}
			if got := slices.Index(append(x, 0), 0); got != n {
				t.Errorf("%s: %d elements were written, want %d", device, got, n)
			}
		}
	}
}

// TestParseIRStored asks which arguments a kernel writes through, by its IR: launchers in C and arrays of
// Python that must not be written depend on it.
func TestParseIRStored(t *testing.T) {
	k := irKernel(t, sourceOf(t, "move", "*fp32:16, *fp32:16"))
	c, err := k.CompileFor(context.Background(), "interp", "*fp32, *fp32", nereid.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	p := c.Info().Params
	if len(p) != 2 || p[0].Stored || !p[1].Stored {
		t.Errorf("the kernel has the parameters %+v, want the second one stored", p)
	}
}

// TestParseIRDescriptor passes a descriptor, also one that the hardware cannot describe.
func TestParseIRDescriptor(t *testing.T) {
	text := sourceOf(t, "copy", "tensordesc<fp32[16, 16]>, *fp32, 16")
	k, s := irKernel(t, text), irStream(t, "sim:90")
	if len(k.Params()) != 2 {
		t.Fatalf("the kernel has %d parameters, want 2", len(k.Params()))
	}
	for _, stride := range []int64{16, 17} {
		x, out := make([]float32, 300), make([]float32, 256)
		for i := range x {
			x[i] = float32(i)
		}
		d := &nereid.Descriptor{Base: nereid.FromSlice(x), Shape: []int64{16, 16},
			Strides: []int64{stride, 1}, Block: []int64{16, 16}}
		if err := k.Launch(s, nereid.Grid{1}, d, nereid.FromSlice(out)); err != nil {
			t.Fatal(err)
		}
		if want := float32(stride) + 16; out[16] != want {
			t.Errorf("stride %d: element (1, 0) is %g, want %g", stride, out[16], want)
		}
	}
}

// TestParseIRErrors reads texts that are no kernels, and a kernel whose name is none of Python's.
func TestParseIRErrors(t *testing.T) {
	for text, want := range map[string]string{
		"module {":    "k.ttir:1:9",
		"module {\n}": "0 public functions",
	} {
		_, err := nereid.ParseIR("k.ttir", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseIR(%q) = %v, want %q", text, err, want)
		}
	}
	text := strings.ReplaceAll(string(sourceOf(t, "add", "*fp32, i32, fp32, 64")), "@add", `@"a.b-c"`)
	k := irKernel(t, []byte(strings.ReplaceAll(text, "%by", "%x_ptr_9")))
	x := make([]float32, 4)
	if err := k.Launch(irStream(t, "interp"), nereid.Grid{1}, nereid.FromSlice(x),
		nereid.ScalarOf(nereid.Int32, 4), nereid.ScalarOf(nereid.Float32, 3)); err != nil || x[3] != 3 {
		t.Errorf("a.b-c: %v, %v", x, err)
	}
}

// TestBuild compiles before a launch, which strict mode then allows.
func TestBuild(t *testing.T) {
	m, err := nereid.Parse("k.py", []byte(irKernels), nereid.With(nereid.Config{Strict: true}))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("add")
	if err != nil {
		t.Fatal(err)
	}
	s, x := irStream(t, "interp"), make([]float32, 8)
	launch := func() error {
		return k.Launch(s, nereid.Grid{1}, nereid.FromSlice(x), 7, 2.0, 64)
	}
	if err := launch(); !errors.Is(err, nereid.ErrNotCompiled) {
		t.Errorf("before Build: %v", err)
	}
	for _, signature := range []string{"*fp32, i32, fp32, 64", "*fp32:16, i32, fp32, 64"} {
		if err := k.Build(context.Background(), s.Device(), signature, nereid.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := launch(); err != nil || x[6] != 2 || x[7] != 0 {
		t.Errorf("after Build: %v, %v", x, err)
	}
}

func TestDeviceTarget(t *testing.T) {
	for name, want := range map[string]string{"interp": "interp", "sim:90": "cuda:90",
		"sim:gfx942": "hip:gfx942"} {
		if got := irStream(t, name).Device().Target(); got != want {
			t.Errorf("the target of %s is %q, want %q", name, got, want)
		}
	}
}
