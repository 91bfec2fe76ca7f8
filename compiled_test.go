package nereid_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/kernels"
)

const addSignature = "*fp32:16, *fp32:16, *fp32:16, i32, 64"

func addKernel(t testing.TB) *nereid.Kernel {
	t.Helper()
	return sharedKernel(t, "vector_add.py", "add_kernel", nereid.With(nereid.Config{}))
}

// saved returns the bytes of a saved kernel.
func saved(t *testing.T, c *nereid.Compiled) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := c.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A compiled kernel is launched, saved, loaded and launched again, on every device; both know the same of
// their code, and the same kernel gives the same bytes.
func TestCompiled(t *testing.T) {
	for _, name := range []string{"interp", "cpu", "sim:90"} {
		t.Run(name, func(t *testing.T) {
			if name != "interp" {
				txtest.LLVM(t, llvm.Load)
			}
			s := stream(t, name)
			c, err := addKernel(t).Compile(t.Context(), s.Device(), addSignature, nereid.Options{NumWarps: 2})
			if err != nil {
				t.Fatal(err)
			}
			x, y, out := tensors(t, s.Device(), 128)
			if err := c.Launch(s, nereid.Grid{2}, x, y, out, 128); err != nil {
				t.Fatal(err)
			}
			if got, want := at(t, out, 100), at(t, x, 100)+at(t, y, 100); got != want {
				t.Errorf("launched: %v, want %v", got, want)
			}
			data := saved(t, c)
			back, err := nereid.LoadCompiled(s.Device(), bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			_, _, again := tensors(t, s.Device(), 128)
			if err := back.Launch(s, nereid.Grid{2}, x, y, nereid.Arg("n_elements", 100),
				nereid.Arg("out_ptr", again)); err != nil {
				t.Fatal(err)
			}
			if at(t, again, 99) != at(t, out, 99) || at(t, again, 100) == at(t, out, 100) {
				t.Errorf("loaded: %v and %v", at(t, again, 99), at(t, again, 100))
			}
			var fault *nereid.Fault
			if name == "cpu" {
				// not checked there
			} else if err := back.Launch(s, nereid.Grid{3}, x, y, again, 192); !errors.As(err, &fault) ||
				fault.Argument != "x_ptr" || fault.Index != 128 {
				t.Errorf("an access out of bounds: %v, %+v", err, fault)
			}
			if a, b := fmt.Sprintf("%+v", c.Info()), fmt.Sprintf("%+v", back.Info()); a != b {
				t.Errorf("compiled: %s\nloaded:   %s", a, b)
			}
			if !bytes.Equal(saved(t, back), data) && name != "interp" {
				t.Error("saving what was loaded gives other bytes")
			}
			if err := errors.Join(back.Close(), back.Close()); err != nil {
				t.Error(err)
			}
			if err := back.Launch(s, nereid.Grid{2}, x, y, out, 128); !errors.Is(err, nereid.ErrClosed) {
				t.Errorf("a launch after Close: %v", err)
			}
		})
	}
}

// Info has what the compiler and the device know, and every stage is there.
func TestCompiledInfo(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	dev := stream(t, "sim:90").Device()
	c, err := addKernel(t).Compile(t.Context(), dev, addSignature, nereid.Options{NumWarps: 2})
	if err != nil {
		t.Fatal(err)
	}
	i := c.Info()
	if i.Kernel != "add_kernel" || i.Target != "sim:90" || i.Warps != 2 || i.Threads != 64 ||
		i.Cluster != 1 || i.Signature != addSignature {
		t.Errorf("%+v", i)
	}
	want := []nereid.CodeParam{
		{Name: "x_ptr", Type: "fp32", Pointer: true, Align16: true, Offset: 0, Size: 8},
		{Name: "y_ptr", Type: "fp32", Pointer: true, Align16: true, Offset: 8, Size: 8},
		{Name: "out_ptr", Type: "fp32", Pointer: true, Align16: true, Offset: 16, Size: 8, Stored: true},
		{Name: "n_elements", Type: "i32", Offset: 24, Size: 4},
	}
	if !slices.Equal(i.Params, want) || i.Constants["BLOCK_SIZE"] != "64" {
		t.Errorf("%+v, constants %v", i.Params, i.Constants)
	}
	for _, stage := range []string{"source", "ttir", "ttgir", "llir", "ptx"} {
		if len(c.Stage(stage)) == 0 {
			t.Errorf("no stage %s", stage)
		}
	}
	cpu, err := addKernel(t).Compile(t.Context(), stream(t, "cpu").Device(), addSignature, nereid.Options{})
	if err != nil || len(cpu.Stage("obj")) == 0 || cpu.Info().Target != "cpu" {
		t.Errorf("%v, %+v", err, cpu.Info())
	}
}

// Arguments that do not fit the signature are errors that name the parameter.
func TestCompiledArguments(t *testing.T) {
	s := stream(t, "interp")
	c, err := addKernel(t).Compile(t.Context(), s.Device(), "*fp32:16, *fp32:16, *fp32:16, i32:16, 64",
		nereid.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, y, out := tensors(t, s.Device(), 128)
	half, err := nereid.NewTensor(s.Device(), nereid.Float16, 128)
	if err != nil {
		t.Fatal(err)
	}
	for name, w := range map[string]struct {
		list  []any
		param string
		text  string
	}{
		"another type": {[]any{half, y, out, 128}, "x_ptr",
			"*fp16:16, and the kernel was compiled for *fp32:16"},
		"not aligned":      {[]any{x, y.Offset(4), out, 128}, "y_ptr", "its address is not divisible by 16"},
		"not divisible":    {[]any{x, y, out, 100}, "n_elements", "it is not divisible by 16"},
		"too large":        {[]any{x, y, out, 1 << 40}, "n_elements", "it is out of range"},
		"a float":          {[]any{x, y, out, 2.5}, "n_elements", ""},
		"none":             {[]any{x, nil, out, 128}, "y_ptr", ""},
		"missing":          {[]any{x, y, out}, "n_elements", ""},
		"compiled in":      {[]any{x, y, out, 128, nereid.Arg("BLOCK_SIZE", 64)}, "", ""},
		"too many":         {[]any{x, y, out, 128, 64}, "", ""},
		"options":          {[]any{x, y, out, 128, nereid.Options{NumWarps: 8}}, "", ""},
		"given twice":      {[]any{x, y, out, 128, nereid.Arg("x_ptr", x)}, "x_ptr", ""},
		"an unknown value": {[]any{x, y, out, "128"}, "n_elements", ""},
	} {
		var e *nereid.ArgumentError
		err := c.Launch(s, nereid.Grid{2}, w.list...)
		if !errors.As(err, &e) || e.Param != w.param || e.Kernel != "add_kernel" ||
			!strings.Contains(err.Error(), w.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := c.Launch(s, nereid.Grid{2}, x, y, out, 112); err != nil {
		t.Error(err)
	}
}

// What cannot be loaded, or is no saved kernel, is an error and never a panic.
func TestLoadCompiledRefused(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	dev := stream(t, "cpu").Device()
	c, err := addKernel(t).Compile(t.Context(), dev, addSignature, nereid.Options{})
	if err != nil {
		t.Fatal(err)
	}
	data := saved(t, c)
	var r *nereid.Refusal
	_, err = nereid.LoadCompiled(stream(t, "sim:90").Device(), bytes.NewReader(data))
	if !errors.As(err, &r) || r.Target != "sim:90" || !strings.Contains(r.Reason, "sm_90a") {
		t.Errorf("code of the CPU on a GPU: %v", err)
	}
	for i := 0; i < len(data); i += 37 {
		bad := bytes.Clone(data)
		bad[i] ^= 0x40
		if _, err := nereid.LoadCompiled(dev, bytes.NewReader(bad)); err == nil {
			t.Errorf("byte %d is another, and it loads", i)
		}
		if _, err := nereid.LoadCompiled(dev, bytes.NewReader(data[:i])); err == nil {
			t.Errorf("%d of %d bytes load", i, len(data))
		}
	}
	if _, err := nereid.LoadCompiled(nil, bytes.NewReader(data)); err == nil {
		t.Error("no device")
	}
}

// Code for a target without a device cannot be launched, but it is inspected and saved, and a device of that
// architecture loads it.
func TestCompiledAhead(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	k := addKernel(t)
	s := stream(t, "sim:90")
	c, err := k.CompileFor(t.Context(), "cuda:90", addSignature, nereid.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	var r *nereid.Refusal
	if err := c.Launch(s, nereid.Grid{1}); !errors.As(err, &r) || r.Target != "cuda:90" ||
		!strings.Contains(r.Remedy, "save") {
		t.Errorf("a launch without a device: %v", err)
	}
	if i := c.Info(); i.Target != "cuda:90" || i.Warps != 4 || i.Threads != 128 {
		t.Errorf("%+v", i)
	}
	back, err := nereid.LoadCompiled(s.Device(), bytes.NewReader(saved(t, c)))
	if err != nil {
		t.Fatal(err)
	}
	x, y, out := tensors(t, s.Device(), 64)
	if err := back.Launch(s, nereid.Grid{1}, x, y, out, 64); err != nil || at(t, out, 5) != at(t, x, 5)+
		at(t, y, 5) {
		t.Error(err, at(t, out, 5))
	}
	early, err := k.CompileFor(t.Context(), "cuda:90", addSignature, nereid.Options{}, "ttgir")
	if err != nil {
		t.Fatal(err)
	}
	if err := early.Save(&bytes.Buffer{}); err == nil ||
		!strings.Contains(err.Error(), "ended before there was code") {
		t.Errorf("saved without code: %v", err)
	}
	if err := early.Launch(s, nereid.Grid{1}); err == nil {
		t.Error("launched without code")
	}
}

// On a GPU: registers and the code are known, and repeated launches allocate nothing.
func TestCompiledStub(t *testing.T) {
	onStub(t, func(t *testing.T, s *nereid.Stream, _ func() map[string]int) {
		c, err := addKernel(t).Compile(t.Context(), s.Device(), addSignature, nereid.Options{})
		if err != nil {
			t.Fatal(err)
		}
		back, err := nereid.LoadCompiled(s.Device(), bytes.NewReader(saved(t, c)))
		if err != nil {
			t.Fatal(err)
		}
		x, y, out := tensors(t, s.Device(), 64)
		for name, c := range map[string]*nereid.Compiled{"compiled": c, "loaded": back} {
			if i := c.Info(); i.Registers == 0 || i.Target != "cuda:90" || len(c.Stage("ptx")) == 0 {
				t.Errorf("%s: %+v", name, i)
			}
			args := []any{x, y, out, 64}
			n := testing.AllocsPerRun(100, func() {
				if err := c.Launch(s, nereid.Grid{1}, args...); err != nil {
					t.Fatal(err)
				}
			})
			if n != 0 && !raceDetector {
				t.Errorf("%s: %v allocations", name, n)
			}
		}
	})
}

// On the CPU, repeated launches allocate nothing, and arguments that differ are looked at as the first ones
// were.
func TestCompiledHostCut(t *testing.T) {
	s := stream(t, "cpu")
	c, err := addKernel(t).Compile(t.Context(), s.Device(), addSignature, nereid.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, y, out := tensors(t, s.Device(), 128)
	args := []any{x, y, out, 100}
	if n := testing.AllocsPerRun(100, func() {
		if err := c.Launch(s, nereid.Grid{2}, args...); err != nil {
			t.Fatal(err)
		}
	}); n != 0 && !raceDetector {
		t.Errorf("%v allocations", n)
	}
	if at(t, out, 99) != at(t, x, 99)+at(t, y, 99) || at(t, out, 100) == at(t, x, 100)+at(t, y, 100) {
		t.Errorf("%v and %v", at(t, out, 99), at(t, out, 100))
	}
	if err := c.Launch(s, nereid.Grid{2}, x, y, out, 128); err != nil ||
		at(t, out, 100) != at(t, x, 100)+at(t, y, 100) {
		t.Errorf("another number: %v, %v", err, at(t, out, 100))
	}
	var e *nereid.ArgumentError
	if err := c.Launch(s, nereid.Grid{1}, x, y.Offset(4), out, 32); !errors.As(err, &e) ||
		e.Param != "y_ptr" {
		t.Errorf("not aligned: %v", err)
	}
	var r *nereid.Refusal
	if err := c.Launch(s, nereid.Grid{1}, x, out.Skip(16), out, 32); !errors.As(err, &r) ||
		!strings.Contains(err.Error(), "overlap") {
		t.Errorf("overlapping: %v", err)
	}
	if err := c.Launch(s, nereid.Grid{-1}, args...); err == nil {
		t.Error("a grid of -1 programs")
	}
	if err := c.Launch(nil, nereid.Grid{1}, args...); err == nil {
		t.Error("no stream")
	}
	other := stream(t, "interp")
	if err := c.Launch(other, nereid.Grid{1}, args...); err == nil {
		t.Error("a stream of another device")
	}
	if err := errors.Join(c.Close(), c.Close()); err != nil {
		t.Error(err)
	}
	if err := c.Launch(s, nereid.Grid{2}, args...); !errors.Is(err, nereid.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// A kernel is compiled once, and launched by a program that has neither its source nor a compiler.
func ExampleCompiled_Save() {
	m, _ := nereid.LoadFS(kernels.Files, "vector_add.py")
	add, _ := m.Kernel("add_kernel")
	dev, _ := nereid.OpenDevice("interp")
	c, err := add.Compile(context.Background(), dev, "*fp32:16, *fp32:16, *fp32:16, i32, 64",
		nereid.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if err := c.Save(&file); err != nil {
		fmt.Println(err)
		return
	}

	back, err := nereid.LoadCompiled(dev, &file)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer back.Close()
	for _, p := range back.Info().Params {
		fmt.Println(p.Name, p.Type, p.Pointer)
	}
	s, _ := dev.NewStream(context.Background())
	x, out := nereid.FromSlice([]float32{1, 2, 3}), nereid.FromSlice(make([]float32, 3))
	err = back.Launch(s, nereid.Grid{1}, x, x, out, 3)
	fmt.Println(out, err)
	// Output:
	// x_ptr fp32 true
	// y_ptr fp32 true
	// out_ptr fp32 true
	// n_elements i32 false
	// fp32[3] on host [2, 4, 6] <nil>
}

// On the CPU, repeated launches allocate nothing either, and arguments that overlap are still refused.
func TestCompiledHostAllocations(t *testing.T) {
	needLLVM(t)
	s := stream(t, "cpu")
	c, err := addKernel(t).Compile(t.Context(), s.Device(), addSignature, nereid.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, y, out := tensors(t, s.Device(), 64)
	args := []any{x, y, out, 64}
	n := testing.AllocsPerRun(100, func() {
		if err := c.Launch(s, nereid.Grid{1}, args...); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 && !raceDetector {
		t.Errorf("%v allocations", n)
	}
	refused := (*nereid.Refusal)(nil)
	if err := c.Launch(s, nereid.Grid{1}, x, y, x.Offset(16), 64); !errors.As(err, &refused) {
		t.Errorf("arguments that overlap: %v", err)
	}
	if err := c.Launch(s, nereid.Grid{0}, args...); err != nil {
		t.Errorf("a grid of nothing: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.Launch(s, nereid.Grid{1}, args...); !errors.Is(err, nereid.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
