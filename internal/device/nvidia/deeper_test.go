package nvidia

import (
	"context"
	"testing"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/gpucode"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
)

// TestOtherDepth: code for few programs is not run by launches of many, nor that of persistent kernels by
// launches with one for each SM.
func TestOtherDepth(t *testing.T) {
	few, many, deep := [3]int{132, 1, 1}, [3]int{999, 1, 1}, []int{3, 5, 4, 3, 3, 3}
	never, always := gpucode.TileGuard{gpucode.GuardNumber, -1}, gpucode.TileGuard{gpucode.GuardNumber, 0}
	long := &Code{Persistent: true, Short: never, guards: &guardTable{}}
	short := &Code{Persistent: true, Short: always, guards: &guardTable{}}
	forFew, stays := &Code{Depths: deep, BlocksPerSM: 1}, &Code{Persistent: true}
	for _, x := range []struct {
		code *Code
		grid [3]int
		want int
	}{
		{&Code{}, few, -1}, {&Code{Depths: deep}, few, 1}, {forFew, few, -1}, {forFew, [3]int{0, 1, 1}, -1},
		{forFew, many, 0}, {forFew, [3]int{9999, 1, 1}, 0},
		{stays, few, 1}, {stays, [3]int{133, 1, 1}, -1}, {stays, many, -1},
		{stays, [3]int{0, 1, 1}, -1}, {long, many, 0}, {long, few, 1}, {short, many, -1}, {short, few, 1},
	} {
		if got := x.code.OtherDepth(x.grid, nil, 132); got != x.want {
			t.Errorf("%+v, grid %v: %d, want %d", x.code, x.grid, got, x.want)
		}
	}
}

// TestDeeperStack: code with deeper pipelines runs unless it keeps more on the stack than the code for all
// launches, whichever of the two was made first.
func TestDeeperStack(t *testing.T) {
	depths := []int{2, 3, 3, 2, 2, 2}
	made := func(blocks, stack int) *kernel {
		return &kernel{code: &Code{BlocksPerSM: blocks, Depths: depths},
			fn: &driver.Function{LocalBytes: stack}, dev: &Device{dev: &driver.Device{SMs: 132}}}
	}
	few := [3]int{64, 1, 1}
	for _, x := range []struct {
		general, deep int // bytes on the stack
		want          int // blocks per SM for which the running code is made
	}{{0, 0, 1}, {0, 8, 0}, {8, 8, 1}, {344, 464, 0}, {464, 344, 1}} {
		for first, own := range []*kernel{made(0, x.general), made(1, x.deep)} {
			other := made(1-first, []int{x.general, x.deep}[1-first])
			own.maker = func(context.Context, device.Way, bool) (device.Executable, error) {
				return other, nil
			}
			var e device.Executable = other
			own.byBlocks[gpucode.KindOf(1-first)].made.Store(&e)
			got := own.deeper(nil, few, nil)
			if got == nil {
				got = own
			}
			if got.code.BlocksPerSM != x.want || got != own && got.deeper(nil, few, nil) != nil {
				t.Errorf("%d and %d bytes, blocks %d first: runs the code of blocks %d, want %d",
					x.general, x.deep, first, got.code.BlocksPerSM, x.want)
			}
		}
	}
}
