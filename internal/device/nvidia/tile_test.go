package nvidia

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/nereid-lang/nereid/internal/device/gpucode"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
)

// tiled returns code with a tile: x + row*s + column, with n rows that must be a multiple of 32.
func tiled() *Code {
	return &Code{Name: "k", NumWarps: 4, Params: []int{8, 4, 4, driver.TensorMapBytes},
		guards: &guardTable{},
		Maps: []gpucode.TensorMap{{Param: 3, ElemBytes: 2, Box: []int{32, 64}, Tile: &gpucode.Tile{
			Base: 0, Natural: []int{1, 2}, Multiples: []gpucode.TileMultiple{{Arg: 1, Of: 32}},
			Dims: []gpucode.TileDim{
				{Stride: gpucode.TileTerm{Factor: 1, Args: []int{2}},
					Size: []gpucode.TileTerm{{Factor: 1, Args: []int{1}}}},
				{Stride: gpucode.TileTerm{Factor: 1}},
			},
			// n / 32 less the program's number
			Guards: []gpucode.TileGuard{{gpucode.GuardArg, 1, gpucode.GuardNumber, 32, gpucode.GuardDiv, 0,
				gpucode.GuardProgram, 0,
				gpucode.GuardSub, 0}},
		}}},
	}
}

// TestTileWords: arguments become the words of a descriptor, unless no tensor map describes them.
func TestTileWords(t *testing.T) {
	negative := func(n int32) uint64 { return uint64(uint32(-n)) }
	for _, c := range []struct {
		name  string
		words []uint64
		grid  int
		fits  bool
	}{
		{"rows", []uint64{4096, 64, 128}, 2, true},
		{"a last program beyond the rows", []uint64{4096, 64, 128}, 4, false},
		{"no multiple of 32", []uint64{4096, 65, 128}, 1, false},
		{"no rows", []uint64{4096, 0, 128}, 1, false},
		{"negative rows", []uint64{4096, negative(64), 128}, 1, false},
		{"a negative stride", []uint64{4096, 64, negative(128)}, 1, false},
		{"a stride of 8 bytes", []uint64{4096, 64, 4}, 1, false},
		{"no stride", []uint64{4096, 64, 0}, 1, false},
		{"an address of 8 bytes", []uint64{4104, 64, 128}, 1, false},
	} {
		k := tiled()
		for range 2 { // answers about guards are kept
			var made tileWords
			got, err := k.tile(&k.Maps[0], [3]int{c.grid, 7, 7}, c.words, &made)
			want := []uint64{4096, 64, math.MaxInt32, 128, 1, 0}
			if c.fits && !slices.Equal(got, want) || !c.fits && !errors.Is(err, ErrNoTile) {
				t.Errorf("%s: %v, %v", c.name, got, err)
			}
		}
	}
	k := tiled() // with a first row, of which nothing but its sign is known
	k.Params, k.Maps[0].Param = []int{8, 4, 4, 4, driver.TensorMapBytes}, 4
	k.Maps[0].Tile.Natural = []int{3}
	for first, fits := range map[int32]bool{
		0: true, 7: true, math.MaxInt32: true, -1: false, math.MinInt32: false,
	} {
		var made tileWords
		_, err := k.tile(&k.Maps[0], [3]int{1, 1, 1}, []uint64{4096, 64, 128, uint64(uint32(first))}, &made)
		if fits && err != nil || !fits && !errors.Is(err, ErrNoTile) {
			t.Errorf("the first row is %d: %v", first, err)
		}
	}
	if n := tiled().Words(); n != 3 {
		t.Errorf("a launch has %d words, not 3", n)
	}
}

// TestGuardLoops: a guard with loops holds if it does in all of their iterations,
// and there are not too many.
func TestGuardLoops(t *testing.T) {
	// n less i*32, for i from the program's number on below m by the number of programs
	one := gpucode.TileGuard{gpucode.GuardProgram, 0, gpucode.GuardArg, 1, gpucode.GuardPrograms, 0,
		gpucode.GuardEach, 0,
		gpucode.GuardArg, 0, gpucode.GuardIndex, 0, gpucode.GuardNumber, 32, gpucode.GuardMul, 0,
		gpucode.GuardSub, 0}
	// n less i + j, for i below m and j from i on below m
	two := gpucode.TileGuard{gpucode.GuardNumber, 0, gpucode.GuardArg, 1, gpucode.GuardNumber, 1,
		gpucode.GuardEach, 0,
		gpucode.GuardIndex, 0, gpucode.GuardArg, 1, gpucode.GuardNumber, 1, gpucode.GuardEach, 0,
		gpucode.GuardArg, 0, gpucode.GuardIndex, 0, gpucode.GuardIndex, 1, gpucode.GuardAdd, 0,
		gpucode.GuardSub, 0}
	// n, for i from 0 on below m by n
	by := gpucode.TileGuard{gpucode.GuardNumber, 0, gpucode.GuardArg, 1, gpucode.GuardArg, 0,
		gpucode.GuardEach, 0, gpucode.GuardArg, 0}
	for _, c := range []struct {
		name  string
		guard gpucode.TileGuard
		n, m  int64
		grid  int
		holds bool
	}{
		{"all iterations", one, 96, 4, 2, true},
		{"all but the last", one, 95, 4, 2, false},
		{"no iterations", one, -1, 0, 2, true},
		{"more programs than iterations", one, 0, 1, 100, true},
		{"a loop in a loop", two, 6, 4, 1, true},
		{"its last iteration", two, 5, 4, 1, false},
		{"too many iterations", two, 1 << 20, 1 << 10, 1, false},
		{"a step of 2", by, 2, 5, 1, true},
		{"no step", by, 0, 5, 1, false},
		{"iterations beyond 32 bits", by, 1 << 31, 1 << 33, 1, false},
	} {
		k := &Code{Params: []int{8, 8}, guards: &guardTable{}}
		if !c.guard.Valid() {
			t.Fatalf("%s: %v is not valid", c.name, c.guard)
		}
		got := k.guarded(c.guard, [3]int{c.grid, 1, 1}, []uint64{uint64(c.n), uint64(c.m)})
		if got != c.holds {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestTileFromCache: tiles that name what is not there are refused when code is restored.
func TestTileFromCache(t *testing.T) {
	if err := tiled().checkMaps(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(t *gpucode.Tile){
		"base":          func(t *gpucode.Tile) { t.Base = 3 },
		"stride":        func(t *gpucode.Tile) { t.Dims[0].Stride.Args = []int{-1} },
		"size":          func(t *gpucode.Tile) { t.Dims[0].Size[0].Args = []int{9} },
		"dimensions":    func(t *gpucode.Tile) { t.Dims = t.Dims[1:] },
		"multiple":      func(t *gpucode.Tile) { t.Multiples[0].Of = 0 },
		"guard's stack": func(t *gpucode.Tile) { t.Guards[0] = gpucode.TileGuard{gpucode.GuardAdd, 0} },
		"guard's arg":   func(t *gpucode.Tile) { t.Guards[0] = gpucode.TileGuard{gpucode.GuardArg, 5} },
		"guard's axis":  func(t *gpucode.Tile) { t.Guards[0] = gpucode.TileGuard{gpucode.GuardProgram, 3} },
		"guard's loop":  func(t *gpucode.Tile) { t.Guards[0] = gpucode.TileGuard{gpucode.GuardIndex, 0} },
		"guard's bounds": func(t *gpucode.Tile) {
			t.Guards[0] = gpucode.TileGuard{gpucode.GuardNumber, 0, gpucode.GuardNumber, 1,
				gpucode.GuardEach, 0,
				gpucode.GuardNumber, 0}
		},
		"guard's end": func(t *gpucode.Tile) {
			t.Guards[0] = gpucode.TileGuard{gpucode.GuardNumber, 0, gpucode.GuardNumber, 1,
				gpucode.GuardNumber, 1,
				gpucode.GuardEach, 0}
		},
		"guard's length": func(t *gpucode.Tile) { t.Guards[0] = gpucode.TileGuard{gpucode.GuardNumber} },
	} {
		k := tiled()
		spoil(k.Maps[0].Tile)
		if k.checkMaps() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
