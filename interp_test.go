package nereid_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

const faulty = `
import triton
import triton.language as tl

@triton.jit
def first(x_ptr, out_ptr):
    tl.store(out_ptr, tl.load(x_ptr + tl.program_id(0)))

@triton.jit
def talk(x_ptr):
    tl.device_print("x", tl.load(x_ptr))

@triton.jit
def forever(x_ptr):
    while tl.load(x_ptr) == 0:
        tl.store(x_ptr, 0)
`

func launchOn(t *testing.T, dev *nereid.Device, name string, grid nereid.Grid, args ...any) error {
	t.Helper()
	m, err := nereid.Parse("faulty.py", []byte(faulty))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := dev.NewStream(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return k.Launch(s, grid, args...)
}

func tensor(t *testing.T, dev *nereid.Device, n int) *nereid.Tensor {
	t.Helper()
	x, err := nereid.NewTensor(dev, nereid.Float32, n)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// What the interpreter looks for on request, and does not look for otherwise.
func TestInterpreterChecks(t *testing.T) {
	for _, c := range []struct {
		name    string
		opts    nereid.InterpOptions
		written int // bytes of x that are written before
		want    string
	}{
		{"nothing", nereid.InterpOptions{}, 0, ""},
		{"uninit", nereid.InterpOptions{CheckUninit: true}, 4, "faulty.py:7"},
		{"uninit, all written", nereid.InterpOptions{CheckUninit: true}, 8, ""},
		{"races", nereid.InterpOptions{CheckRaces: true}, 8, "faulty.py:7"},
	} {
		dev := nereid.NewInterpreter(c.opts)
		x, out := tensor(t, dev, 2), tensor(t, dev, 1)
		data := []byte{0, 0, 128, 63, 0, 0, 0, 64}[:c.written] // 1, 2
		if err := x.CopyBytesFrom(data); err != nil {
			t.Fatal(err)
		}
		err := launchOn(t, dev, "first", nereid.Grid{2}, x, out)
		if c.want == "" && err != nil || c.want != "" &&
			(err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

// TestInterpreterMarked launches on memory of the caller, which has no value where it holds the mark.
func TestInterpreterMarked(t *testing.T) {
	dev := nereid.NewInterpreter(nereid.InterpOptions{CheckUninit: true, CheckRaces: true})
	mark := []float32{math.Float32frombits(0xc1f8b42d), math.Float32frombits(0x9e6d57a3)}
	for _, c := range []struct {
		x    []float32
		want string
	}{
		{mark, "load of index 0 of x_ptr, which nobody has written"},
		{[]float32{1, 2}, "race: store to index 0 of out_ptr"}, {[]float32{1, 1}, ""},
	} {
		out := make([]float32, 1)
		err := launchOn(t, dev, "first", nereid.Grid{2}, nereid.FromSlice(c.x), nereid.FromSlice(out))
		if c.want == "" && err != nil || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%v: got %v, want %q", c.x, err, c.want)
		}
	}
}

func TestInterpreterOptions(t *testing.T) {
	var out bytes.Buffer
	if err := launchOn(t, nereid.NewInterpreter(nereid.InterpOptions{Stdout: &out}), "talk", nereid.Grid{1},
		nereid.FromSlice([]float32{2.5})); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "2.5") {
		t.Errorf("printed %q", out.String())
	}
	err := launchOn(t, nereid.NewInterpreter(nereid.InterpOptions{MaxSteps: 1000}), "forever", nereid.Grid{1},
		nereid.FromSlice([]float32{0}))
	if err == nil || !strings.Contains(err.Error(), "faulty.py:1") {
		t.Errorf("got %v", err)
	}
}

// The interpreter can look for more than accesses out of bounds: here two programs store different values
// to one place.
func ExampleNewInterpreter() {
	m, _ := nereid.Parse("first.py", []byte(`
import triton
import triton.language as tl

@triton.jit
def first(x_ptr, out_ptr):
    tl.store(out_ptr, tl.load(x_ptr + tl.program_id(0)))
`))
	k, _ := m.Kernel("first")
	s, _ := nereid.NewInterpreter(nereid.InterpOptions{CheckRaces: true}).NewStream(context.Background())
	defer s.Close()
	fmt.Println(k.Launch(s, nereid.Grid{2}, nereid.FromSlice([]int32{1, 2}),
		nereid.FromSlice(make([]int32, 1))))
	// Output:
	// first.py:7:5: error: race: store to index 0 of out_ptr, where program (0, 0, 0) has stored another value
	//         tl.store(out_ptr, tl.load(x_ptr + tl.program_id(0)))
	//         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
	//     in kernel first, program (1, 0, 0)
}
