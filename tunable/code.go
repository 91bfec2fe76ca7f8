package tunable

import (
	"errors"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/bundle"
)

// Code is a kernel with values for its compile-time parameters: a config of a kernel, or a variant of a
// bundle.
type Code struct {
	name      string
	kernel    *nereid.Kernel // nil for a variant
	fixed     []any          // arguments behind the caller's: those of the config
	constants map[string]any

	variant *bundle.Variant // nil for a kernel
	ahead   bool            // launches compile or load, and run nothing

	spare sync.Pool // of *Args
	boxed boxes
}

// preparing returns the code with launches that compile or load, and run nothing.
func (c *Code) preparing() *Code {
	return &Code{name: c.name, kernel: c.kernel, fixed: c.fixed, constants: c.constants,
		variant: c.variant, ahead: true}
}

// Name returns the name of the candidate.
func (c *Code) Name() string { return c.name }

// Constant returns the value of a compile-time parameter: an int64, float64, bool or string, or nil if it has
// none here.
func (c *Code) Constant(name string) any { return c.constants[name] }

// Constants returns the names of the compile-time parameters that have values here, sorted.
func (c *Code) Constants() []string { return slices.Sorted(maps.Keys(c.constants)) }

// Int returns the value of a compile-time parameter that is an integer, else 0.
func (c *Code) Int(name string) int {
	switch v := c.constants[name].(type) {
	case int64:
		return int(v)
	case int:
		return v
	}
	return 0
}

// Args returns an empty list of arguments. It ends with Launch, and must not be used afterwards.
func (c *Code) Args() *Args {
	if a, ok := c.spare.Get().(*Args); ok {
		return a
	}
	return &Args{of: c}
}

// Args is the arguments of a launch that are not compile-time parameters of the config, in the order of the
// kernel's parameters. Numbers that occur again and again are not allocated anew.
type Args struct {
	of   *Code
	list []any
}

// Tensor adds a tensor.
func (a *Args) Tensor(t *nereid.Tensor) *Args {
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
func (a *Args) Launch(s *nereid.Stream, grid nereid.Grid) error {
	c := a.of
	if c == nil {
		return errors.New("tunable: arguments without code: Code.Args makes them")
	}
	err := c.launch(s, grid, a)
	clear(a.list) // tensors are not kept alive
	a.list = a.list[:0]
	c.spare.Put(a)
	return err
}

func (c *Code) launch(s *nereid.Stream, grid nereid.Grid, a *Args) error {
	if c.kernel == nil {
		if c.ahead {
			_, err := c.variant.Load(s.Device())
			return err
		}
		return c.variant.Launch(s, grid, a.list...)
	}
	a.list = append(a.list, c.fixed...)
	if c.ahead {
		return c.kernel.Tune(s, grid, a.list...)
	}
	return c.kernel.Launch(s, c.boxed.grid(grid), a.list...)
}

// boxes keeps numbers and grids that were passed before as interface values: Go would allocate them anew for
// each launch.
type boxes struct {
	numbers [64]atomic.Pointer[box]
	grids   [16]atomic.Pointer[gridBox]
}

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
	grid  nereid.Grid
	value nereid.Programs
}

// mix spreads the bits of a number over its upper ones.
func mix(bits uint64) uint64 { return bits * 0x9e3779b97f4a7c15 }

// of returns a number as an interface value.
func (b *boxes) of(bits uint64, k kind) any {
	at := &b.numbers[mix(bits+uint64(k))>>58]
	if x := at.Load(); x != nil && x.bits == bits && x.kind == k {
		return x.value
	}
	x := &box{bits: bits, kind: k, value: int(bits)}
	if k == kindFloat {
		x.value = math.Float64frombits(bits)
	}
	at.Store(x)
	return x.value
}

// grid returns a grid as an interface value.
func (b *boxes) grid(g nereid.Grid) nereid.Programs {
	at := &b.grids[mix(uint64(g[0])^mix(uint64(g[1])^mix(uint64(g[2]))))>>60]
	if x := at.Load(); x != nil && x.grid == g {
		return x.value
	}
	x := &gridBox{g, g}
	at.Store(x)
	return x.value
}
