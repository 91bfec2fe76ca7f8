package nereid_test

import (
	"context"
	"fmt"
	"testing"
	"time"
	"unsafe"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/genrt"
	"github.com/nereid-lang/nereid/internal/txtest"
)

const overlapKernels = `
import triton
import triton.language as tl

@triton.jit
def shift(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.debug_barrier()
    tl.store(y + i, v + 1, mask=i < n)

@triton.jit
def turn(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i[:, None] * B + i[None, :])
    tl.store(y + i[:, None] * B + i[None, :], tl.trans(v) + n)

@triton.jit
def pair(p, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(p[0] + i, mask=i < n)
    tl.store(p[1] + i, v + 1, mask=i < n)

@triton.jit
def described(d, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = d.load([0])
    tl.store(y + i, v + 1, mask=i < n)

@triton.jit
def both(x, y, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n)
    tl.store(out + i, v, mask=i < n)

@triton.jit
def widen(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(x + i).to(tl.int32) + 1)

@triton.jit
def narrow(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, (tl.load(x + i) + 1).to(tl.int16))
`

// overlapModule is a module of overlapKernels and the options of what was compiled of it, in order.
func overlapModule(t testing.TB, opts ...nereid.LoadOption) (*nereid.Module, *[]bool) {
	t.Helper()
	compiled := new([]bool)
	hooks := nereid.Hooks{AfterCompile: func(v nereid.Variant, _ time.Duration, _ bool, err error) {
		if err == nil {
			*compiled = append(*compiled, v.Options.Overlap)
		}
	}}
	conf := nereid.EnvConfig()
	conf.Hooks, conf.Cache = hooks, nil
	m, err := nereid.Parse("overlap.py", []byte(overlapKernels),
		append([]nereid.LoadOption{nereid.With(conf)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return m, compiled
}

func cpuStream(t testing.TB) (*nereid.Device, *nereid.Stream) {
	t.Helper()
	dev := txtest.Device(t, "cpu", nereid.OpenDevice)
	s, err := dev.NewStream(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return dev, s
}

// overlapData is memory that counts, and a check that y is x of before, plus 1.
func overlapData(t testing.TB, x, y int) (data []int32, check func(how string)) {
	t.Helper()
	data = make([]int32, 1024)
	for i := range data {
		data[i] = int32(i)
	}
	return data, func(how string) {
		t.Helper()
		for i := range 256 {
			if got, want := data[y+i], int32(x+i+1); got != want {
				t.Fatalf("%s: element %d of y is %d, not %d", how, i, got, want)
			}
		}
	}
}

// TestOverlap: arguments that overlap get code that assumes nothing of them, compiled when it is first
// needed; others, and those that are the same where that is safe, do not.
func TestOverlap(t *testing.T) {
	_, s := cpuStream(t)
	for _, c := range []struct {
		kernel string
		x, y   int
		want   []bool // what is compiled
	}{
		{"shift", 0, 512, []bool{false}},
		{"shift", 512, 256, []bool{false}},
		{"shift", 0, 0, []bool{false}},
		{"shift", 0, 16, []bool{false, true}},
		{"shift", 16, 0, []bool{false, true}},
		{"shift", 0, 255, []bool{false, true}},
		{"turn", 0, 512, []bool{false}},
		{"turn", 0, 0, []bool{false, true}},
		{"pair", 0, 16, []bool{false, true}},
		{"pair", 0, 256, []bool{false}},
		{"described", 0, 16, []bool{false, true}},
		{"described", 256, 0, []bool{false}},
	} {
		t.Run(fmt.Sprint(c.kernel, " ", c.x, " ", c.y), func(t *testing.T) {
			m, compiled := overlapModule(t)
			k, err := m.Kernel(c.kernel)
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				data, check := overlapData(t, c.x, c.y)
				x, y := nereid.FromSlice(data[c.x:c.x+256]), nereid.FromSlice(data[c.y:c.y+256])
				args := []any{x, y, 256, 256}
				switch c.kernel {
				case "turn":
					args[2], args[3] = 1, 16
				case "pair":
					args = []any{[]any{x, y}, 256, 256}
				case "described":
					args[0] = &nereid.Descriptor{Base: x, Shape: []int64{256}, Strides: []int64{1},
						Block: []int64{256}}
				}
				if err := k.Launch(s, nereid.Grid{1}, args...); err != nil {
					t.Fatal(err)
				}
				if c.kernel != "turn" {
					check("Launch")
					continue
				}
				for i := range 256 {
					if got, want := data[c.y+i], int32(c.x+i%16*16+i/16+1); got != want {
						t.Fatalf("element %d is %d, not %d", i, got, want)
					}
				}
			}
			if fmt.Sprint(*compiled) != fmt.Sprint(c.want) {
				t.Errorf("compiled with Overlap %v, not %v", *compiled, c.want)
			}
		})
	}
}

// TestOverlapTypes: arguments at one address whose elements have different sizes are not in place: a vector
// of wide elements covers narrow ones that come later.
func TestOverlapTypes(t *testing.T) {
	_, s := cpuStream(t)
	for _, kernel := range []string{"widen", "narrow"} {
		m, compiled := overlapModule(t)
		k, err := m.Kernel(kernel)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			wide := make([]int32, 256)
			short := unsafe.Slice((*int16)(unsafe.Pointer(&wide[0])), len(wide))
			for i := range wide {
				if kernel == "widen" {
					short[i] = int16(i)
				} else {
					wide[i] = int32(i)
				}
			}
			x, y := any(nereid.FromSlice(short)), any(nereid.FromSlice(wide))
			if kernel == "narrow" {
				x, y = y, x
			}
			if err := k.Launch(s, nereid.Grid{1}, x, y, 256); err != nil {
				t.Fatal(err)
			}
			for i := range wide {
				if got := wide[i]; kernel == "widen" && got != int32(i)+1 {
					t.Fatalf("%s: element %d is %d", kernel, i, got)
				}
				if got := short[i]; kernel == "narrow" && got != int16(i)+1 {
					t.Fatalf("%s: element %d is %d", kernel, i, got)
				}
			}
		}
		if fmt.Sprint(*compiled) != "[false true]" {
			t.Errorf("%s: compiled with Overlap %v", kernel, *compiled)
		}
	}
}

// TestOverlapRead: arguments that are only read may overlap in the same code.
func TestOverlapRead(t *testing.T) {
	_, s := cpuStream(t)
	m, compiled := overlapModule(t)
	k, err := m.Kernel("both")
	if err != nil {
		t.Fatal(err)
	}
	data := make([]int32, 272)
	for i := range data {
		data[i] = int32(i)
	}
	out := make([]int32, 256)
	list := []any{nereid.FromSlice(data[:256]), nereid.FromSlice(data[16:]), nereid.FromSlice(out), 256, 256}
	for range 2 {
		if err := k.Launch(s, nereid.Grid{1}, list...); err != nil {
			t.Fatal(err)
		}
	}
	if out[0] != 16 || out[255] != 2*255+16 || fmt.Sprint(*compiled) != "[false]" {
		t.Errorf("%v; compiled with Overlap %v", out, *compiled)
	}
}

// TestOverlapWays: every way to a launch compares its arguments each time, and repeated launches allocate
// nothing, whatever they find.
func TestOverlapWays(t *testing.T) {
	dev, s := cpuStream(t)
	type consts struct {
		B       int
		Options nereid.Options
	}
	m, compiled := overlapModule(t)
	k, err := m.Kernel("shift")
	if err != nil {
		t.Fatal(err)
	}
	typed := genrt.Typed[consts]{
		Load: func() (*nereid.Module, error) { return m, nil }, Name: "shift",
		Consts: func(c consts) []any { return []any{nereid.Arg("B", c.B), c.Options} },
	}
	mem, err := nereid.NewTensor(dev, nereid.Int32, 1024)
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	data, err := nereid.AsSlice[int32](mem)
	if err != nil {
		t.Fatal(err)
	}
	view := func(at int) *nereid.Tensor {
		v := mem.Offset(4 * at)
		v.Shape = []int{256}
		return v
	}
	x := view(256)
	bound, err := k.Bind(s, x, view(768), 256, 256)
	if err != nil {
		t.Fatal(err)
	}
	defer bound.Close()
	ways := map[string]func(y *nereid.Tensor) error{
		"Launch": func(y *nereid.Tensor) error { return k.Launch(s, nereid.Grid{1}, x, y, 256, 256) },
		"by name": func(y *nereid.Tensor) error {
			return k.Launch(s, nereid.Grid{1}, nereid.Arg("B", 256), nereid.Arg("y", y), nereid.Arg("x", x),
				nereid.Arg("n", 256))
		},
		"Typed": func(y *nereid.Tensor) error {
			c := typed.Call(consts{B: 256})
			c.Tensors(x, y)
			c.Int(256)
			return c.Launch(s, nereid.Grid{1})
		},
		"Bind": func(y *nereid.Tensor) error {
			if err := bound.SetTensor(1, y); err != nil {
				return err
			}
			return bound.Launch(nereid.Grid{1})
		},
	}
	places := []*nereid.Tensor{view(512), view(256), view(272), view(0), view(240), view(768)}
	for how, launch := range ways {
		for range 3 {
			for _, y := range places {
				for i := range data {
					data[i] = int32(i)
				}
				if err := launch(y); err != nil {
					t.Fatalf("%s: %v", how, err)
				}
				got, _ := nereid.AsSlice[int32](y)
				for i := range 256 {
					if want := int32(256 + i + 1); got[i] != want {
						t.Fatalf("%s: element %d is %d, not %d", how, i, got[i], want)
					}
				}
			}
		}
	}
	if fmt.Sprint(*compiled) != "[false true]" {
		t.Errorf("compiled with Overlap %v, not once without and once with", *compiled)
	}
	if raceDetector {
		return
	}
	for _, how := range []string{"Launch", "Typed", "Bind"} {
		for i, y := range places {
			if n := testing.AllocsPerRun(100, func() {
				ways[how](y)
			}); n > 2 && how == "Launch" || n > 0 && how != "Launch" {
				t.Errorf("%s at place %d: %v allocations", how, i, n)
			}
		}
	}
}

// TestOverlapKept: both kinds of code are kept in a cache, apart from each other.
func TestOverlapKept(t *testing.T) {
	_, s := cpuStream(t)
	dir := t.TempDir()
	for round, want := range []nereid.CacheStats{{Compiled: 2}, {Disk: 2}} {
		c, err := nereid.OpenCache(nereid.CacheOptions{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		conf := nereid.EnvConfig()
		conf.Cache = c
		m, _ := overlapModule(t, nereid.With(conf))
		k, err := m.Kernel("shift")
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []int{512, 16, 300, 0} {
			data, check := overlapData(t, 0, at)
			if err := k.Launch(s, nereid.Grid{1}, nereid.FromSlice(data[:256]),
				nereid.FromSlice(data[at:at+256]), 256, 256); err != nil {
				t.Fatal(err)
			}
			check(fmt.Sprint("round ", round))
		}
		if got := c.Stats(); got != want {
			t.Errorf("round %d: the cache counts %+v, not %+v", round, got, want)
		}
		c.Close()
	}
}

// BenchmarkOverlap compares a launch whose arguments are apart with one in place and one that overlaps.
func BenchmarkOverlap(b *testing.B) {
	_, s := cpuStream(b)
	m, _ := overlapModule(b)
	k, err := m.Kernel("shift")
	if err != nil {
		b.Fatal(err)
	}
	data := make([]int32, 4096)
	x := nereid.FromSlice(data[:1024])
	for _, at := range []int{1024, 0, 16} {
		y := nereid.FromSlice(data[at : at+1024])
		args := []any{x, y, 1024, 1024}
		b.Run(fmt.Sprint(at), func(b *testing.B) {
			for b.Loop() {
				if err := k.Launch(s, nereid.Grid{1}, args...); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestDevicesInTurn launches one kernel with the same arguments on two devices that read host memory, in
// turn: each launch runs on its own stream's device. The interpreter refuses to read behind the end of a
// tensor, which code of the CPU does.
func TestDevicesInTurn(t *testing.T) {
	_, cpu := cpuStream(t)
	dev, err := nereid.OpenDevice("interp")
	if err != nil {
		t.Fatal(err)
	}
	interp := txtest.Open(t, dev.NewStream, t.Context())
	m, _ := overlapModule(t)
	k, err := m.Kernel("shift")
	if err != nil {
		t.Fatal(err)
	}
	data, out := make([]int32, 256), make([]int32, 256)
	args := []any{nereid.FromSlice(data[:200]), nereid.FromSlice(out), 256, 256}
	for i := range 8 {
		s, fails := cpu, i%4 >= 2
		if fails {
			s = interp
		}
		err := k.Launch(s, nereid.Grid{1}, args...)
		if err == nil {
			err = s.Sync()
		}
		if (err != nil) != fails {
			t.Fatalf("launch %d on %s: %v", i, s.Device(), err)
		}
		if fails { // the error stays with its stream
			interp = txtest.Open(t, dev.NewStream, t.Context())
		}
	}
}
