package nvidia

import (
	"context"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/gpucode"
)

// Others is the further code of a kernel's specialization, made when a launch first needs it: for arguments
// that no tensor map describes, and for launches with more or fewer programs on an SM.
type Others struct {
	base     *Others              // those of the code that chose this one, which shares them; or nil
	maker    device.Maker         // nil if there is no compiler
	whole    other                // code without tensor maps of tiles: it serves all launches
	merged   [2][4]other          // programs that do the work of 2, 4, 8, by the logarithm; [1]: strides of 1
	staying  other                // persistent code
	byBlocks [gpucode.Kinds]other // deeper pipelines and prefetches, by the kind of launch
}

// Otherwise sets how to make the code.
func (o *Others) Otherwise(maker device.Maker) { o.maker = maker }

// root returns where the further code of the specialization is.
func (o *Others) root() *Others {
	for o.base != nil {
		o = o.base
	}
	return o
}

// under lets code share the further code of the code that chose it.
func (o *Others) under(base *Others) { o.base = base }

// LaunchWhole launches the code that serves all launches.
func (o *Others) LaunchWhole(ctx context.Context, s device.Stream, grid [3]int, words []uint64) error {
	if o.maker == nil {
		return ErrNoTile
	}
	e, err := o.get(ctx, device.Way{}, false)
	if err != nil {
		return err
	}
	return e.Launch(ctx, s, grid, words)
}

// PrepareForms makes the code that serves all launches, if code may not fit some, and the code that launches
// of some ways run instead: those for which want returns true. One of the latter that cannot be made is left
// out, as a launch would do without it.
func (o *Others) PrepareForms(ctx context.Context, code *Code, ways []device.Way,
	want func(device.Way) bool) error {
	if o.maker == nil {
		return nil
	}
	tile := func(m gpucode.TensorMap) bool { return m.Tile != nil }
	if slices.ContainsFunc(code.Maps, tile) {
		if _, err := o.get(ctx, device.Way{}, true); err != nil {
			return err
		}
	}
	for _, way := range ways {
		if !want(way) {
			continue
		}
		if _, err := o.get(ctx, way, true); err != nil && ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// slot returns the place of the code of a way.
func (o *Others) slot(way device.Way) *other {
	o = o.root()
	switch {
	case way.IsGeneral():
		return &o.whole
	case way.Merge > 0 && way.Unit:
		return &o.merged[1][bits.Len(uint(way.Merge))-1]
	case way.Merge > 0:
		return &o.merged[0][bits.Len(uint(way.Merge))-1]
	case way.Persist:
		return &o.staying
	}
	return &o.byBlocks[gpucode.KindOf(way.BlocksPerSM)]
}

// get returns the code of a way, made now if it is not there.
func (o *Others) get(ctx context.Context, way device.Way, ahead bool) (device.Executable, error) {
	return o.slot(way).get(ctx, o.root(), o.maker, way, ahead)
}

// Merged returns the code of merged programs, for launches whose strides are 1 if unit.
func (o *Others) Merged(ctx context.Context, merge int, unit bool) (device.Executable, error) {
	return o.get(ctx, device.Way{Merge: merge, Unit: unit}, false)
}

// HasMaker reports whether other code can be made.
func (o *Others) HasMaker() bool { return o.maker != nil }

// HasWhole reports whether the code that serves all launches is made.
func (o *Others) HasWhole() bool { return o.root().whole.Made() != nil }

// Deeper returns the code whose pipelines and prefetches are made for a number of blocks per SM, nil if there
// is none. wait reports whether the launch may wait for its compilation.
func (o *Others) Deeper(ctx context.Context, blocks int, wait func() bool) device.Executable {
	return o.ifMade(ctx, device.Way{Fallback: true, BlocksPerSM: blocks}, wait)
}

// Staying returns the persistent code, nil if there is none. wait reports whether the launch may wait for its
// compilation.
func (o *Others) Staying(ctx context.Context, wait func() bool) device.Executable {
	return o.ifMade(ctx, device.Way{Fallback: true, Persist: true}, wait)
}

// ifMade returns code that launches can do without, nil if there is none.
func (o *Others) ifMade(ctx context.Context, way device.Way, wait func() bool) device.Executable {
	if o.maker == nil {
		return nil
	}
	x := o.slot(way)
	if e := x.Made(); e != nil || x.failed.Load() || !wait() {
		return e
	}
	e, err := o.get(ctx, way, false)
	if err != nil {
		x.failed.Store(ctx.Err() == nil)
		return nil
	}
	return e
}

// All returns the code that is made.
func (o *Others) All() (list []device.Executable) {
	all := []*other{&o.whole, &o.staying}
	for i := range o.merged[0] {
		all = append(all, &o.merged[0][i], &o.merged[1][i])
	}
	for i := range o.byBlocks {
		all = append(all, &o.byBlocks[i])
	}
	for _, x := range all {
		if e := x.Made(); e != nil {
			list = append(list, e)
		}
	}
	return list
}

// other is the code for one kind of launch, compiled at most once.
type other struct {
	mu     sync.Mutex
	made   atomic.Pointer[device.Executable]
	failed atomic.Bool // its compilation failed, and is not tried again
}

// Made returns the executable, or nil if there is none yet.
func (o *other) Made() device.Executable {
	if e := o.made.Load(); e != nil {
		return *e
	}
	return nil
}

func (o *other) get(ctx context.Context, base *Others, maker device.Maker, way device.Way,
	ahead bool) (device.Executable, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if e := o.Made(); e != nil {
		return e, nil
	}
	e, err := maker(ctx, way, ahead)
	if err != nil {
		return nil, err
	}
	if x, ok := e.(interface{ under(*Others) }); ok {
		x.under(base)
	}
	o.made.Store(&e)
	return e, nil
}

// Ways returns the ways of the code that launches may run instead of this one. A kernel that is launched
// without an interface call (ready) merges large launches; only other kernels look for persistent code.
func (k *Code) Ways(ready bool) (list []device.Way) {
	add := func(w device.Way) {
		if !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	if ready {
		for _, unit := range []bool{false, true} {
			for _, n := range k.merges(unit) {
				if !unit || len(k.Strides) > 0 {
					add(device.Way{Merge: n, Unit: unit})
				}
			}
		}
	}
	if k.Short != nil && !k.Persistent {
		add(device.Way{Fallback: true, Persist: true})
	}
	for _, n := range k.depths() {
		add(device.Way{Fallback: true, BlocksPerSM: n})
	}
	return list
}
