package core

import (
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/warm"
)

// Programs says how many programs a launch runs: a Grid, or a GridFunc if it depends on the arguments.
type Programs interface{ programs() }

// Grid is the number of programs in each dimension. The second and third dimension may be 0, which means 1. A
// launch whose first dimension is 0 checks its arguments and runs nothing, as in Triton.
type Grid [3]int

// GridFunc returns the grid of a launch from its arguments, like a lambda in Triton:
//
//	nereid.GridFunc(func(m nereid.Meta) nereid.Grid {
//		return nereid.Grid{nereid.Cdiv(n, m.Int("BLOCK_SIZE"))}
//	})
type GridFunc func(Meta) Grid

func (Grid) programs()     {}
func (GridFunc) programs() {}

// GridOf returns the numbers of a Grid, or nil for any other form. It does not copy them: a launch reads
// them in place.
func GridOf(p *Programs) *[3]int {
	if _, ok := (*p).(Grid); !ok {
		return nil
	}
	return (*[3]int)((*struct{ typ, data unsafe.Pointer })(unsafe.Pointer(p)).data)
}

// Cdiv returns n/d rounded up: how many blocks of d elements cover n. Blocks of no elements cover nothing:
// for a d of 0 it returns 0, and a launch of 0 programs runs nothing.
func Cdiv(n, d int) int {
	if d == 0 {
		return 0
	}
	return (n + d - 1) / d
}

// String writes a grid as Triton does: (4, 1, 1).
func (g Grid) String() string { return fmt.Sprintf("(%d, %d, %d)", g[0], g[1], g[2]) }

// Empty reports whether a launch of the grid, which is valid, runs nothing.
func (g Grid) Empty() bool { return g[0] == 0 }

// checked returns the grid with zeros replaced by 1, but for the first, or an error for a grid that no device
// runs: program numbers have 32 bits, and their product must fit an int.
func (g Grid) checked(kernel string) (Grid, error) {
	programs := 1
	for i, n := range g {
		switch {
		case n < 0:
			return g, ArgError(kernel, fmt.Errorf("the grid %v has a negative dimension", g))
		case n == 0:
			g[i] = min(i, 1)
		case n > math.MaxInt32 || programs > math.MaxInt/n:
			return g, ArgError(kernel, fmt.Errorf("the grid %v is too large: a dimension is at most %d",
				g, math.MaxInt32))
		default:
			programs *= n
		}
	}
	return g, nil
}

// ValidGrid returns the grid of a launch of a kernel with zeros replaced by 1, but for the first: such a
// launch runs nothing. A grid that no device runs is an ArgumentError. Most grids are small, and need no
// division to see that their programs can be counted.
func ValidGrid(kernel string, g Grid) (Grid, error) {
	const few = 1 << (bits.UintSize/3 - 1) // whose cube is an int
	if uint(g[0]-1) < few && uint(g[1]) < few && uint(g[2]) < few {
		g[1], g[2] = max(g[1], 1), max(g[2], 1)
		return g, nil
	}
	return g.checked(kernel)
}

// Meta gives a GridFunc the arguments of the launch by name: constexprs, values that decorators chose,
// options (num_warps), and the caller's arguments. It is valid until the function returns.
type Meta struct{ m *meta }

// Values gives a grid function access to the arguments of a launch.
type Values interface {
	// Integer returns an integer argument without boxing it.
	Integer(name string) (n int64, ok bool)
	// Value returns any argument. Integers are int64.
	Value(name string) (v any, ok bool)
}

// Metas keeps memory for calls of a GridFunc, so that they allocate nothing.
type Metas struct{ spare device.Spare[meta] }

// Grid calls a GridFunc with the arguments of a launch by a plan.
func (m *Metas) Grid(kernel string, p *warm.Plan, grid GridFunc, values Values) (Grid, error) {
	x := m.spare.Get()
	x.of, x.plan = values, p
	g, err := resolve(kernel, grid, x)
	*x = meta{}
	m.spare.Put(x)
	return g, err
}

// Resolve returns the grid of a launch with these arguments.
func (f *Frame) Resolve(kernel string, p Programs) (Grid, error) {
	f.meta.of = f
	return resolve(kernel, p, &f.meta)
}

// meta holds the arguments behind a Meta and the first error of using it.
type meta struct {
	of   Values     // arguments of the launch
	plan *warm.Plan // has the constants that decorators added; may be nil
	err  error
}

// integer returns an integer argument without boxing it.
func (m *meta) integer(name string) (int, bool) {
	if m == nil {
		return 0, false
	}
	if m.of != nil {
		if n, ok := m.of.Integer(name); ok {
			return int(n), true
		}
	}
	if m.plan != nil {
		n, ok := m.plan.Consts[name].(int64)
		return int(n), ok
	}
	return 0, false
}

// lookup returns an argument or an option.
func (m *meta) lookup(name string) (v any, ok bool) {
	if m.of != nil {
		v, ok = m.of.Value(name)
	}
	if !ok && m.plan != nil {
		v, ok = m.plan.Consts[name]
	}
	return v, ok
}

// Int returns an integer argument. A name that the kernel does not have, or a value that is no integer, fails
// the launch.
func (m Meta) Int(name string) int {
	if n, ok := m.m.integer(name); ok {
		return n
	}
	switch v := m.Value(name).(type) {
	case int64:
		return int(v)
	case bool:
		if v {
			return 1
		}
		return 0
	case nil:
		m.fail(fmt.Errorf("the grid asks for %q, which is None or not there", name))
	default:
		m.fail(fmt.Errorf("the grid asks for %q as an integer: it is a %T", name, v))
	}
	return 0
}

// Value returns an argument: an int64, float64, bool, string, DType or *Tensor, nil for None. A name that the
// kernel does not have fails the launch.
func (m Meta) Value(name string) any {
	if m.m == nil {
		return nil
	}
	v, ok := m.m.lookup(name)
	if !ok {
		m.fail(fmt.Errorf("the grid asks for %q, which is no parameter or option of the kernel", name))
	}
	return v
}

// fail records the first error.
func (m Meta) fail(err error) {
	if m.m != nil && m.m.err == nil {
		m.m.err = err
	}
}

// resolve returns the grid of a launch of a kernel with the arguments of m.
func resolve(kernel string, p Programs, m *meta) (Grid, error) {
	switch p := p.(type) {
	case Grid:
		return ValidGrid(kernel, p)
	case GridFunc:
		if p == nil {
			return Grid{}, ArgError(kernel, fmt.Errorf("the grid is a nil function"))
		}
		m.err = nil
		g := p(Meta{m})
		if m.err != nil {
			return g, ArgError(kernel, m.err)
		}
		return ValidGrid(kernel, g)
	}
	return Grid{}, ArgError(kernel, fmt.Errorf("the grid must be a Grid or a GridFunc, not %T", p))
}

// Integer implements Values.
func (f *Frame) Integer(name string) (int64, bool) {
	i := f.Params.Index(name)
	if i < 0 {
		return 0, false
	}
	switch v := f.Vals[i].(type) {
	case int:
		return int64(v), true
	case int64:
		return v, true
	}
	return 0, false
}

// Value implements Values.
func (f *Frame) Value(name string) (any, bool) {
	i := f.Params.Index(name)
	if i < 0 {
		return option(&f.Opts, name)
	}
	v := f.Vals[i]
	if _, ok := v.(args.ItsDefault); ok {
		return f.Params.List[i].Default.Plain(), true
	}
	return shown(v), true
}

// Consts returns the compile-time arguments and the options by name.
func (f *Frame) Consts() map[string]any {
	m := map[string]any{}
	for _, name := range []string{"num_warps", "num_stages", "num_ctas", "maxnreg"} {
		m[name], _ = option(&f.Opts, name)
	}
	for _, p := range f.Params.List {
		if p.Constexpr {
			m[p.Name], _ = f.Value(p.Name)
		}
	}
	return m
}

// shown returns an argument in the form of Meta.Value.
func shown(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case *args.Tensor:
		return TensorOf(v)
	case args.Const:
		return shown(v.Value)
	}
	if c, err := args.Constant(v); err == nil {
		return c.Plain()
	}
	return v
}

// option returns an option of a launch by Triton's name.
func option(o *device.Options, name string) (any, bool) {
	d := o.Defaults()
	switch name {
	case "num_warps":
		return int64(d.NumWarps), true
	case "num_stages":
		return int64(d.NumStages), true
	case "num_ctas":
		return int64(d.NumCTAs), true
	case "maxnreg":
		return int64(d.MaxNReg), true
	}
	return nil, false
}
