package nereid_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// checkedKernels: copy reads n elements and writes m; chase stores through a pointer that it finds in memory;
// either stores through one of two pointers; swap stores through pointers that a loop exchanges; retype
// stores through a pointer with another element type.
const checkedKernels = `
import triton
import triton.language as tl

@triton.jit
def copy(x, y, n, m, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(y + i, v, mask=i < m)

@triton.jit
def at(x, i):
    tl.store(x + i, 1.0)

@triton.jit
def swap(x, y, turns, i):
    p, q = x, y
    for _ in range(turns):
        p, q = q, p
    tl.store(p + i, 7.0)

@triton.jit
def retype(x, i):
    tl.store(x.to(tl.pointer_type(tl.int32)) + i, 7)

` + farKernels

// farKernels are the kernels whose pointers the compiler cannot follow to one argument.
const farKernels = `@triton.jit
def either(x, y, c, i):
    p = x
    if c > 0:
        p = y
    tl.store(p + i, 7.0)

@triton.jit
def chase(table, i):
    p = tl.load(table).to(tl.pointer_type(tl.float32))
    tl.store(p + i, 7.0)
`

// checkedDevices are those that check accesses. A GPU that is not there skips a test of its own, so that the
// other devices are tested all the same.
func checkedDevices(t *testing.T, names ...string) map[string]*nereid.Stream {
	t.Helper()
	out := map[string]*nereid.Stream{}
	for _, name := range names {
		var d *nereid.Device
		if strings.HasPrefix(name, "cuda:") {
			t.Run(name, func(t *testing.T) { d = txtest.Device(t, name, nereid.OpenDevice) })
		} else {
			d = txtest.Device(t, name, nereid.OpenDevice)
		}
		if d == nil {
			continue
		}
		s, err := d.NewStream(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		out[name] = s
	}
	return out
}

func checkedKernel(t testing.TB, name string) *nereid.Kernel {
	return kernelOf(t, "checked.py", checkedKernels, name, nereid.With(nereid.Config{Check: true}))
}

// TestCheckedFromManyGoroutines: with a hundred goroutines, of launches half of which go out of bounds none
// is missed, and none is refused that does not. Tensors overlap each other, some are closed while others run.
// NEREID_TEST_LAUNCHES is how many launches.
func TestCheckedFromManyGoroutines(t *testing.T) {
	total := 8_000
	if n, err := strconv.Atoi(os.Getenv("NEREID_TEST_LAUNCHES")); err == nil {
		total = n
	}
	for name, s := range checkedDevices(t, "cpu", "interp", "cuda:0") {
		n := total
		if name != "cpu" {
			n /= 4 // slower, and the same code around it
		}
		t.Run(name, func(t *testing.T) { manyChecked(t, s, n) })
	}
}

const goroutines = 100

func manyChecked(t *testing.T, s *nereid.Stream, total int) {
	k := checkedKernel(t, "copy")
	shared := make([]float32, 4096) // goroutines have parts of it, which overlap
	var good, bad, missed, refused atomic.Int64
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 7))
			for range total / goroutines {
				x, nx := randomTensor(t, s.Device(), shared, r)
				y, ny := randomTensor(t, s.Device(), nil, r)
				n, m := r.IntN(nx+1), r.IntN(ny+1)
				if m > n {
					m = n
				}
				wrong := r.IntN(2) == 0
				if wrong && r.IntN(2) == 0 {
					n = nx + 1 + r.IntN(3)
					y, m = nereid.FromSlice(make([]float32, 256)), n // what nobody stores, nobody need load
				} else if wrong {
					m = ny + 1 + r.IntN(3)
				}
				switch err := k.Launch(s, nereid.Grid{1}, x, y, n, m, 256); {
				case wrong && err == nil:
					missed.Add(1)
				case !wrong && err != nil:
					if refused.Add(1) == 1 {
						t.Errorf("refused: %v", err)
					}
				case wrong && !strings.Contains(err.Error(), "out of bounds"):
					t.Errorf("%v", err)
				}
				if wrong {
					bad.Add(1)
				} else {
					good.Add(1)
				}
				x.Close()
				y.Close()
			}
		})
	}
	wg.Wait()
	t.Logf("%d good launches, %d out of bounds: %d missed, %d refused", good.Load(), bad.Load(),
		missed.Load(), refused.Load())
	if missed.Load() != 0 || refused.Load() != 0 || good.Load() == 0 || bad.Load() == 0 {
		t.Fail()
	}
}

// randomTensor is a tensor and its length: a part of the shared slice, memory of the device, or a view of
// either.
func randomTensor(t *testing.T, dev *nereid.Device, shared []float32, r *rand.Rand) (*nereid.Tensor, int) {
	n := 1 + r.IntN(200)
	kind := r.IntN(4)
	if shared == nil {
		shared, kind = make([]float32, 512), r.IntN(4)
	}
	at := r.IntN(len(shared) - n)
	switch kind {
	case 0:
		return nereid.FromSlice(shared[at : at+n]), n
	case 1: // a view of a slice
		x := nereid.FromSlice(shared).Offset(4 * at)
		x.Shape = []int{n}
		return x, n
	}
	x, err := nereid.NewTensor(dev, nereid.Float32, n)
	if err != nil {
		t.Error(err)
	}
	if kind == 2 {
		cut := r.IntN(n)
		return x.Offset(4 * cut), n - cut
	}
	return x, n
}

// TestCheckedViews: a view's own bounds are those that count, whatever else lies around it.
func TestCheckedViews(t *testing.T) {
	for name, s := range checkedDevices(t, "cpu", "interp", "sim:90", "cuda:0") {
		at := checkedKernel(t, "at")
		launch := func(x *nereid.Tensor, i int) error { return at.Launch(s, nereid.Grid{1}, x, i) }
		data := make([]float32, 64)
		whole := nereid.FromSlice(data)
		device, err := nereid.NewTensor(s.Device(), nereid.Float32, 64)
		if err != nil {
			t.Fatal(err)
		}
		part := func(x *nereid.Tensor) *nereid.Tensor {
			v := x.Offset(4 * 16)
			v.Shape = []int{8}
			return v
		}
		back := func(x *nereid.Tensor) *nereid.Tensor {
			v := x.Offset(4 * 16)
			v.Shape, v.Strides = []int{8}, []int{-1}
			return v
		}
		for _, c := range []struct {
			what string
			x    *nereid.Tensor
			i    int
			ok   bool
		}{
			{"the first", whole, 0, true}, {"the last", whole, 63, true}, {"after", whole, 64, false},
			{"before", whole, -1, false},
			{"far", whole, 1 << 30, false}, {"far before", whole, -1 << 30, false},
			{"a slice's last", nereid.FromSlice(data[8:16]), 7, true},
			{"after a slice", nereid.FromSlice(data[8:16]), 8, false},
			{"before a slice", nereid.FromSlice(data[8:16]), -1, false},
			{"a view's first", part(whole), 0, true}, {"a view's last", part(whole), 7, true},
			{"after a view", part(whole), 8, false}, {"before a view", part(whole), -1, false},
			{"device", device, 63, true}, {"after device", device, 64, false},
			{"before device", device, -1, false}, {"a view of device", part(device), 7, true},
			{"after a view of device", part(device), 8, false}, {"before a view of device", part(device), -1,
				false}, {"an offset", device.Offset(4 * 60), 3, true},
			{"after an offset", device.Offset(4 * 60), 4, false}, {"backwards", back(device), -7, true},
			{"too far back", back(device), -8, false}, {"forwards", back(device), 1, false},
		} {
			if err := launch(c.x, c.i); (err == nil) != c.ok {
				t.Errorf("%s: %s: %v", name, c.what, err)
			}
		}
		// Two views of one memory at once, each with bounds of its own.
		k := checkedKernel(t, "copy")
		for _, x := range []*nereid.Tensor{whole, device} {
			if err := k.Launch(s, nereid.Grid{1}, part(x), x, 8, 64, 256); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if err := k.Launch(s, nereid.Grid{1}, part(x), x, 9, 64, 256); err == nil {
				t.Errorf("%s: a load beyond a view was missed, beside the whole", name)
			}
			if err := k.Launch(s, nereid.Grid{1}, x, part(x), 64, 9, 256); err == nil {
				t.Errorf("%s: a store beyond a view was missed, beside the whole", name)
			}
		}
	}
}

// TestCheckedPointers: a pointer is checked against the tensor of the argument that it was derived from, on
// the way through selections, loops and casts; one that was found in memory against all tensors of the launch
// and buffers of the device.
func TestCheckedPointers(t *testing.T) {
	s := checkedDevices(t, "cpu")["cpu"]
	data := make([]float32, 48)
	// beside each other, and with room after them
	x, y := nereid.FromSlice(data[:16]), nereid.FromSlice(data[16:32])
	for _, c := range []struct {
		kernel string
		args   []any
		ok     bool
	}{
		{"either", []any{x, y, 0, 15}, true}, {"either", []any{x, y, 1, 15}, true},
		{"either", []any{x, y, 0, 16}, false},
		{"either", []any{x, y, 1, 16}, false}, {"either", []any{x, y, 1, -1}, false},
		{"swap", []any{x, y, 2, 15}, true},
		{"swap", []any{x, y, 3, 15}, true}, {"swap", []any{x, y, 2, 16}, false},
		{"swap", []any{x, y, 3, -1}, false},
		{"retype", []any{x, 15}, true}, {"retype", []any{x, 16}, false}, {"retype", []any{y, -1}, false},
	} {
		if err := checkedKernel(t, c.kernel).Launch(s, nereid.Grid{1}, c.args...); (err == nil) != c.ok {
			t.Errorf("%s%v: %v", c.kernel, c.args[len(c.args)-2:], err)
		}
	}
	d, err := nereid.NewTensor(s.Device(), nereid.Float32, 16)
	if err != nil {
		t.Fatal(err)
	}
	target, err := nereid.AsSlice[float32](d)
	if err != nil {
		t.Fatal(err)
	}
	table := nereid.FromSlice([]int64{addressOf(target)})
	chase := checkedKernel(t, "chase")
	if err := chase.Launch(s, nereid.Grid{1}, table, 15); err != nil || target[15] != 7 {
		t.Errorf("a pointer from memory: %v, %v", err, target[15])
	}
	for _, i := range []int{16, -1} {
		if err := chase.Launch(s, nereid.Grid{1}, table, i); err == nil {
			t.Errorf("a pointer from memory, element %d: no error", i)
		}
	}
	d.Close()
	if err := chase.Launch(s, nereid.Grid{1}, table, 0); err == nil {
		t.Error("a pointer to a buffer that was closed: no error")
	}
}

// TestCheckPerLaunch: Options.Check checks the launch that it is given to, and no other, warm or not; so does
// Config.Check for a module, and a kernel that is bound.
func TestCheckPerLaunch(t *testing.T) {
	s := checkedDevices(t, "cpu")["cpu"]
	k := kernelOf(t, "checked.py", checkedKernels, "at", nereid.With(nereid.Config{}))
	data := make([]float32, 32)
	x := nereid.FromSlice(data[:16])
	for range 3 {
		if err := k.Launch(s, nereid.Grid{1}, x, 20); err != nil {
			t.Fatalf("without checks: %v", err)
		}
		err := k.Launch(s, nereid.Grid{1}, x, 20, nereid.Options{Check: true})
		if err == nil || !strings.Contains(err.Error(),
			"out of bounds store of 4 bytes: index 20 of x, which has 16 elements") {
			t.Fatalf("with checks: %v", err)
		}
	}
	b, err := k.Bind(s, x, 12, nereid.Options{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for _, c := range []struct {
		i  int64
		ok bool
	}{{12, true}, {15, true}, {17, false}, {3, true}} {
		if err := b.SetInt(1, c.i); err != nil {
			t.Fatal(err)
		}
		if err := b.Launch(nereid.Grid{1}); (err == nil) != c.ok {
			t.Errorf("bound, element %d: %v", c.i, err)
		}
	}
}

// TestCheckedBound: a bound kernel is checked against its current tensors: after one of them is replaced,
// each launch sees the bounds of both.
func TestCheckedBound(t *testing.T) {
	for name, s := range checkedDevices(t, "cpu", "interp", "sim:90", "cuda:0") {
		t.Run(name, func(t *testing.T) {
			made := func(n int) *nereid.Tensor {
				x, err := nereid.NewTensor(s.Device(), nereid.Float32, n)
				if err != nil {
					t.Fatal(err)
				}
				return x
			}
			b, err := checkedKernel(t, "copy").Bind(s, made(17), made(33), 17, 33, nereid.Arg("BLOCK", 64))
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			// No multiples of 16, for which there is other code. Of what is read, all is written.
			sizes := [2]int{17, 33}
			for _, change := range []struct{ param, size int }{{1, 34}, {0, 25}, {1, 26}, {0, 9}, {1, 61}} {
				if err := b.SetTensor(change.param, made(change.size)); err != nil {
					t.Fatal(err)
				}
				sizes[change.param] = change.size
				for _, c := range []struct {
					n, m int
					want string
				}{
					{sizes[0], sizes[1], ""},
					{sizes[0] + 1, sizes[1], fmt.Sprintf("of x, which has %d elements", sizes[0])},
					{sizes[0], sizes[1] + 1, fmt.Sprintf("of y, which has %d elements", sizes[1])},
				} {
					if err := errors.Join(b.SetInt(2, int64(c.n)), b.SetInt(3, int64(c.m))); err != nil {
						t.Fatal(err)
					}
					err := b.Launch(nereid.Grid{1})
					if err == nil {
						err = s.Sync()
					}
					if (err == nil) != (c.want == "") || !strings.Contains(fmt.Sprint(err), c.want) {
						t.Errorf("x has %d, y %d elements, %d are read, %d written: %v, want %q", sizes[0],
							sizes[1], c.n, c.m, err, c.want)
					}
				}
			}
		})
	}
}

// TestBoundKeeps: a tensor that a bound kernel alone still has keeps its memory.
func TestBoundKeeps(t *testing.T) {
	s := stream(t, "cpu")
	made := func(v float32) *nereid.Tensor {
		x, err := nereid.FromSlice(slices.Repeat([]float32{v}, 500)).To(s.Device())
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	out := made(0)
	b, err := kernelOf(t, "copied.py", checkedKernels, "copy").Bind(s, made(1), out, 500, 500,
		nereid.Arg("BLOCK", 512))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := b.SetTensor(0, made(2)); err != nil {
		t.Fatal(err)
	}
	for range 20 { // others take memory that is free
		runtime.GC()
		made(3)
		time.Sleep(time.Millisecond)
	}
	if err := errors.Join(b.Launch(nereid.Grid{1}), s.Sync()); err != nil {
		t.Fatal(err)
	}
	got, err := nereid.AsSlice[float32](out)
	if err != nil {
		t.Fatal(err)
	}
	if got[0] != 2 {
		t.Errorf("the copy has %v, not 2", got[0])
	}
}

// BenchmarkChecked is what launches cost with checks and without.
func BenchmarkChecked(b *testing.B) {
	dev := txtest.Device(b, "cpu", nereid.OpenDevice)
	s, err := dev.NewStream(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	k := kernelOf(b, "checked.py", checkedKernels, "at", nereid.With(nereid.Config{}))
	x := nereid.FromSlice(make([]float32, 16))
	for _, check := range []bool{false, true} {
		b.Run(fmt.Sprintf("check=%v", check), func(b *testing.B) {
			for b.Loop() {
				if err := k.Launch(s, nereid.Grid{1}, x, 3, nereid.Options{Check: check}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func addressOf(data []float32) int64 { return int64(uintptr(unsafe.Pointer(&data[0]))) }

// gatherKernels pick elements by indices that they load.
const gatherKernels = `
import triton
import triton.language as tl

@triton.jit
def pick(x, d, y, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(y + i, tl.gather(v, tl.load(d + i), 0))

@triton.jit
def rows(x, d, y, N: tl.constexpr):
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y + i, tl.gather(tl.load(x + i), tl.load(d + i), 1))
`

// TestCheckedGather: an index of tl.gather outside of its source is a fault at the kernel's line, on every
// device that checks, and indices inside are none.
func TestCheckedGather(t *testing.T) {
	const n = 32
	for name, s := range checkedDevices(t, "cpu", "interp", "sim:90", "sim:gfx942", "cuda:0") {
		for _, c := range []struct {
			kernel string
			size   int
			line   string
		}{{"pick", n, "9:"}, {"rows", n * n, "14:"}} {
			k := kernelOf(t, "gather.py", gatherKernels, c.kernel, nereid.With(nereid.Config{Check: true}))
			x, y, d := make([]float32, c.size), make([]float32, c.size), make([]int32, c.size)
			for i := range x {
				x[i], d[i] = float32(i), int32((i+3)%n)
			}
			for _, bad := range []int32{5, -1, n, 1 << 30, -1 << 31} {
				d[7] = bad
				err := k.Launch(s, nereid.Grid{1}, nereid.FromSlice(x), nereid.FromSlice(d),
					nereid.FromSlice(y), n)
				inside := bad >= 0 && bad < n
				if inside && (err != nil || y[7] != float32(bad)) {
					t.Errorf("%s %s: index %d: %v, %v", name, c.kernel, bad, y[7], err)
				}
				want := "out of bounds for axis"
				if name == "sim:gfx942" {
					want = "error: " // assertions of AMD's GPUs have no text
				}
				var f *nereid.Fault
				if !inside && (!errors.As(err, &f) || !strings.Contains(err.Error(), "gather.py:"+c.line) ||
					!strings.Contains(err.Error(), want)) {
					t.Errorf("%s %s: index %d: %v", name, c.kernel, bad, err)
				}
			}
		}
	}
}

// TestGatherNarrow: indices of 8 bits have no sign, on every device.
func TestGatherNarrow(t *testing.T) {
	const n = 256
	for name, s := range checkedDevices(t, "cpu", "interp", "sim:90", "cuda:0") {
		k := kernelOf(t, "gather.py", gatherKernels, "pick", nereid.With(nereid.Config{}))
		x, y, d := make([]float32, n), make([]float32, n), make([]uint8, n)
		for i := range x {
			x[i], d[i] = float32(i), uint8(255-i)
		}
		err := k.Launch(s, nereid.Grid{1}, nereid.FromSlice(x), nereid.FromSlice(d), nereid.FromSlice(y), n)
		if err != nil || y[0] != 255 || y[200] != 55 {
			t.Errorf("%s: %v, %v, %v", name, y[0], y[200], err)
		}
	}
}
