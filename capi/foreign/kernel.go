//go:build !nereid_run

package foreign

import (
	"slices"
	"sync/atomic"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
	"github.com/nereid-lang/nereid/internal/runtime/warm"
)

// Kernel is a kernel that is launched with arguments in C's memory.
type Kernel struct {
	k      *nereid.Kernel
	params *args.Params
	last   atomic.Pointer[cut] // that of the launch before
	all    atomic.Pointer[[]*cut]
	vain   atomic.Int32 // launches that gave no cut
	words  device.Spare[[maxWords]uint64]
}

const (
	maxCuts = 256 // of a kernel
	maxVain = 64  // after so many launches without a cut the kernel gets no more
)

// NewKernel returns a kernel for launches.
func NewKernel(k *nereid.Kernel) *Kernel {
	return &Kernel{k: k, params: jit.Params(k)}
}

// Quick launches by an earlier launch with arguments of the same look, without allocating. Otherwise done is
// false and nothing has happened. The stream must not be nil.
func (k *Kernel) Quick(s *nereid.Stream, grid *[3]int, list []Arg, o *Options) (done bool, err error) {
	c := k.last.Load()
	if c == nil {
		return false, nil
	}
	if done, err = c.launch(k, s, grid, list, o); done {
		return done, err
	}
	for _, c := range *k.all.Load() {
		if done, err = c.launch(k, s, grid, list, o); done {
			k.last.Store(c)
			return done, err
		}
	}
	return false, nil
}

// Launch launches the long way: it compiles if need be, and keeps a cut for launches like this one.
func (k *Kernel) Launch(r *Reader, s *nereid.Stream, grid nereid.Programs, list []Arg, o *Options) error {
	list = slices.Clone(list) // what the cut is made of must be what was launched
	values, err := r.List(list, o)
	if err != nil {
		return err
	}
	_, fixed := grid.(nereid.Grid)
	if s == nil || !fixed || r.Sized || k.vain.Load() >= maxVain {
		return k.k.Launch(s, grid, values...)
	}
	kept := false
	err = jit.Launch(k.k, s, grid, values, func(p *warm.Plan, byValue bool) {
		if c := newCut(p, k.params, list, o, byValue); c != nil {
			k.keep(c)
			kept = true
		}
	})
	if !kept && err == nil {
		k.vain.Add(1)
	}
	return err
}

// keep adds a cut, and drops all others if there are too many.
func (k *Kernel) keep(c *cut) {
	for {
		old := k.all.Load()
		list := []*cut{c}
		if old != nil && len(*old) < maxCuts {
			list = append(list, *old...)
		}
		if k.all.CompareAndSwap(old, &list) {
			break
		}
	}
	k.last.Store(c)
}
