package ops

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

// Fused is an op made of a formula: one kernel, which reads each operand once and writes the result.
type Fused struct {
	name   string
	params []string // names of the inputs
	roots  []*node
	rows   []bool // by root: a reduction is all that it depends on, so that it has a value for each row
	id     int    // in keys
	err    error
}

var fusedIDs atomic.Int64

func newFused(name string, params []string, roots ...*node) *Fused {
	f := &Fused{name: name, params: params, roots: roots, id: int(fusedIDs.Add(1)), err: wellFormed(roots)}
	if f.err == nil {
		for _, r := range roots {
			f.rows = append(f.rows, r.perRow())
		}
	}
	return f
}

// perRow reports whether all ways from n down to inputs pass a reduction, and there is one.
func (n *node) perRow() bool {
	if n.fn == nil {
		return false
	}
	if n.fn.reduces {
		return true
	}
	some := false
	for _, a := range n.args {
		switch {
		case a.number != nil || a.fn == fnSize:
		case !a.perRow():
			return false
		default:
			some = true
		}
	}
	return some
}

// Fuse makes an op of a formula of one to four operands, or of any number up to eight if the function is
// variadic and count says how many:
//
//	swish := ops.Fuse(func(x, y ops.Expr) ops.Expr { return x.SiLU().Mul(y) })
//	out := swish.Call(s, gate, up)
//
// Operands are broadcast to a common shape, and the reductions of a formula (RowSum and so on) are along its
// last dimension. Types follow the rule of this package; what is computed between is rounded nowhere but by
// Expr.To. Make a Fused once and call it often: its kernels are found by it.
func Fuse[F formula](f F) *Fused {
	names := []string{"x", "y", "z", "w"}
	x := make([]Expr, len(names))
	for i := range x {
		x[i] = Expr{&node{input: i}}
	}
	switch f := any(f).(type) {
	case func(Expr) Expr:
		return newFused("Fused", names[:1], f(x[0]).n)
	case func(x, y Expr) Expr:
		return newFused("Fused", names[:2], f(x[0], x[1]).n)
	case func(x, y, z Expr) Expr:
		return newFused("Fused", names[:3], f(x[0], x[1], x[2]).n)
	}
	return newFused("Fused", names, any(f).(func(x, y, z, w Expr) Expr)(x[0], x[1], x[2], x[3]).n)
}

// formula is a function that Fuse takes.
type formula interface {
	func(x Expr) Expr | func(x, y Expr) Expr | func(x, y, z Expr) Expr | func(x, y, z, w Expr) Expr
}

// Call runs the op. Each operand is a tensor or a Go number.
func (f *Fused) Call(s *Stream, operands ...any) *nereid.Tensor { return s.apply(f, operands...) }

// Source returns the text of the kernel that a call with these operands runs.
func (f *Fused) Source(s *Stream, operands ...any) (string, error) {
	c := f.begin(s, operands)
	if c.err != nil {
		return "", c.err
	}
	x := fusion{f: f, axes: []int{-1}}
	if err := x.resolve(c); err != nil {
		return "", err
	}
	return x.form.text(), nil
}

// apply runs a formula whose reductions, if any, are along the last dimension.
func (s *Stream) apply(f *Fused, operands ...any) *nereid.Tensor {
	return f.begin(s, operands).run(f.plan)
}

func (f *Fused) plan(c *call) (*plan, error) {
	return (&fusion{f: f, axes: []int{-1}}).plan(c)
}

// begin starts a call of the op.
func (f *Fused) begin(s *Stream, operands []any) *call {
	c := s.begin(f.name)
	c.attr(f.id)
	switch {
	case c.err != nil:
	case f.err != nil:
		c.err = &Error{Op: f.name, Err: f.err}
	case len(operands) != len(f.params):
		c.err = wrong(f.name, "", "it has %d operands, not %d", len(f.params), len(operands))
	default:
		for i, v := range operands {
			c.operand(f.params[i], v)
		}
	}
	return c
}

// fusion plans a call of a Fused.
type fusion struct {
	f    *Fused
	axes []int        // dimensions of the reductions
	dt   nereid.DType // of the result; Invalid: as the rule of types says
	// shape is what all operands are broadcast to; a caller may set one to begin with.
	shape []int
	// into are strides of the first output, and begin its first element, where the op writes a part of it.
	into  []int
	begin int

	size    int // how many elements are reduced, where they are more than the columns
	inParts int // of a reduction in parts: how many

	c          *call
	form       form
	limits     []limit
	outs       []result
	rows, cols space
}

func (x *fusion) plan(c *call) (*plan, error) {
	if err := x.resolve(c); err != nil {
		return nil, err
	}
	p := &plan{outs: x.outs, inPlace: !x.reduces(), limits: x.limits}
	if count(x.shape) == 0 {
		return p, x.emptyResult()
	}
	if x.longSoftmax() {
		return p, x.softmaxRows(p)
	}
	if n := x.parts(); n > 1 {
		steps, scratch, err := x.split(n)
		p.steps, p.scratch = steps, scratch
		return p, err
	}
	k, err := c.s.lib.generated(x.f.kernelName(), x.form.text())
	if err != nil {
		return nil, err
	}
	p.steps = []step{x.step(k)}
	return p, nil
}

func (x *fusion) reduces() bool { return len(reductions(x.f.roots)) > 0 }

// emptyResult returns an error if a result has elements although the operands have none.
func (x *fusion) emptyResult() error {
	for _, r := range x.outs {
		if count(r.shape) > 0 {
			return wrong(x.f.name, "", "operands of the shape %v have no elements to reduce", x.shape)
		}
	}
	return nil
}

// resolve determines types, shapes and the form of the kernel.
func (x *fusion) resolve(c *call) (err error) {
	x.c = c
	if err := x.types(); err != nil {
		return err
	}
	if err := x.broadcast(); err != nil {
		return err
	}
	reduced, err := x.reduced()
	if err != nil {
		return err
	}
	x.results(reduced)
	x.spaces(reduced)
	x.form.f, x.form.rows, x.form.cols = x.f, len(x.rows.sizes), len(x.cols.sizes)
	for i := range x.rows.strides {
		var use []bool
		for _, n := range slices.Concat(x.rows.strides[i], x.cols.strides[i]) {
			use = append(use, n != 0)
		}
		x.form.uses = append(x.form.uses, use)
	}
	x.form.wide = x.rows.widest()+x.cols.widest() >= 1<<31 || count(x.shape) >= 1<<31
	x.form.shifted, x.form.inPlace = x.into != nil, c.aliased
	x.form.loop = x.reduces() && x.tile().loop
	return nil
}

func (x *fusion) types() (err error) {
	fm := &x.form
	for i := range x.c.n {
		if t := x.c.ins[i]; t != nil {
			fm.inputs, fm.numbers = append(fm.inputs, t.DType), append(fm.numbers, nil)
			continue
		}
		fm.inputs = append(fm.inputs, nereid.Invalid)
		fm.numbers = append(fm.numbers, &x.c.nums[i])
	}
	if fm.ty, err = infer(x.f.roots, fm.inputs, fm.numbers); err != nil {
		return err
	}
	x.limits, err = fm.ty.limits(x.f.roots, fm.numbers)
	return err
}

// broadcast determines the common shape.
func (x *fusion) broadcast() (err error) {
	if x.shape == nil {
		x.shape = []int{}
	}
	for i, t := range x.c.ins[:x.c.n] {
		if t == nil {
			continue
		}
		if x.shape, err = broadcast(x.shape, t.Shape); err != nil {
			return &Error{Op: x.f.name, Operand: x.c.names[i], Err: err}
		}
	}
	return nil
}

// reduced returns the dimensions of the reductions, nil without any.
func (x *fusion) reduced() ([]int, error) {
	if !x.reduces() {
		return nil, nil
	}
	if len(x.shape) == 0 && len(x.axes) == 1 && x.axes[0] == -1 {
		return []int{}, nil // a single element is its own row
	}
	return axes(len(x.shape), x.axes)
}

// results determines types and shapes of the results.
func (x *fusion) results(reduced []int) {
	for i, root := range x.f.roots {
		r := result{dt: x.form.ty[root], shape: slices.Clone(x.shape)}
		if v := root.value(x.form.numbers); v != nil {
			r.dt = weak(nereid.Invalid, v.float)
		}
		if x.f.rows[i] {
			r.shape = r.shape[:0]
			for d, n := range x.shape {
				if !slices.Contains(reduced, d) {
					r.shape = append(r.shape, n)
				}
			}
		}
		if x.dt != nereid.Invalid {
			r.dt = x.dt
		}
		if x.c.s.into && i < x.c.s.n && i < maxOuts {
			r.dt = x.c.s.outs[i].DType // rounds to the tensor's type
		}
		x.outs = append(x.outs, r)
		x.form.outs = append(x.form.outs, r.dt)
	}
}

// spaces determines rows and columns.
func (x *fusion) spaces(reduced []int) {
	all := space{sizes: x.shape}
	for i := range x.c.n {
		if t := x.c.ins[i]; t != nil {
			all.strides = append(all.strides, spread(t, x.shape))
		} else {
			all.strides = append(all.strides, make([]int, len(x.shape)))
		}
	}
	for i := range x.f.roots {
		all.strides = append(all.strides, x.outStrides(i, reduced))
	}
	if !x.reduces() {
		x.rows, x.cols = all.tiles(x.c.n)
		return
	}
	var kept []int
	for d := range x.shape {
		if !slices.Contains(reduced, d) {
			kept = append(kept, d)
		}
	}
	x.rows, x.cols = all.pick(kept).collapse(), all.pick(reduced).collapse()
	if len(x.rows.sizes) == 0 { // tiles of reductions have rows
		x.rows.sizes = []int{1}
		for i := range x.rows.strides {
			x.rows.strides[i] = []int{0}
		}
	}
}

// outStrides returns the strides of an output in the common shape: 0 along reduced dimensions that it lacks.
func (x *fusion) outStrides(i int, reduced []int) []int {
	if x.into != nil {
		return x.into
	}
	own := contiguous(x.outs[i].shape)
	if x.c.s.into && i < x.c.s.n && i < maxOuts {
		if t := x.c.s.outs[i]; len(t.Shape) == len(own) {
			own = core.Strides(t)
		}
	}
	if !x.f.rows[i] {
		return own
	}
	out, next := make([]int, len(x.shape)), 0
	for d := range x.shape {
		if !slices.Contains(reduced, d) {
			out[d] = own[next]
			next++
		}
	}
	return out
}

// step returns the launch of the kernel.
func (x *fusion) step(k *nereid.Kernel) step {
	st := step{kernel: k, double: x.dt == nereid.Float64}
	for _, dt := range x.form.ty {
		st.double = st.double || dt == nereid.Float64
	}
	for i := range x.form.inputs {
		if uses(x.f.roots, i) {
			st.slots = append(st.slots, slot{arg: len(st.args), operand: i})
			st.args = append(st.args, nil)
		}
	}
	for i := range x.outs {
		st.slots = append(st.slots, slot{arg: len(st.args), operand: x.c.n + i})
		st.args = append(st.args, nil)
	}
	rows, cols := count(x.rows.sizes), count(x.cols.sizes)
	if x.form.shifted {
		st.args = append(st.args, x.begin)
	}
	st.args = append(st.args, rows, cols)
	if x.form.sized() {
		st.args = append(st.args, max(x.size, cols))
	}
	t := x.tile()
	span := 0
	if x.inParts > 0 {
		span = nereid.Cdiv(nereid.Cdiv(cols, x.inParts), t.c) * t.c
		st.args = append(st.args, span)
	}
	for _, s := range []space{x.rows, x.cols} {
		for d := 1; d < len(s.sizes); d++ {
			st.args = append(st.args, s.sizes[d])
		}
	}
	for i := range x.rows.strides {
		for _, n := range slices.Concat(x.rows.strides[i], x.cols.strides[i]) {
			if n != 0 {
				st.args = append(st.args, n)
			}
		}
	}
	st.args = append(st.args, t.r, t.c, nereid.Options{NumWarps: t.warps, LaunchPDL: x.form.follows})
	st.grid = nereid.Grid{nereid.Cdiv(rows, t.r), nereid.Cdiv(cols, t.c)}
	if x.reduces() {
		st.grid = nereid.Grid{nereid.Cdiv(rows, t.r), max(x.inParts, 1)}
	} else if len(x.rows.sizes) == 0 {
		st.grid = nereid.Grid{nereid.Cdiv(cols, t.c)}
	}
	return st
}

// String returns the formula's name and operands.
func (f *Fused) String() string { return fmt.Sprintf("%s(%s)", f.name, strings.Join(f.params, ", ")) }
