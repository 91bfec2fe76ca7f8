package nvidia

import (
	"errors"
	"math"
	"slices"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/gpucode"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
)

// ErrNoTile means that no tensor map describes what a launch's arguments make of a tile: the launch takes
// code without tiles.
var ErrNoTile = errors.New("no tensor map describes the arguments")

// tileWords is room for the words of a descriptor.
type tileWords [2*driver.MaxRank + 2]uint64

// tile returns the words of the descriptor that a launch's arguments make, as device.Descriptor.Words would.
// Kernels with tiles have no other descriptors, so that words and parameters have the same numbers.
func (k *Code) tile(m *gpucode.TensorMap, grid [3]int, words []uint64, made *tileWords) ([]uint64, error) {
	t, n := m.Tile, len(m.Box)
	for _, a := range t.Natural {
		if k.number(words, a) < 0 {
			return nil, ErrNoTile
		}
	}
	for _, x := range t.Multiples {
		if v := k.number(words, x.Arg); v < x.Of || v%x.Of != 0 {
			return nil, ErrNoTile
		}
	}
	for i := range t.Guards {
		if !k.guarded(t.Guards[i], grid, words) {
			return nil, ErrNoTile
		}
	}
	made[0] = words[t.Base]
	fits := made[0]%16 == 0
	for i, d := range t.Dims {
		size := int64(math.MaxInt32)
		if d.Size != nil {
			size = 0
			for _, s := range d.Size {
				size += k.product(words, s)
			}
		}
		stride := k.product(words, d.Stride)
		fits = fits && size > 0 && size <= math.MaxInt32
		if i < n-1 {
			bytes := stride * int64(m.ElemBytes)
			fits = fits && stride > 0 && bytes < 1<<40 && bytes%16 == 0
		}
		made[1+i], made[1+n+i] = uint64(size), uint64(stride)
	}
	if !fits {
		return nil, ErrNoTile
	}
	return made[:mapWords(n)], nil
}

// Apart returns the arguments of tiles with those through which the kernel may have stored before it loads
// them: the copy engine need not see what was stored.
func (k *Code) Apart() (out []device.Apart) {
	for _, m := range k.Maps {
		if m.Tile == nil {
			continue
		}
		for _, stored := range m.Tile.Apart {
			if x := (device.Apart{A: m.Tile.Base, B: stored}); !slices.Contains(out, x) {
				out = append(out, x)
			}
		}
	}
	return out
}

// number returns an argument of a launch as a signed integer.
func (k *Code) number(words []uint64, arg int) int64 {
	unused := 64 - 8*min(8, k.Params[arg])
	return int64(words[arg]) << unused >> unused
}

// product returns the value of a term for a launch; 0, which nothing accepts, if it is too large.
func (k *Code) product(words []uint64, t gpucode.TileTerm) int64 {
	p := t.Factor
	for _, a := range t.Args {
		v := k.number(words, a)
		if v != 0 && (p > 1<<40/v || p < -1<<40/v) {
			return 0
		}
		p *= v
	}
	return p
}

// tileIsRight reports whether a tile from a cache names arguments that are there.
func (k *Code) tileIsRight(m *gpucode.TensorMap) bool {
	t := m.Tile
	used := append(slices.Concat(t.Natural, t.Apart), t.Base)
	for _, x := range t.Multiples {
		used = append(used, x.Arg)
		if x.Of <= 0 {
			return false
		}
	}
	for _, g := range t.Guards {
		if !g.Valid() {
			return false
		}
		for i := 0; i < len(g); i += 2 {
			if g[i] == gpucode.GuardArg {
				used = append(used, int(g[i+1]))
			}
		}
	}
	for _, d := range t.Dims {
		for _, s := range append(slices.Clone(d.Size), d.Stride) {
			used = append(used, s.Args...)
		}
	}
	alone := !slices.ContainsFunc(k.Maps, func(o gpucode.TensorMap) bool { return o.Tile == nil })
	wrong := func(a int) bool {
		return a < 0 || a >= len(k.Params)-len(k.Maps) || k.Params[a] < 1
	}
	return alone && len(t.Dims) == len(m.Box) && !slices.ContainsFunc(used, wrong)
}
