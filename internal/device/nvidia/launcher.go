package nvidia

import (
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
	"github.com/nereid-lang/nereid/internal/uniform"
)

// A driver.Ready launches no more words than callers have room for.
const _ = uint(device.MaxLauncherWords - driver.MaxReady)

// launcher implements device.Launcher. It is allocated on its own: 64 bytes, which are one cache line.
type launcher struct{ driver.Ready }

// LaunchWords passes a launch to the driver.
func (l *launcher) LaunchWords(s device.Stream, x, y, z uint32, words []uint64, kept *uniform.Kept) error {
	return l.Launch(s.(stream).s, x, y, z, words, kept)
}

// ByHand returns how C launches the kernel itself, unless the host computes parameters of it.
func (l *launcher) ByHand() (device.ByHand, bool) {
	if l.Computes() {
		return device.ByHand{}, false
	}
	return device.ByHand(l.Parts()), true
}
