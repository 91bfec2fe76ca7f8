package selftest

import (
	"slices"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

// place is what cases must know of a device.
type place struct {
	dev    *nereid.Device
	gpu    bool // a real one, which is large and runs launches in the background
	judges bool // kernels compare memory; if not, the host does
	checks bool // it checks every access itself: an interpreter or a simulator
	tma    bool // it has a copy engine
	chip   chip.Chip
}

// placeOf returns what a device has, and the chip of the code that is compiled for it: a device that is no
// GPU follows the rules of cuda:90.
func placeOf(dev *nereid.Device, target string) *place {
	traits := core.Traits(dev)
	own := chip.Target(target)
	p := &place{dev: dev, gpu: traits.Hardware, judges: traits.Hardware, checks: traits.ChecksAlways,
		tma: own.TMA, chip: own}
	if own.Backend == "" {
		p.chip = chip.CUDA(90)
	}
	return p
}

// guard returns the bytes that are kept before and behind an output, to see writes outside of it. A device
// that checks accesses has none: it would not see reads of them.
func (p *place) guard() int {
	if p.checks {
		return 0
	}
	return 4096
}

// products returns the types of operands that the device can multiply.
func (p *place) products() []nereid.DType {
	types := []nereid.DType{nereid.Float16, nereid.BFloat16, nereid.Float32, nereid.Int8}
	switch {
	case p.chip.FP8Conversions:
		types = append(types, nereid.Float8E4NV, nereid.Float8E5)
	case p.chip.MFMA == 3:
		types = append(types, nereid.Float8E4B8, nereid.Float8E5B16)
	}
	return types
}

// precision returns the input precision of products: not all of AMD's GPUs have tf32.
func (p *place) precision() string {
	if !slices.Contains(p.chip.DotPrecisions, "tf32") {
		return "ieee"
	}
	return "tf32"
}

// size is the size of a product: rows, columns and the length of its sums.
type size struct{ m, n, k int }

// sizes returns the sizes of products. Launches of a GPU fill it; others are small.
func (p *place) sizes() []size {
	if p.gpu {
		return []size{
			{2048, 2048, 512}, {2048, 2048, 1024}, {2048, 2048, 2048},
			{2048, 2048, 512}, {2048, 2048, 1024}, {2048, 2048, 2048},
			{1000, 2072, 776}, {1999, 1033, 515},
		}
	}
	return []size{{64, 64, 64}, {64, 64, 128}, {48, 80, 96}, {37, 51, 43}}
}
