package nereid_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
)

const newcomerKernels = `
import triton
import triton.language as tl

@triton.jit
def plain(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, 1.0, mask=i < n)

@triton.autotune(configs=[triton.Config({"B": 32})], key=["n"])
@triton.jit
def tuned(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, 1.0, mask=i < n)
`

// TestNewcomers launches kernels as people do who see the API for the first time. Each mistake is an error
// that names it and its remedy.
func TestNewcomers(t *testing.T) {
	m, err := nereid.Parse("k.py", []byte(newcomerKernels), nereid.With(nereid.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := m.Kernel("plain")
	if err != nil {
		t.Fatal(err)
	}
	tuned, err := m.Kernel("tuned")
	if err != nil {
		t.Fatal(err)
	}
	s := stream(t, "interp")
	x := nereid.FromSlice(make([]float32, 64))
	closed := stream(t, "interp")
	closed.Close()
	freed, err := nereid.NewTensor(s.Device(), nereid.Float32, 64)
	if err != nil {
		t.Fatal(err)
	}
	freed.Close()
	bound, err := plain.Bind(s, x, 3, 32)
	if err != nil {
		t.Fatal(err)
	}
	defer bound.Close()
	one := nereid.Grid{1}
	misspelt := nereid.GridFunc(func(m nereid.Meta) nereid.Grid { return nereid.Grid{m.Int("BLOCK")} })
	for _, c := range []struct {
		name, want string
		err        error
	}{
		{"argument twice", `argument "n": given twice`, plain.Launch(s, one, x, 3, 32, nereid.Arg("n", 4))},
		{"argument twice, tuned", `argument "n": given twice`,
			tuned.Launch(s, one, x, 3, nereid.Arg("n", 4))},
		{"misspelt meta", `"BLOCK"`, plain.Launch(s, misspelt, x, 3, 32)},
		{"too few bytes", "needs 400 bytes, not 8",
			plain.Launch(s, one, nereid.FromBytes(nereid.Float32, make([]byte, 8), 100), 3, 32)},
		{"closed stream", "closed", plain.Launch(closed, one, x, 3, 32)},
		{"closed tensor", `argument "x": the tensor is closed already`, plain.Launch(s, one, freed, 3, 32)},
		{"host memory bound", "memory of the host", bound.SetTensor(0, x)},
		{"slice", `argument "x": a []float32 is a tuple to a kernel`,
			plain.Launch(s, one, make([]float32, 64), 3, 32)},
		{"slice, tuned", "nereid.FromSlice", tuned.Launch(s, one, make([]float32, 64), 3)},
		{"array", "nereid.FromSlice", plain.Launch(s, one, [2]float64{}, 3, 32)},
		{"bytes", "nereid.FromSlice", plain.Launch(s, one, make([]byte, 3), 3, 32)},
		{"number for a tensor", `argument "x": 3 is no tensor`, plain.Launch(s, one, 3, 3, 32)},
		{"number for a tensor, and where", "k.py:", plain.Launch(s, one, 3.5, 3, 32)},
		{"text for a tensor", `argument "x": "x" is no tensor`, tuned.Launch(s, one, "x", 3)},
		{"nil for a tensor", `argument "x": nil is None to a kernel`, plain.Launch(s, one, nil, 3, 32)},
		{"nil for a tensor, and where", "k.py:", tuned.Launch(s, one, nil, 3)},
		{"pointer to an array", "nereid.FromSlice", plain.Launch(s, one, new([4]float32), 3, 32)},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, c.err, c.want)
		}
	}
	if err := plain.Launch(s, one, 3, 3, 32); !errors.As(err, new(*nereid.CompileError)) {
		t.Errorf("a number for a pointer: %T %v", err, err)
	}
	var arg *nereid.ArgumentError
	if err := plain.Launch(s, one, make([]float32, 64), 3, 32); !errors.As(err, &arg) || arg.Param != "x" {
		t.Errorf("a slice for a pointer: %T %v", err, err)
	}
}

// TestSlowDevice opens the best device of a machine without LLVM: a warning says once that it is slow, and
// why.
func TestSlowDevice(t *testing.T) {
	if os.Getenv("NEREID_TEST_SLOW") != "" {
		for range 2 {
			dev, err := nereid.OpenDevice("")
			fmt.Println("opened", dev, err)
		}
		return
	}
	cmd := exec.CommandContext(context.Background(), os.Args[0], "-test.run=^TestSlowDevice$", "-test.v")
	cmd.Env = append(os.Environ(), "NEREID_TEST_SLOW=1", "NEREID_LLVM=/nowhere/libLLVM.so",
		"NEREID_CUDA=/nowhere/libcuda.so", "NEREID_DEVICE=")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "opened interp") != 2 {
		t.Fatalf("%v\n%s", err, out)
	}
	if strings.Count(string(out), "40 times slower") != 1 ||
		!strings.Contains(string(out), "/nowhere/libLLVM.so") {
		t.Errorf("want one warning with the reason:\n%s", out)
	}
}

// TestBoundMisfit: what a bound kernel does not take, it says why; what its code can run, it takes.
func TestBoundMisfit(t *testing.T) {
	k := kernelOf(t, "k.py", `
import triton
import triton.language as tl

@triton.jit
def k(x, n, m, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, i + m, mask=i < n)
`, "k")
	s := stream(t, "interp")
	tensor := func(dt nereid.DType) *nereid.Tensor {
		x, err := nereid.NewTensor(s.Device(), dt, 64)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		return x
	}
	x := tensor(nereid.Float32)
	b, err := k.Bind(s, x, 48, 7, 64)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for _, c := range []struct {
		want string
		err  error
	}{
		{"it is a tensor of fp16, and was a tensor of fp32", b.SetTensor(0, tensor(nereid.Float16))},
		{"its address is not divisible by 16", b.SetTensor(0, x.Skip(1))},
		{"it is not divisible by 16", b.SetInt(1, 47)},
		{"it is an int64, and was an int32", b.SetInt(2, 1<<40)},
		{"it is a float, and was an int32", b.SetFloat(2, 1)},
		{"Param returns the position", b.SetInt(b.Param("nosuch"), 1)},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%v, want %q", c.err, c.want)
		}
	}
	for _, m := range []int64{1, 16, -3} {
		if err := b.SetInt(2, m); err != nil {
			t.Error(err)
		}
		if err := b.Launch(nereid.Grid{1}); err != nil {
			t.Error(err)
		}
		if v, err := x.At(2); v != float64(2+m) || err != nil {
			t.Errorf("%v, %v, want %d", v, err, 2+m)
		}
	}
}

// TestCancelledNames: the error of a launch whose context has ended names the kernel, whatever the launch was
// doing.
func TestCancelledNames(t *testing.T) {
	k := kernelOf(t, "k.py", `
import triton
import triton.language as tl

@triton.jit
def turning(x, n):
    while tl.atomic_add(x, 0) < n:
        pass
`, "turning")
	for _, device := range []string{"interp", "cpu", "sim"} {
		dev, err := nereid.OpenDevice(device)
		if err != nil {
			t.Logf("no %s: %v", device, err)
			continue
		}
		x := nereid.FromSlice([]int32{0})
		for _, what := range []string{"compiling", "running", "running again"} {
			ctx, cancel := context.WithCancel(t.Context())
			if what == "compiling" {
				cancel()
			} else {
				time.AfterFunc(30*time.Millisecond, cancel)
			}
			s, err := dev.NewStream(ctx)
			if err != nil {
				t.Fatal(err)
			}
			err = k.Launch(s, nereid.Grid{1}, x, 5)
			if !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "nereid: turning: ") {
				t.Errorf("%s, %s: %v", device, what, err)
			}
			cancel()
		}
	}
}
