package nereid_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/kernels"
)

// A kernel from an embedded file, launched on the best device that is here.
func Example() {
	m, err := nereid.LoadFS(kernels.Files, "vector_add.py")
	if err != nil {
		fmt.Println(err)
		return
	}
	add, err := m.Kernel("add_kernel")
	if err != nil {
		fmt.Println(err)
		return
	}
	x, y, out := []float32{1, 2, 3}, []float32{10, 20, 30}, make([]float32, 3)
	err = add.Launch(nil, nereid.Grid{1}, nereid.FromSlice(x), nereid.FromSlice(y), nereid.FromSlice(out),
		len(x), nereid.Arg("BLOCK_SIZE", 16))
	fmt.Println(out, err)
	// Output: [11 22 33] <nil>
}

// A grid that depends on the kernel's compile-time arguments.
func ExampleGridFunc() {
	m, _ := nereid.LoadFS(kernels.Files, "vector_add.py")
	add, _ := m.Kernel("add_kernel")
	n := 100
	x, out := make([]int64, n), make([]int64, n)
	for i := range x {
		x[i] = int64(i)
	}
	grid := nereid.GridFunc(func(meta nereid.Meta) nereid.Grid {
		block := meta.Int("BLOCK_SIZE")
		return nereid.Grid{(n + block - 1) / block}
	})
	t := nereid.FromSlice(x)
	if err := add.Launch(nil, grid, t, t, nereid.FromSlice(out), n, 32); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out[1], out[99])
	// Output: 2 198
}

// The stages of a kernel as text, for a signature and without a device.
func ExampleKernel_Compile() {
	m, _ := nereid.LoadFS(kernels.Files, "vector_add.py")
	add, _ := m.Kernel("add_kernel")
	c, err := add.Compile(context.Background(), nil, "*fp32:16, *fp32:16, *fp32:16, i32, 128",
		nereid.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range c.Stages {
		fmt.Println(s.Name, strings.Count(string(s.Text), "tt.load"), "loads")
	}
	// Output:
	// source 2 loads
	// ttir 2 loads
}

// What is wrong with a kernel is said with its place.
func ExampleParse() {
	m, _ := nereid.Parse("k.py", []byte(`
import triton
import triton.language as tl

@triton.jit
def k(out_ptr, BLOCK: tl.constexpr):
    tl.store(out_ptr + tl.arrange(0, BLOCK), 1)
`))
	k, _ := m.Kernel("k")
	fmt.Println(k.Launch(nil, nereid.Grid{1}, nereid.FromSlice(make([]int32, 8)), 8))
	// Output:
	// k.py:7:24: error: AttributeError: module 'triton.language' has no attribute 'arrange' [python-attribute]
	//         tl.store(out_ptr + tl.arrange(0, BLOCK), 1)
	//                            ^~~~~~~~~~
	// hint: did you mean tl.arange?
}

const source = `
import triton
import triton.language as tl

@triton.jit
def scale(x_ptr, n, factor, other=None, BLOCK: tl.constexpr = 16, TYPE: tl.constexpr = tl.float32):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n).to(TYPE)
    if other is not None:
        x += tl.load(other + i, mask=i < n).to(TYPE)
    tl.store(x_ptr + i, x * factor, mask=i < n)

@triton.jit(do_not_specialize=["n"])
def fill(ptrs, n, VALUES: tl.constexpr):
    i = tl.arange(0, 4)
    for k in tl.static_range(len(VALUES)):
        tl.store(ptrs[k] + i, VALUES[k] + n, mask=i < n)
`

func kernel(t *testing.T, name string) *nereid.Kernel {
	t.Helper()
	return kernelOf(t, "scale.py", source, name)
}

// kernelOf is a kernel of a file's text.
func kernelOf(t testing.TB, file, text, name string, opts ...nereid.LoadOption) *nereid.Kernel {
	t.Helper()
	m, err := nereid.Parse(file, []byte(text), opts...)
	if err != nil {
		t.Fatal(err)
	}
	return kernelIn(t, m, name)
}

func kernelIn(t testing.TB, m *nereid.Module, name string) *nereid.Kernel {
	t.Helper()
	k, err := m.Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// sharedKernel is a kernel of a file in kernels.
func sharedKernel(t testing.TB, file, name string, opts ...nereid.LoadOption) *nereid.Kernel {
	t.Helper()
	m, err := nereid.LoadFS(kernels.Files, file, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return kernelIn(t, m, name)
}

func TestLaunch(t *testing.T) {
	k := kernel(t, "scale")
	x, o := []float32{1, 2, 3, 4}, []int32{1, 1, 1, 1}
	if err := k.Launch(nil, nereid.Grid{1}, nereid.FromSlice(x), 4, 0.5, nereid.FromSlice(o)); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(x); got != "[1 1.5 2 2.5]" {
		t.Error(got)
	}
	if err := k.Launch(nil, nereid.Grid{1}, nereid.FromSlice(x), 3, 2.0, nil,
		nereid.Arg("TYPE", nereid.Float16)); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(x); got != "[2 3 4 2.5]" {
		t.Error(got)
	}
}

func TestTuples(t *testing.T) {
	k := kernel(t, "fill")
	a, b := make([]int32, 4), make([]int64, 4)
	if err := k.Launch(nil, nereid.Grid{1}, []any{nereid.FromSlice(a), nereid.FromSlice(b)}, 1,
		[]int{10, 20}); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(a, b); got != "[11 0 0 0] [21 0 0 0]" {
		t.Error(got)
	}
}

func TestNamedTuples(t *testing.T) {
	m, err := nereid.Parse("fields.py", []byte(`
import triton
import triton.language as tl

@triton.jit
def copy(src, dst):
    i = tl.arange(0, 4)
    v = tl.load(src.ptr + i, mask=i < src.shape[0])
    tl.store(dst.ptr + i, v + dst[1][0], mask=i < dst.shape[0])
`))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("copy")
	if err != nil {
		t.Fatal(err)
	}
	x, y := []int32{1, 2, 3, 4}, make([]int32, 4)
	field := func(data []int32, n int) nereid.Fields {
		return nereid.Fields{nereid.Arg("ptr", nereid.FromSlice(data)), nereid.Arg("shape", []int{n})}
	}
	if err := k.Launch(nil, nereid.Grid{1}, field(x, 4), field(y, 3)); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(y); got != "[4 5 6 0]" {
		t.Error(got)
	}
}

func TestWrongArguments(t *testing.T) {
	k := kernel(t, "scale")
	x := nereid.FromSlice(make([]float32, 4))
	for want, args := range map[string][]any{
		`argument "factor": missing`: {x, 4},
		`unknown parameter "BLOCKS" (the kernel has x_ptr, n, factor, other, BLOCK, TYPE)`: {x, 4, 1.0,
			nereid.Arg("BLOCKS", 4)},
		`argument "n": given twice`:                    {nereid.Arg("n", 4), nereid.Arg("n", 5)},
		`takes 6 arguments, 7 were given`:              {x, 4, 1.0, nil, 16, nereid.Float32, 7},
		`a chan int cannot be passed to a kernel`:      {x, make(chan int), 1.0},
		`a chan int cannot be a compile-time argument`: {x, 4, 1.0, nil, make(chan int)},
	} {
		err := k.Launch(nil, nereid.Grid{1}, args...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if err := k.Launch(nil, nil, x, 4, 1.0); err == nil ||
		!strings.Contains(err.Error(), "the grid must be") {
		t.Error(err)
	}
	if err := k.Launch(nil, nereid.Grid{-1}, x, 4, 1.0); err == nil ||
		!strings.Contains(err.Error(), "negative") {
		t.Error(err)
	}
}

// A launch out of bounds is an error with the kernel's line, and nothing outside is touched.
func TestOutOfBounds(t *testing.T) {
	dev, err := nereid.OpenDevice("interp")
	if err != nil {
		t.Fatal(err)
	}
	s, err := dev.NewStream(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = kernel(t, "scale").Launch(s, nereid.Grid{1}, nereid.FromSlice(make([]float32, 4)), 5, 1.0)
	if err == nil || !strings.Contains(err.Error(), "scale.py:8") {
		t.Errorf("got %v", err)
	}
}

// One compilation serves all goroutines, and launches of one kernel may overlap.
func TestConcurrentLaunches(t *testing.T) {
	k := kernel(t, "scale")
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			x := []float32{1, 2, 3, float32(g)}
			for range 20 {
				if err := k.Launch(nil, nereid.Grid{1}, nereid.FromSlice(x), 4, 1.0); err != nil {
					t.Error(err)
					return
				}
			}
			if x[3] != float32(g) {
				t.Errorf("goroutine %d sees %v", g, x)
			}
		})
	}
	wg.Wait()
}

func TestNoSuchKernel(t *testing.T) {
	m, err := nereid.Parse("scale.py", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(m.Kernels()); got != "[scale fill]" {
		t.Error(got)
	}
	_, err = m.Kernel("scales")
	var list *diag.List
	if !errors.As(err, &list) || !strings.Contains(err.Error(), "did you mean scale?") {
		t.Errorf("got %v", err)
	}
	if _, err := nereid.Parse("bad.py", []byte("def f(:\n")); err == nil ||
		!strings.Contains(err.Error(), "bad.py:1:") {
		t.Errorf("got %v", err)
	}
	if _, err := nereid.OpenDevice("abacus"); err == nil ||
		!strings.Contains(err.Error(), "there is no device") {
		t.Errorf("got %v", err)
	}
}
