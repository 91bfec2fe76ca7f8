package tunable

import (
	"errors"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/nereid-lang/nereid/bundle"
	"github.com/nereid-lang/nereid/run"
)

// Code is a kernel with values for its compile-time parameters: a config of a kernel, or a variant of a
// bundle.
type Code struct {
	name      string
	kernel    JIT        // nil for a variant
	fixed     []any      // arguments behind the caller's: those of the config
	hooked    string     // name of a config with a pre_hook, else ""
	constants []constant // sorted by name; few, so a search compares them one after the other

	variant *bundle.Variant // nil for a kernel
	ahead   bool            // launches compile or load, and run nothing

	// Arguments for the next launch. The first ones are at hand; others are for launches at the same time.
	// After a launch little is left in the processor's caches, and a pool touches much.
	first atomic.Pointer[Args]
	spare sync.Pool // spare *Args
	boxed boxes
}

// preparing returns the code with launches that compile or load, and run nothing.
func (c *Code) preparing() *Code {
	return &Code{name: c.name, kernel: c.kernel, fixed: c.fixed, hooked: c.hooked, constants: c.constants,
		variant: c.variant, ahead: true}
}

// Name returns the name of the candidate.
func (c *Code) Name() string { return c.name }

// constant is the value of a compile-time parameter.
type constant struct {
	name  string
	value any
	n     int // the value, if it is an integer
}

// setConstants gives the code values for compile-time parameters.
func (c *Code) setConstants(values map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		x := constant{name: name, value: values[name]}
		switch v := x.value.(type) {
		case int64:
			x.n = int(v)
		case int:
			x.n = v
		}
		c.constants = append(c.constants, x)
	}
}

// constant returns a constant, or nil.
func (c *Code) constant(name string) *constant {
	for i := range c.constants {
		if x := &c.constants[i]; x.name == name {
			return x
		}
	}
	return nil
}

// Constant returns the value of a compile-time parameter: an int64, float64, bool or string, or nil if it has
// none here.
func (c *Code) Constant(name string) any {
	if x := c.constant(name); x != nil {
		return x.value
	}
	return nil
}

// Constants returns the names of the compile-time parameters that have values here, sorted.
func (c *Code) Constants() (names []string) {
	for _, x := range c.constants {
		names = append(names, x.name)
	}
	return names
}

// Int returns the value of a compile-time parameter that is an integer, else 0.
func (c *Code) Int(name string) int {
	if x := c.constant(name); x != nil {
		return x.n
	}
	return 0
}

// Args returns an empty list of arguments. It ends with Launch, and must not be used afterwards.
func (c *Code) Args() *Args {
	if a := c.first.Swap(nil); a != nil {
		return a
	}
	return c.moreArgs()
}

func (c *Code) moreArgs() *Args {
	if a, ok := c.spare.Get().(*Args); ok {
		return a
	}
	a := &Args{of: c}
	a.list = a.room[:0]
	return a
}

// keep keeps arguments for another launch. Tensors are not kept alive.
func (c *Code) keep(a *Args) {
	clear(a.list)
	a.list = a.list[:0]
	if !c.first.CompareAndSwap(nil, a) {
		c.spare.Put(a)
	}
}

// Args is the arguments of a launch that are not compile-time parameters of the config, in the order of the
// kernel's parameters. Numbers that occur again and again are not allocated anew.
type Args struct {
	of   *Code
	list []any
	room [12]any // for a list that is not longer
}

// Tensor adds a tensor.
func (a *Args) Tensor(t *run.Tensor) *Args {
	if t == nil {
		return a.Value(nil)
	}
	return a.Value(t)
}

// Int adds an integer.
func (a *Args) Int(v int) *Args {
	if a.of == nil {
		return a.Value(v)
	}
	return a.Value(a.of.boxed.of(uint64(v), kindInt))
}

// Float adds a float.
func (a *Args) Float(v float64) *Args {
	if a.of == nil {
		return a.Value(v)
	}
	return a.Value(a.of.boxed.of(math.Float64bits(v), kindFloat))
}

// Bool adds a bool.
func (a *Args) Bool(v bool) *Args { return a.Value(v) }

// Value adds an argument of any kind that nereid.Kernel.Launch takes.
func (a *Args) Value(v any) *Args {
	a.list = append(a.list, v)
	return a
}

// Launch launches the code with the arguments.
func (a *Args) Launch(s *run.Stream, grid run.Grid) error {
	c := a.of
	if c == nil {
		return errors.New("tunable: arguments without code: Code.Args makes them")
	}
	err := c.launch(s, grid, a)
	c.keep(a)
	return err
}

func (c *Code) launch(s *run.Stream, grid run.Grid, a *Args) error {
	if c.kernel == nil {
		if c.ahead {
			_, err := c.variant.Load(s.Device())
			return err
		}
		return c.variant.Launch(s, grid, a.list...)
	}
	a.list = append(a.list, c.fixed...)
	if c.hooked != "" {
		launch := c.kernel.LaunchConfig
		if c.ahead {
			launch = c.kernel.CompileConfig
		}
		return launch(s, c.boxed.grid(grid), c.hooked, a.list...)
	}
	if c.ahead {
		return c.kernel.Tune(s, grid, a.list...)
	}
	return c.kernel.Launch(s, c.boxed.grid(grid), a.list...)
}

// boxes keeps numbers and grids that were passed before as interface values: Go would allocate them anew for
// each launch.
type boxes struct {
	numbers [numberSets]ways[box]
	grids   [gridSets]ways[gridBox]
}

// ways holds values with the same hash. A new one takes the place of an old one.
type ways[T any] struct {
	at   [4]atomic.Pointer[T]
	next atomic.Uint32
}

func (w *ways[T]) add(x *T) { w.at[w.next.Add(1)%uint32(len(w.at))].Store(x) }

const (
	setBits    = 5
	numberSets = 1 << setBits
	gridSets   = 1 << (setBits - 1)
)

type kind uint8

const (
	kindInt kind = iota
	kindFloat
)

type box struct {
	bits  uint64
	kind  kind
	value any
}

type gridBox struct {
	grid  run.Grid
	value run.Programs
}

// mix spreads the bits of a number over its upper ones.
func mix(bits uint64) uint64 { return bits * 0x9e3779b97f4a7c15 }

// of returns a number as an interface value.
func (b *boxes) of(bits uint64, k kind) any {
	set := &b.numbers[mix(bits+uint64(k))>>(64-setBits)]
	for i := range set.at {
		if x := set.at[i].Load(); x != nil && x.bits == bits && x.kind == k {
			return x.value
		}
	}
	x := &box{bits: bits, kind: k, value: int(bits)}
	if k == kindFloat {
		x.value = math.Float64frombits(bits)
	}
	set.add(x)
	return x.value
}

// grid returns a grid as an interface value.
func (b *boxes) grid(g run.Grid) run.Programs {
	set := &b.grids[mix(uint64(g[0])^mix(uint64(g[1])^mix(uint64(g[2]))))>>(64-setBits+1)]
	for i := range set.at {
		if x := set.at[i].Load(); x != nil && x.grid == g {
			return x.value
		}
	}
	x := &gridBox{g, g}
	set.add(x)
	return x.value
}
