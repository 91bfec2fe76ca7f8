package nvidia

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
)

// kernel is a loaded kernel.
type kernel struct {
	ready *launcher // for plain launches; nil otherwise

	code   *Code
	module *driver.Module
	fn     *driver.Function
	made   *assembled // for the cache
	words  int        // number of words of the arguments
	dev    *Device
	args   sync.Pool // *driver.Args for other launches
	Others           // code for other launches
	// chosen is set by code with deeper pipelines, which keeps more on the stack: it runs this code instead,
	// which then must not look for deeper pipelines again.
	chosen atomic.Bool
	// recorded says that the variable of scopes may have records in it.
	recorded atomic.Bool
}

// Launcher implements device.Direct.
func (k *kernel) Launcher(words int) device.Launcher {
	if k.ready == nil || words != k.words {
		return nil
	}
	return k.ready
}

func (k *kernel) Launch(ctx context.Context, s device.Stream, grid [3]int, words []uint64) error {
	if len(words) != k.words {
		return k.misfit(words)
	}
	if _, err := k.code.Count(grid); err != nil {
		return err
	}
	if k.Bounded() {
		return fmt.Errorf("%s checks accesses, and was not told the memory of its arguments", k.code.Name)
	}
	if k.ready == nil {
		e := k.suited(s.(stream).s, grid, words)
		if e.code.Scopes != nil {
			return e.launchScoped(ctx, s, grid, words)
		}
		return e.launchAny(s, grid, words, nil)
	}
	if grid[0] == 0 || grid[1] == 0 || grid[2] == 0 {
		return nil // as Function.Launch does
	}
	words = slices.Clip(words) // what lies behind them is the caller's
	return k.ready.LaunchWords(s, uint32(grid[0]), uint32(grid[1]), uint32(grid[2]), words, nil)
}

// suited returns the code that suits a launch best: this one or, of the further ones, one that is made or may
// be made now.
func (k *kernel) suited(s *driver.Stream, grid [3]int, words []uint64) *kernel {
	if e := k.staying(s, grid, words); e != nil {
		return e
	}
	if e := k.deeper(s, grid, words); e != nil {
		return e
	}
	return k
}

// launchAny launches with everything that a kernel can need. bounds holds the words of checked code.
func (k *kernel) launchAny(s device.Stream, grid [3]int, words, bounds []uint64) error {
	a, _ := k.args.Get().(*driver.Args)
	if a == nil {
		a = driver.NewWords(len(k.code.Params) + k.extra())
	}
	err := k.fill(a, grid, words)
	if errors.Is(err, ErrNoTile) {
		k.args.Put(a)
		return k.launchOther(s, grid, words)
	}
	copy(a.Words()[a.Len()-len(bounds):], bounds)
	c := k.code.config(k.code.Staying(grid, k.dev.dev.SMs))
	if k.code.Persistent {
		for i, n := range grid {
			a.Words()[len(k.code.Params)+i] = uint64(n)
		}
	}
	k.code.Compute(a.Words(), &c)
	if err != nil {
		// nothing is launched
	} else if k.code.Scratch == 0 {
		err = k.fn.Launch(s.(stream).s, &c, a)
	} else {
		err = k.launchScratch(s.(stream).s, &c, a, k.code.ScratchBytes(grid))
	}
	k.args.Put(a)
	return err
}

// launchOther launches the code without tiles. A stream that records cannot wait for a compilation.
func (k *kernel) launchOther(s device.Stream, grid [3]int, words []uint64) error {
	if !k.HasWhole() {
		if on, err := s.(stream).Capturing(); on || err != nil {
			busy := fmt.Errorf("%s: its arguments need other code: %w", k.code.Name, device.ErrCapturing)
			return errors.Join(err, busy)
		}
	}
	return k.LaunchWhole(context.Background(), s, grid, words)
}

// Otherwise sets how to make the code for other launches.
func (k *kernel) Otherwise(maker device.Maker) {
	k.Others.Otherwise(maker)
	k.mergeLarge()
	if k.code.Depths != nil && k.ready != nil {
		k.fn.Other = func(s *driver.Stream, x, y, z uint32) *driver.Ready {
			if e := k.deeper(s, [3]int{int(x), int(y), int(z)}, nil); e != nil && e.ready != nil {
				return &e.ready.Ready
			}
			return nil
		}
	}
}

// Prepare implements device.Partial.
func (k *kernel) Prepare(ctx context.Context, want func(device.Way) bool) error {
	return k.PrepareForms(ctx, k.code, k.code.Ways(k.ready != nil), want)
}

// deeper returns the code whose pipelines are for launches with that grid, nil if it is this one. A stage
// that costs values on the stack is not worth it.
func (k *kernel) deeper(s *driver.Stream, grid [3]int, words []uint64) *kernel {
	if k.chosen.Load() {
		return nil
	}
	n := k.code.OtherDepth(grid, words, k.dev.dev.SMs)
	if n < 0 {
		return k.shallower(s)
	}
	e, _ := k.Deeper(context.Background(), n, mayWait(s)).(*kernel)
	if e != nil && e.fn.LocalBytes > k.fn.LocalBytes {
		return nil
	}
	return e
}

// shallower returns the code with the default pipeline depth if the deeper pipelines of this code spill more
// registers, else nil. Code that does not spill is not compared, so the other code is not compiled for it.
func (k *kernel) shallower(s *driver.Stream) *kernel {
	if k.fn.LocalBytes == 0 || !k.code.isDeep() {
		return nil
	}
	e, _ := k.Deeper(context.Background(), 0, mayWait(s)).(*kernel)
	if e == nil || e.fn.LocalBytes >= k.fn.LocalBytes {
		return nil
	}
	e.chosen.Store(true)
	return e
}

// staying returns the persistent code, nil if a launch should not run it.
func (k *kernel) staying(s *driver.Stream, grid [3]int, words []uint64) *kernel {
	if !k.code.Stays(grid, words, k.dev.dev.SMs) {
		return nil
	}
	e, _ := k.Staying(context.Background(), mayWait(s)).(*kernel)
	return e
}

// mayWait returns a function that reports whether launches on a stream may wait for a compilation. One that
// records cannot.
func mayWait(s *driver.Stream) func() bool {
	return func() bool {
		on, err := s.Capturing()
		return !on && err == nil
	}
}

// fill sets the parameters of a launch.
func (k *kernel) fill(a *driver.Args, grid [3]int, words []uint64) error {
	if k.code.Maps == nil {
		copy(a.Words(), words)
		return nil
	}
	to, maps, from := a.Words(), k.code.Maps, 0
	for i := range k.code.Params {
		if len(maps) == 0 || maps[0].Param != i {
			to[i] = words[from]
			from++
			continue
		}
		n, of := 0, words
		var made tileWords
		if maps[0].Tile != nil {
			var err error
			if of, err = k.code.tile(&maps[0], grid, words, &made); err != nil {
				return err
			}
		} else {
			n = mapWords(len(maps[0].Box))
			of = words[from : from+n]
		}
		m, err := k.dev.maps.get(k.fn.Context(), &maps[0], of)
		switch {
		case err != nil && maps[0].Tile != nil:
			return ErrNoTile
		case err != nil:
			return fmt.Errorf("%s: %w", k.code.Name, err)
		}
		a.Map(i, m)
		from, maps = from+n, maps[1:]
	}
	return nil
}

// extra returns the number of parameters besides the arguments.
func (k *kernel) extra() int {
	n := k.code.checkWords() + k.code.Uniform.Words()
	if k.code.Scratch > 0 {
		n++
	}
	if k.code.Persistent {
		n += GridWords
	}
	return n
}

// launchScratch launches with scratch memory.
func (k *kernel) launchScratch(s *driver.Stream, c *driver.Config, a *driver.Args, size int) error {
	return s.WithRoom(size, func(p driver.DevicePtr) error {
		a.Words()[len(k.code.Params)] = uint64(p)
		return k.fn.Launch(s, c, a)
	})
}

// Facts adds what the driver knows of the loaded code.
func (k *kernel) Facts() device.Facts {
	f := k.code.Facts()
	f.Shared += k.fn.SharedBytes
	f.Registers, f.Spills = k.fn.Registers, k.fn.LocalBytes
	return f
}

// Close makes launches fail, waits for those that are being queued, and unloads the code once their work is
// done.
func (k *kernel) Close() error {
	var errs []error
	for _, e := range k.All() {
		errs = append(errs, e.Close())
	}
	return errors.Join(append(errs, k.module.Close())...)
}

// Discard unloads the code once its launches are done.
func (k *kernel) Discard() {
	for _, e := range k.All() {
		if d, ok := e.(device.Discarder); ok {
			d.Discard()
		}
	}
	k.module.Retire()
}
