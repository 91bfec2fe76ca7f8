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

// gridLaunches are the ways to launch the kernel that adds, once launched, for blocks of 16.
func gridLaunches(t *testing.T, s *nereid.Stream, x, y,
	out *nereid.Tensor) map[string]func(nereid.Grid) error {
	t.Helper()
	m, err := loadAdd()
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("add_kernel")
	if err != nil {
		t.Fatal(err)
	}
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
