package nereid_test

import (
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/genrt"
)

const decoratedKernel = `
import triton
import triton.language as tl

@triton.autotune(configs=[triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32}, num_warps=8)], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0,
                    "SCALE": lambda args: 10 if args["n"] > 40 else 1})
@triton.jit
def fill(x_ptr, n, v, BLOCK: tl.constexpr, EVEN: tl.constexpr, SCALE: tl.constexpr,
         MODE: tl.constexpr = "plain"):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, v * SCALE, mask=i < n)
`

type fillConsts struct{ MODE string }

// Launches of a kernel under decorators allocate nothing once their arguments were seen, and what
// decorators choose depends on values: of two launches alike but for them, each gets its own.
func TestDecoratedLaunches(t *testing.T) {
	conf := nereid.Config{Tune: nereid.TuneOptions{Warmup: time.Microsecond, Rep: 100 * time.Microsecond}}
	load := func() (*nereid.Module, error) {
		return nereid.Parse("fill.py", []byte(decoratedKernel), nereid.With(conf))
	}
	m, err := load()
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("fill")
	if err != nil {
		t.Fatal(err)
	}
	typed := genrt.Typed[fillConsts]{Load: load, Name: "fill", Consts: func(c fillConsts) []any {
		return []any{nereid.Arg("MODE", c.MODE)}
	}}
	s := stream(t, "cpu")
	x, err := nereid.NewTensor(s.Device(), nereid.Float32, 64)
	if err != nil {
		t.Fatal(err)
	}
	grid := nereid.GridFunc(func(m nereid.Meta) nereid.Grid {
		return nereid.Grid{(64 + m.Int("BLOCK") - 1) / m.Int("BLOCK")}
	})
	anyGrid := nereid.Programs(grid)
	small, large := []any{x, 32, 3}, []any{x, 48, 3}
	generated := func(n int) func() error {
		return func() error {
			call := typed.Call(fillConsts{"plain"})
			call.Tensor(x)
			call.Int(int64(n))
			call.Int(3)
			return call.LaunchFunc(s, grid)
		}
	}
	for _, c := range []struct {
		name   string
		want   float64
		launch func() error
	}{
		{"Launch, small", 3, func() error { return k.Launch(s, anyGrid, small...) }},
		{"Launch, large", 30, func() error { return k.Launch(s, anyGrid, large...) }},
		{"Launch, small again", 3, func() error { return k.Launch(s, anyGrid, small...) }},
		{"generated, small", 3, generated(32)},
		{"generated, large", 30, generated(48)},
		{"generated, small again", 3, generated(32)},
	} {
		for range 2 {
			if err := c.launch(); err != nil || at(t, x, 31) != c.want {
				t.Fatalf("%s: %v, %v", c.name, at(t, x, 31), err)
			}
		}
		if n := testing.AllocsPerRun(100, func() { c.launch() }); n != 0 && !raceDetector {
			t.Errorf("%s: %v allocations", c.name, n)
		}
	}
}

func BenchmarkDecorated(b *testing.B) {
	m, err := nereid.Parse("fill.py", []byte(decoratedKernel), nereid.With(nereid.Config{}))
	if err != nil {
		b.Fatal(err)
	}
	k, err := m.Kernel("fill")
	if err != nil {
		b.Fatal(err)
	}
	s := stream(b, "cpu")
	x, err := nereid.NewTensor(s.Device(), nereid.Float32, 64)
	if err != nil {
		b.Fatal(err)
	}
	args, grid := []any{x, 32, 3}, nereid.Programs(nereid.GridFunc(func(nereid.Meta) nereid.Grid {
		return nereid.Grid{1}
	}))
	if err := k.Launch(s, grid, args...); err != nil { // tunes
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := k.Launch(s, grid, args...); err != nil {
			b.Fatal(err)
		}
	}
}
