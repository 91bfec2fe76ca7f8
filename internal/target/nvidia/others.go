package nvidia

import (
	"context"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/lower"
	"github.com/nereid-lang/nereid/internal/target"
)

// Others is the further code of a kernel's specialization, made when a launch first needs it: for arguments
// that no tensor map describes, and for launches with more or fewer programs on an SM.
type Others struct {
	maker   target.Maker     // nil if there is no compiler
	whole   other            // without tensor maps of tiles: serves all launches
	merged  [2][4]other      // programs that do the work of 2, 4, 8: by the logarithm; [1] for strides of 1
	staying other            // programs that stay on their SMs
	sharing [gpu.Kinds]other // deeper pipelines and requests ahead, by the kind of launch
}

// Otherwise sets how to make the code.
func (o *Others) Otherwise(maker target.Maker) { o.maker = maker }

// LaunchWhole launches the code that serves all launches.
func (o *Others) LaunchWhole(ctx context.Context, s target.Stream, grid [3]int, words []uint64) error {
	if o.maker == nil {
		return ErrNoTile
	}
	e, err := o.whole.get(ctx, o.maker, device.Way{}, false)
	if err != nil {
		return err
	}
	return e.Launch(ctx, s, grid, words)
}

// PrepareWhole makes the code that serves all launches, if code may not fit some.
func (o *Others) PrepareWhole(ctx context.Context, code *Code) error {
	tile := func(m lower.TensorMap) bool { return m.Tile != nil }
	if o.maker == nil || !slices.ContainsFunc(code.Maps, tile) {
		return nil
	}
	_, err := o.whole.get(ctx, o.maker, device.Way{}, true)
	return err
}

// Merged returns the code of merged programs, for launches whose strides are 1 if unit.
func (o *Others) Merged(ctx context.Context, merge int, unit bool) (target.Executable, error) {
	list := &o.merged[0]
	if unit {
		list = &o.merged[1]
	}
	return list[bits.Len(uint(merge))-1].get(ctx, o.maker, device.Way{Merge: merge, Unit: unit}, false)
}

// HasMaker reports whether other code can be made.
func (o *Others) HasMaker() bool { return o.maker != nil }

// HasWhole reports whether the code that serves all launches is made.
func (o *Others) HasWhole() bool { return o.whole.Made() != nil }

// Deeper returns the code whose pipelines and requests ahead are for launches of a sharing, nil if there is
// none. wait says that it may be made now.
func (o *Others) Deeper(ctx context.Context, sharing int, wait func() bool) target.Executable {
	return o.ifMade(ctx, &o.sharing[gpu.KindOf(sharing)], device.Way{Fallback: true, Sharing: sharing}, wait)
}

// Staying returns the code whose programs stay on their SMs, nil if there is none. wait says that it may be
// made now.
func (o *Others) Staying(ctx context.Context, wait func() bool) target.Executable {
	return o.ifMade(ctx, &o.staying, device.Way{Fallback: true, Persist: true}, wait)
}

// ifMade returns code that launches can do without, nil if there is none.
func (o *Others) ifMade(ctx context.Context, x *other, way device.Way, wait func() bool) target.Executable {
	if o.maker == nil {
		return nil
	}
	if e := x.Made(); e != nil || x.failed.Load() || !wait() {
		return e
	}
	e, err := x.get(ctx, o.maker, way, false)
	if err != nil {
		x.failed.Store(ctx.Err() == nil)
		return nil
	}
	return e
}

// All returns the code that is made.
func (o *Others) All() (list []target.Executable) {
	all := []*other{&o.whole, &o.staying}
	for i := range o.merged[0] {
		all = append(all, &o.merged[0][i], &o.merged[1][i])
	}
	for i := range o.sharing {
		all = append(all, &o.sharing[i])
	}
	for _, x := range all {
		if e := x.Made(); e != nil {
			list = append(list, e)
		}
	}
	return list
}

// other is code that is made once.
type other struct {
	mu     sync.Mutex
	made   atomic.Pointer[target.Executable]
	failed atomic.Bool // it is not tried again
}

// Made returns the executable, or nil if there is none yet.
func (o *other) Made() target.Executable {
	if e := o.made.Load(); e != nil {
		return *e
	}
	return nil
}

func (o *other) get(ctx context.Context, maker target.Maker, way device.Way, ahead bool) (target.Executable,
	error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if e := o.Made(); e != nil {
		return e, nil
	}
	e, err := maker(ctx, way, ahead)
	if err != nil {
		return nil, err
	}
	o.made.Store(&e)
	return e, nil
}
