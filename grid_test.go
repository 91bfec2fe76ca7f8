package nereid_test

import (
	"math"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestGridTooLarge: a grid that a device cannot run is an error on every way to a launch, and nothing runs.
func TestGridTooLarge(t *testing.T) {
	const most = math.MaxInt32
	grids := []struct {
		grid nereid.Grid
		gpu  bool // GPUs alone do not take it
	}{
		{grid: nereid.Grid{1 << 32}}, {grid: nereid.Grid{1 << 31}}, {grid: nereid.Grid{1, 1 << 32}},
		{grid: nereid.Grid{1, 1, 1 << 32}},
		{grid: nereid.Grid{math.MaxInt}}, {grid: nereid.Grid{1 << 30, 1 << 30, 1 << 4}},
		{grid: nereid.Grid{1 << 22, 1 << 21, 1 << 21}},
		{grid: nereid.Grid{most, most, most}}, {grid: nereid.Grid{-1}}, {grid: nereid.Grid{1, -1}},
		{grid: nereid.Grid{1, 1, math.MinInt}},
		{grid: nereid.Grid{1, 65536}, gpu: true}, {grid: nereid.Grid{1, 1, 65536}, gpu: true},
	}
	for _, name := range []string{"interp", "cpu", "sim:90", "cuda"} {
		t.Run(name, func(t *testing.T) {
			dev := txtest.Device(t, name, nereid.OpenDevice)
			s, err := dev.NewStream(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			x, y, out := tensors(t, dev, 64)
			launches := gridLaunches(t, s, x, y, out)
			for _, g := range grids {
				if g.gpu && name != "sim:90" && name != "cuda" {
					continue
				}
				for how, launch := range launches {
					for range 2 { // the second as repeated launches go
						if err := launch(g.grid); err == nil || !strings.Contains(err.Error(), "grid") {
							t.Errorf("%s with the grid %v returned %v", how, g.grid, err)
						}
					}
				}
			}
			for how, launch := range launches {
				if err := launch(nereid.Grid{4}); err != nil {
					t.Errorf("%s after that: %v", how, err)
				}
			}
		})
	}
}

// TestGridEmpty: a launch of no programs runs nothing and is no error, on every way to a launch; its
// arguments are checked all the same.
func TestGridEmpty(t *testing.T) {
	for _, name := range []string{"interp", "cpu", "sim:90", "cuda"} {
		t.Run(name, func(t *testing.T) {
			dev := txtest.Device(t, name, nereid.OpenDevice)
			s := txtest.Open(t, dev.NewStream, t.Context())
			emptyGrids(t, s)
		})
	}
}

// On a GPU, the driver is not asked to launch nothing, which it refuses.
func TestGridEmptyStub(t *testing.T) {
	onStub(t, func(t *testing.T, s *nereid.Stream, _ func() map[string]int) { emptyGrids(t, s) })
}

func emptyGrids(t *testing.T, s *nereid.Stream) {
	t.Helper()
	x, y, out := tensors(t, s.Device(), 64)
	k := freshAdd(t)
	if err := k.Launch(s, nereid.Grid{0, 3}, x, y, out, 64, 16); err != nil {
		t.Errorf("the first launch: %v", err)
	}
	if err := k.Launch(s, nereid.Grid{}, x, y, "out", 64, 16); err == nil {
		t.Error("arguments of an empty launch are not checked")
	}
	launches := gridLaunches(t, s, x, y, out)
	zero := make([]float32, 64)
	if err := nereid.CopyFrom(out, zero); err != nil {
		t.Fatal(err)
	}
	for how, launch := range launches {
		for _, g := range []nereid.Grid{{}, {0, 2, 3}, {}} {
			if err := launch(g); err != nil {
				t.Errorf("%s with the grid %v: %v", how, g, err)
			}
		}
	}
	if got := at(t, out, 5); got != 0 {
		t.Errorf("an empty launch wrote %v", got)
	}
	for how, launch := range launches {
		if err := launch(nereid.Grid{4}); err != nil {
			t.Errorf("%s after that: %v", how, err)
		}
	}
}

// TestGridEmptyTuned: a launch of no programs tunes nothing, so that no config wins by doing nothing.
func TestGridEmptyTuned(t *testing.T) {
	tunings := 0
	m, err := nereid.Parse("k.py", []byte(aheadKernel), nereid.With(nereid.Config{Tune: nereid.TuneOptions{
		Progress: func(nereid.Tuned) { tunings++ }}}))
	if err != nil {
		t.Fatal(err)
	}
	fill, err := m.Kernel("fill")
	if err != nil {
		t.Fatal(err)
	}
	s, x := stream(t, "cpu"), make([]float32, 64)
	launch := func(n int) error {
		return fill.Launch(s, nereid.GridFunc(func(m nereid.Meta) nereid.Grid {
			return nereid.Grid{nereid.Cdiv(m.Int("n"), m.Int("B"))}
		}), nereid.FromSlice(x), n)
	}
	if err := launch(0); err != nil || tunings != 0 {
		t.Errorf("an empty launch: %v, %d tunings", err, tunings)
	}
	if err := launch(64); err != nil || tunings == 0 || x[63] != 1 {
		t.Errorf("a launch after it: %v, %d tunings, %v", err, tunings, x[63])
	}
}

// freshAdd returns the kernel that adds, of a module that has compiled nothing yet.
func freshAdd(t *testing.T) *nereid.Kernel {
	t.Helper()
	m, err := loadAdd()
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("add_kernel")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// gridLaunches are the ways to launch the kernel that adds, once launched, for blocks of 16.
func gridLaunches(t *testing.T, s *nereid.Stream, x, y,
	out *nereid.Tensor) map[string]func(nereid.Grid) error {
	t.Helper()
	k := freshAdd(t)
	bound, err := k.Bind(s, x, y, out, 64, 16)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bound.Close() })
	tuned, err := nereid.Parse("tuned.py", []byte(tunedAdd))
	if err != nil {
		t.Fatal(err)
	}
	tk, err := tuned.Kernel("add")
	if err != nil {
		t.Fatal(err)
	}
	launches := map[string]func(nereid.Grid) error{
		"Launch": func(g nereid.Grid) error { return k.Launch(s, g, x, y, out, 64, 16) },
		"GridFunc": func(g nereid.Grid) error {
			return k.Launch(s, nereid.GridFunc(func(nereid.Meta) nereid.Grid { return g }), x, y, out, 64, 16)
		},
		"Bind": bound.Launch,
		"Typed": func(g nereid.Grid) error {
			return launchAdd(s, g, x, y, out, 64, addConsts{BLOCK_SIZE: 16})
		},
		"LaunchFunc": func(g nereid.Grid) error {
			call := typedAdd.Call(addConsts{BLOCK_SIZE: 16})
			call.Tensors(x, y, out)
			call.Int(64)
			return call.LaunchFunc(s, func(nereid.Meta) nereid.Grid { return g })
		},
		"tuned": func(g nereid.Grid) error { return tk.Launch(s, g, x, y, out, 64) },
	}
	for how, launch := range launches {
		if err := launch(nereid.Grid{4}); err != nil {
			t.Fatalf("%s: %v", how, err)
		}
	}
	return launches
}

const tunedAdd = `
import triton
import triton.language as tl

@triton.heuristics({"B": lambda args: 16})
@triton.jit
def add(x, y, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)
`
