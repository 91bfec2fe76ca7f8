//go:build !nereid_run

package foreign

import (
	"context"
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

const source = `
import triton
import triton.language as tl

@triton.jit
def add(x_ptr, out_ptr, n, s, mode: tl.constexpr, B: tl.constexpr, eps=0.5):
    at = tl.arange(0, B)
    v = tl.load(x_ptr + at, at < n) + s + eps
    if mode == "minus":
        v = -v
    tl.store(out_ptr + at, v, at < n)

@triton.heuristics({"B": lambda args: 32 if args["n"] > 16 else 16})
@triton.jit
def chosen(out_ptr, n, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(out_ptr + at, B, at < n)

@triton.heuristics({"B": lambda args: 32 if args["out_ptr"].numel() > 16 else 16})
@triton.jit
def sized(out_ptr, n, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(out_ptr + at, B, at < n)
`

// memory is 64 floats at an address divisible by 16.
type memory [64]float32

// fixture is a kernel on the CPU, and arguments that stay where they are.
type fixture struct {
	*testing.T
	k       *Kernel
	s       *nereid.Stream
	r       *Reader
	x, out  *memory
	strings [][]byte
}

func newFixture(t *testing.T, kernel string) *fixture {
	t.Helper()
	dev := txtest.Device(t, "cpu", nereid.OpenDevice)
	m, err := nereid.Parse("k.py", []byte(source), nereid.With(nereid.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel(kernel)
	if err != nil {
		t.Fatal(err)
	}
	s, err := dev.NewStream(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return &fixture{T: t, k: NewKernel(k), s: s, r: &Reader{Device: dev}, x: new(memory), out: new(memory)}
}

func (f *fixture) text(s string) *byte {
	b := append([]byte(s), 0)
	f.strings = append(f.strings, b)
	return &b[0]
}

func pointer(m *memory, skip int) Arg {
	p := unsafe.Pointer(&m[skip])
	return Arg{Kind: Ptr, DType: nereid.Float32, Value: uint64(uintptr(p)), Size: uint64(len(m)-skip) * 4}
}

func integer(v int64) Arg { return Arg{Kind: Int, Value: uint64(v)} }
func float(v float64) Arg { return Arg{Kind: Float, Value: math.Float64bits(v)} }
func (f *fixture) string(s string) Arg {
	return Arg{Kind: String, Value: uint64(uintptr(unsafe.Pointer(f.text(s))))}
}

func (f *fixture) named(name string, a Arg) Arg {
	a.Name = f.text(name)
	return a
}

// TestQuick repeats a launch in Go for arguments of the same look, and for no others.
func TestQuick(t *testing.T) {
	f := newFixture(t, "add")
	list := func() []Arg {
		return []Arg{pointer(f.x, 0), pointer(f.out, 0), integer(40), float(2), f.string("plus"),
			f.named("B", integer(64))}
	}
	grid := nereid.Grid{1}
	if err := f.k.Launch(f.r, f.s, grid, list(), nil); err != nil {
		t.Fatal(err)
	}
	quick := func(l []Arg, o *Options) bool {
		t.Helper()
		done, err := f.k.Quick(f.s, (*[3]int)(&grid), l, o)
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	change := func(i int, a Arg) []Arg {
		l := list()
		l[i] = a
		return l
	}
	for _, n := range []int64{40, 24, 7, -3} { // neither 1 nor divisible by 16
		if l := change(2, integer(n)); quick(l, nil) != (n%16 != 0) {
			t.Errorf("n is %d", n)
		}
	}
	f.x[3] = 4
	if !quick(change(3, float(10)), nil) || f.out[3] != 14.5 {
		t.Errorf("with another float: %v", f.out[3])
	}
	long := pointer(f.x, 0)
	long.Size = 0
	apart := long
	apart.Flags = FlagApart
	for name, l := range map[string][]Arg{
		"an n divisible by 16": change(2, integer(32)), "an n of 1": change(2, integer(1)),
		"a wide n": change(2, integer(1<<40+1)), "an integer for a float": change(3, integer(2)),
		"another text":      change(4, f.string("minus")),
		"another constexpr": change(5, f.named("B", integer(32))), "by position": change(5, integer(64)),
		"another name": change(5, f.named("C", integer(64))), "fewer": list()[:5],
		"a misaligned pointer": change(0, pointer(f.x, 1)), "an overlap": change(1, pointer(f.x, 4)),
		"an unknown size": change(0, long), "a NULL pointer": change(0,
			Arg{Kind: Ptr, DType: nereid.Float32, Size: 256}),
		"a flag": change(0, apart), "a number for a text": change(4, integer(4097)),
	} {
		if quick(l, nil) {
			t.Error(name)
		}
	}
	if quick(list(), &Options{NumWarps: 8}) || !quick(list(), &Options{}) {
		t.Error("options")
	}
	same := list()
	if n := testing.AllocsPerRun(100, func() { quick(same, nil) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestVain: after as many launches that gave nothing to repeat as maxVain says, no more is kept; before, the
// next launch that gives something is.
func TestVain(t *testing.T) {
	empty := byte(0) // options with a text are not repeated
	for _, n := range []int{0, 1, maxVain - 1, maxVain, maxVain + 5} {
		f := newFixture(t, "chosen")
		grid, list := nereid.Grid{1}, []Arg{pointer(f.out, 0), integer(20)}
		for range n {
			if err := f.k.Launch(f.r, f.s, grid, list, &Options{Extra: &empty}); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.k.Launch(f.r, f.s, grid, list, nil); err != nil {
			t.Fatal(err)
		}
		if done, err := f.k.Quick(f.s, (*[3]int)(&grid), list, nil); err != nil || done != (n < maxVain) {
			t.Errorf("after %d launches: %v, %v", n, done, err)
		}
	}
}

// TestOverlapping runs other code for memory that overlaps, or whose size is unknown, also when repeated.
func TestOverlapping(t *testing.T) {
	f := newFixture(t, "add")
	grid := nereid.Grid{1}
	for range 3 {
		for _, skip := range []int{0, 4} {
			for i := range f.x {
				f.x[i] = float32(i)
			}
			l := []Arg{pointer(f.x, 0), pointer(f.x, skip), integer(40), float(2), f.string("plus"),
				integer(64), float(0)}
			done, err := f.k.Quick(f.s, (*[3]int)(&grid), l, nil)
			if !done && err == nil {
				err = f.k.Launch(f.r, f.s, grid, l, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			for i := range 40 {
				if f.x[skip+i] != float32(i)+2 {
					t.Fatalf("skip %d: %v", skip, f.x)
				}
			}
		}
	}
}

// TestByValue repeats a launch that a decorator chose for, with the very values alone.
func TestByValue(t *testing.T) {
	f := newFixture(t, "chosen")
	grid := nereid.Grid{1}
	for i, n := range []int64{20, 20, 10, 10, 30, 20} {
		l := []Arg{pointer(f.out, 0), integer(n)}
		done, err := f.k.Quick(f.s, (*[3]int)(&grid), l, nil)
		if !done && err == nil {
			err = f.k.Launch(f.r, f.s, grid, l, nil)
		}
		want := float32(32)
		if n <= 16 {
			want = 16
		}
		if err != nil || f.out[0] != want || done != (i == 1 || i == 3 || i == 5) {
			t.Errorf("launch %d: %v, %v, %v", i, f.out[0], done, err)
		}
	}
}

// TestBySize repeats a launch for which a decorator looked at the size of memory, with the very size alone.
func TestBySize(t *testing.T) {
	f := newFixture(t, "sized")
	grid := nereid.Grid{1}
	for i, elements := range []uint64{64, 64, 8, 8, 20, 64} {
		out := pointer(f.out, 0)
		out.Size = 4 * elements
		l := []Arg{out, integer(4)}
		done, err := f.k.Quick(f.s, (*[3]int)(&grid), l, nil)
		if !done && err == nil {
			err = f.k.Launch(f.r, f.s, grid, l, nil)
		}
		want := float32(32)
		if elements <= 16 {
			want = 16
		}
		if err != nil || f.out[0] != want || i%2 == 1 && i < 4 && !done {
			t.Errorf("launch %d: %v, %v, %v", i, f.out[0], done, err)
		}
	}
}

// TestReadWords reads parameters of every width: signed ones keep their sign in a word, others have none.
func TestReadWords(t *testing.T) {
	var b [8]byte
	for i := range b {
		b[i] = 0xff
	}
	b[0] = 0xfd
	for size, short := range map[uint8]uint64{1: 0xfd, 2: 0xfffd, 4: 0xfffffffd, 8: math.MaxUint64 - 2} {
		for signed, want := range map[bool]uint64{false: short, true: math.MaxUint64 - 2} {
			r := read{size: size, signed: signed}
			if got := r.word(unsafe.Pointer(&b)); got != want {
				t.Errorf("%d bytes, signed %v: %#x, not %#x", size, signed, got, want)
			}
		}
	}
}

// TestListErrors names the argument that is wrong.
func TestListErrors(t *testing.T) {
	f := newFixture(t, "add")
	for want, a := range map[string]Arg{
		"argument 0: its kind is 99":        {Kind: 99},
		"argument 0: the pointer is NULL":   {Kind: Ptr, DType: nereid.Int8, Size: 4},
		"argument 0: its dtype is 0":        {Kind: Scalar},
		"argument 0: value.s is NULL":       {Kind: String},
		"argument 0: value.items is NULL":   {Kind: Tuple, Count: 1},
		"argument 0: value.desc is NULL":    {Kind: Descriptor},
		"argument 0: a tuple of 5000 items": {Kind: Tuple, Count: 5000, Value: 8},
	} {
		if _, err := f.r.List([]Arg{a}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
