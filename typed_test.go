package nereid_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/genrt"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/kernels"
)

// addConsts is what `nereid gen` writes for add_kernel.
type addConsts struct {
	BLOCK_SIZE int
	Options    nereid.Options
}

func (c addConsts) args() []any { return []any{nereid.Arg("BLOCK_SIZE", c.BLOCK_SIZE), c.Options} }

func loadAdd() (*nereid.Module, error) { return nereid.LoadFS(kernels.Files, "vector_add.py") }

var typedAdd = genrt.Typed[addConsts]{Load: loadAdd, Name: "add_kernel", Consts: addConsts.args,
	Kinds: "ttti"}

func launchAdd(s *nereid.Stream, grid nereid.Grid, x, y, out *nereid.Tensor, n int, c addConsts) error {
	if done, err := typedAdd.Again(s, &grid, &c, []*nereid.Tensor{x, y, out}, []int64{int64(n)}); done {
		return err
	}
	call := typedAdd.Call(c)
	call.Tensor(x)
	call.Tensor(y)
	call.Tensor(out)
	call.Int(int64(n))
	return call.Launch(s, grid)
}

// tensors are x = 0, 1, 2 …, y = 10x and out, on a device.
func tensors(t testing.TB, dev *nereid.Device, n int) (x, y, out *nereid.Tensor) {
	t.Helper()
	for i, p := range []**nereid.Tensor{&x, &y, &out} {
		var err error
		if *p, err = nereid.NewTensor(dev, nereid.Float32, n); err != nil {
			t.Fatal(err)
		}
		for j := range n {
			bits := nereid.Float32.Encode([]float64{float64(j), 10 * float64(j), 0}[i])
			if err := (*p).Offset(4 * j).CopyBytesFrom([]byte{byte(bits), byte(bits >> 8), byte(bits >> 16),
				byte(bits >> 24)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return x, y, out
}

func at(t testing.TB, x *nereid.Tensor, i int) float64 {
	t.Helper()
	v, err := x.At(i)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestTyped(t *testing.T) {
	for _, device := range []string{"interp", "cpu", "sim:80"} {
		t.Run(device, func(t *testing.T) {
			s := stream(t, device)
			x, y, out := tensors(t, s.Device(), 64)
			for _, n := range []int{64, 48, 33, 1, 17} { // divisible by 16, not, and folded away
				for _, block := range []int{16, 64} {
					if err := launchAdd(s, nereid.Grid{(n + block - 1) / block}, x, y, out, n,
						addConsts{BLOCK_SIZE: block}); err != nil {
						t.Fatal(err)
					}
				}
				if got := at(t, out, n-1); got != 11*float64(n-1) {
					t.Errorf("n = %d: %v", n, got)
				}
			}
			host := make([]float32, 4)
			h := nereid.FromSlice(host)
			if err := launchAdd(s, nereid.Grid{1}, x, y, h, 4, addConsts{BLOCK_SIZE: 16,
				Options: nereid.Options{NumWarps: 1}}); err != nil || host[3] != 33 {
				t.Error(host, err)
			}
			if err := launchAdd(s, nereid.Grid{-1}, x, y, out, 4, addConsts{BLOCK_SIZE: 16}); err == nil {
				t.Error("a negative grid is launched")
			}
		})
	}
}

func TestTypedErrors(t *testing.T) {
	bad := genrt.Typed[struct{}]{Load: func() (*nereid.Module, error) {
		return nereid.LoadFS(kernels.Files, "none.py")
	}, Name: "k", Consts: func(struct{}) []any { return nil }}
	call := bad.Call(struct{}{})
	call.Int(1)
	if err := call.Launch(nil, nereid.Grid{1}); err == nil || !strings.Contains(err.Error(), "none.py") {
		t.Error(err)
	}
	call2 := typedAdd.Call(addConsts{BLOCK_SIZE: 16})
	for range 9 {
		call2.Int(1)
	}
	if err := call2.Launch(nil, nereid.Grid{1}); err == nil ||
		!strings.Contains(err.Error(), "generate the code again") {
		t.Error(err)
	}
}

func TestBind(t *testing.T) {
	for _, device := range []string{"interp", "cpu", "sim:80"} {
		t.Run(device, func(t *testing.T) {
			s := stream(t, device)
			x, y, out := tensors(t, s.Device(), 64)
			k, err := typedAdd.Kernel()
			if err != nil {
				t.Fatal(err)
			}
			b, err := k.Bind(s, x, y, out, 48, 16)
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			if err := b.Launch(nereid.Grid{4}); err != nil || at(t, out, 47) != 517 || at(t, out, 48) != 0 {
				t.Error(err, at(t, out, 47), at(t, out, 48))
			}
			n := b.Param("n_elements")
			if err := b.SetInt(n, 64); err != nil {
				t.Error(err)
			}
			if err := b.SetTensor(1, x); err != nil {
				t.Error(err)
			}
			if err := b.Launch(nereid.Grid{4}); err != nil || at(t, out, 63) != 126 {
				t.Error(err, at(t, out, 63))
			}
			for what, err := range map[string]error{
				"an unaligned number": b.SetInt(n, 63), "a float": b.SetFloat(n, 64),
				"host memory":             b.SetTensor(0, nereid.FromSlice([]float32{1})),
				"a compile-time argument": b.SetInt(4, 32), "no parameter": b.SetInt(-1, 3),
				"an unaligned tensor": b.SetTensor(0, x.Offset(4)),
			} {
				if err == nil {
					t.Errorf("%s is taken", what)
				}
			}
			if err := b.Launch(nereid.Grid{-1}); err == nil {
				t.Error("a negative grid is launched")
			}
			if _, err := k.Bind(s, x); err == nil {
				t.Error("bound without all arguments")
			}
		})
	}
}

// Warm launches allocate nothing.
func TestAllocations(t *testing.T) {
	if raceDetector {
		txtest.NotHere(t, "with the race detector, launches allocate")
	}
	s := stream(t, "cpu")
	x, y, out := tensors(t, s.Device(), 64)
	k, err := typedAdd.Kernel()
	if err != nil {
		t.Fatal(err)
	}
	b, err := k.Bind(s, x, y, out, 4000, 16)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	var grid nereid.Programs = nereid.Grid{1}
	args := []any{x, y, out, 64, 16}
	hostX, hostOut := nereid.FromSlice(make([]float32, 64)), nereid.FromSlice(make([]float32, 64))
	hostArgs := []any{hostX, y, hostOut, 64, 16}
	gridFunc := nereid.Programs(nereid.GridFunc(func(m nereid.Meta) nereid.Grid {
		return nereid.Grid{64 / (4 * m.Int("BLOCK_SIZE"))}
	}))
	for name, launch := range map[string]func() error{
		"Launch":           func() error { return k.Launch(s, grid, args...) },
		"Launch, GridFunc": func() error { return k.Launch(s, gridFunc, args...) },
		"generated function": func() error {
			return launchAdd(s, nereid.Grid{1}, x, y, out, 64, addConsts{BLOCK_SIZE: 16})
		},
		"Launch, slices": func() error { return k.Launch(s, grid, hostArgs...) },
		"generated, slices": func() error {
			return launchAdd(s, nereid.Grid{1}, hostX, y, hostOut, 64, addConsts{BLOCK_SIZE: 16})
		},
		"Bind": func() error {
			if err := b.SetInt(3, 64); err != nil {
				return err
			}
			return b.Launch(nereid.Grid{1})
		},
	} {
		var failed error
		n := testing.AllocsPerRun(200, func() {
			if err := launch(); err != nil {
				failed = err
			}
		})
		if n != 0 || failed != nil {
			t.Errorf("%s: %v allocations, %v", name, n, failed)
		}
	}
	if at(t, out, 15) != 165 {
		t.Error(at(t, out, 15))
	}
}

// Launches with slices of the host take turns on devices that see them as they are and on those that are
// handed them, while the garbage collector takes what nobody holds.
func TestSlices(t *testing.T) {
	k, err := typedAdd.Kernel()
	if err != nil {
		t.Fatal(err)
	}
	cpu, interp := stream(t, "cpu"), stream(t, "interp")
	for i := range 60 {
		s := cpu
		if i%3 == 2 {
			s = interp
		}
		n := 64 + i%2 // aligned and not
		x, y, out := make([]float32, n), make([]float32, n), make([]float32, n)
		for j := range n {
			x[j], y[j] = float32(i), float32(j)
		}
		args := []any{nereid.FromSlice(x).Offset(4 * (n - 64)), nereid.FromSlice(y).Offset(4 * (n - 64)),
			nereid.FromSlice(out), 64, 16}
		if err := k.Launch(s, nereid.Grid{4}, args...); err != nil {
			t.Fatal(err)
		}
		for j := range 64 {
			if want := float32(i + j + n - 64); out[j] != want {
				t.Fatalf("launch %d on %s: element %d is %v, not %v", i, s.Device(), j, out[j], want)
			}
		}
		if i%10 == 0 {
			runtime.GC()
		}
	}
}

func BenchmarkLaunch(b *testing.B) {
	s := stream(b, "cpu")
	x, y, out := tensors(b, s.Device(), 64)
	k, err := typedAdd.Kernel()
	if err != nil {
		b.Fatal(err)
	}
	bound, err := k.Bind(s, x, y, out, 64, 16)
	if err != nil {
		b.Fatal(err)
	}
	defer bound.Close()
	var grid nereid.Programs = nereid.Grid{1}
	args := []any{x, y, out, 64, 16}
	slices := []any{nereid.FromSlice(make([]float32, 64)), nereid.FromSlice(make([]float32, 64)),
		nereid.FromSlice(make([]float32, 64)), 64, 16}
	for _, c := range []struct {
		name   string
		launch func() error
	}{
		{"Launch", func() error { return k.Launch(s, grid, args...) }},
		{"slices", func() error { return k.Launch(s, grid, slices...) }},
		{"generated", func() error {
			return launchAdd(s, nereid.Grid{1}, x, y, out, 64, addConsts{BLOCK_SIZE: 16})
		}},
		{"Bind", func() error { return bound.Launch(nereid.Grid{1}) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := c.launch(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A bound kernel as a program uses it: arguments once, then launches that change one of them.
func ExampleKernel_Bind() {
	m, _ := nereid.LoadFS(kernels.Files, "vector_add.py")
	add, _ := m.Kernel("add_kernel")
	dev, _ := nereid.OpenDevice("interp")
	s, _ := dev.NewStream(context.Background())
	x, _ := nereid.NewTensor(dev, nereid.Float32, 64)
	b, err := add.Bind(s, x, x, x, 64, nereid.Arg("BLOCK_SIZE", 16))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Close()
	n := b.Param("n_elements")
	for _, size := range []int64{16, 32, 64} {
		b.SetInt(n, size)
		fmt.Println(b.Launch(nereid.Grid{4}))
	}
	// Output:
	// <nil>
	// <nil>
	// <nil>
}
