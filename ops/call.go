package ops

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

// call is one call of an op on its way to a launch: the operands, and a key that has all of them that a plan
// depends on: types, shapes, strides and attributes, but no addresses.
type call struct {
	s     *Stream
	op    string
	names [maxIns]string
	ins   [maxIns]*nereid.Tensor // nil for a number
	nums  [maxIns]number
	n     int
	key   []byte
	err   error
	outs  [maxOuts]*nereid.Tensor // results
	// aliased reports that an output begins where an input does. Threads that hold the same elements must
	// then all have read them before one of them writes.
	aliased bool
}

// plan is how calls with one key are executed.
type plan struct {
	steps []step
	outs  []result
	// extents are the bytes that the operands reach over from their first element on, inputs first.
	extents []int
	scratch []result // memory between the steps
	views   []*nereid.Tensor
	base    *nereid.Tensor // that views are of
	// inPlace allows an output to be an input of the same shape and strides.
	inPlace bool
	limits  []limit // of integers that are Go numbers
}

// result says what an op makes.
type result struct {
	dt    nereid.DType
	shape []int
}

// step is one launch.
type step struct {
	kernel *nereid.Kernel
	grid   nereid.Programs
	args   []any
	slots  []slot // arguments that differ from call to call
	double bool   // numbers among them are fp64
}

// slot says which operand an argument is: an input, an output behind the inputs, or scratch behind those.
type slot struct{ arg, operand int }

// begin starts a call of an op.
func (s *Stream) begin(op string) *call {
	c := &s.call
	*c = call{s: s, op: op, key: append(append(c.key[:0], op...), 0)}
	if s.stream == nil {
		c.err = &Error{Op: op, Err: errNoStream}
	}
	return c
}

// in adds an operand.
func (c *call) in(name string, t *nereid.Tensor) {
	i := c.n
	c.n++
	c.names[i], c.ins[i] = name, t
	if c.err == nil {
		c.err = c.check(name, t)
	}
	if c.err == nil {
		c.tensorKey(t)
	}
}

// optional adds an operand that may be nil.
func (c *call) optional(name string, t *nereid.Tensor) {
	if t != nil {
		c.in(name, t)
		return
	}
	c.names[c.n] = name
	c.n++
	c.key = append(c.key, 0xff)
}

// number adds an operand that is a Go number: its value is no part of the key.
func (c *call) number(name string, v number) {
	c.names[c.n], c.nums[c.n] = name, v
	c.n++
	c.key = append(c.key, 0xfe, b2i(v.float))
}

// operand adds a tensor or a Go number.
func (c *call) operand(name string, v any) {
	if t, ok := v.(*nereid.Tensor); ok {
		c.in(name, t)
		return
	}
	if x, ok := numberOf(v); ok {
		c.number(name, x)
		return
	}
	if c.err == nil {
		c.err = wrong(c.op, name, "it is a %T, not a tensor or a number", v)
	}
}

// attr adds a number that plans depend on.
func (c *call) attr(v int) { c.key = binary.AppendVarint(c.key, int64(v)) }

func b2i(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// check returns an error for a tensor that an op on this stream cannot take.
func (c *call) check(name string, t *nereid.Tensor) error {
	if err := t.Err(); err != nil {
		if already, ok := err.(*Error); ok {
			return already // an op before this one failed, and says why
		}
		return &Error{Op: c.op, Operand: name, Err: err}
	}
	if on := core.On(t); on != nil && on != c.s.arena.dev {
		return wrong(c.op, name, "it is on %s, and the stream on %s", on, c.s.arena.dev)
	}
	return nil
}

func (c *call) tensorKey(t *nereid.Tensor) {
	c.key = append(c.key, byte(t.DType), byte(len(t.Shape)))
	for i, n := range t.Shape {
		c.key = binary.AppendVarint(c.key, int64(n))
		if len(t.Strides) == len(t.Shape) {
			c.key = binary.AppendVarint(c.key, int64(t.Strides[i]))
		}
	}
}

// run executes the call by the plan of its key, which planner makes if there is none, and returns the first
// result; c.outs has all.
func (c *call) run(planner func(*call) (*plan, error)) *nereid.Tensor {
	defer c.s.done()
	if err := c.launch(planner); err != nil {
		t := failed(c.wrap(err))
		c.outs = [maxOuts]*nereid.Tensor{t, t, t}
	}
	return c.outs[0]
}

func (c *call) wrap(err error) error {
	if e, ok := err.(*Error); ok {
		return e
	}
	return &Error{Op: c.op, Err: err}
}

func (c *call) launch(planner func(*call) (*plan, error)) error {
	if c.s.into {
		c.key = append(c.key, 0xfd)
		for i := range min(c.s.n, maxOuts) {
			if c.err == nil {
				c.err = c.check(outNames[i], c.s.outs[i])
			}
			if c.err == nil {
				c.tensorKey(c.s.outs[i])
				c.alias(c.s.outs[i])
			}
		}
	}
	if c.err != nil {
		return c.err
	}
	p := c.s.plans[string(c.key)]
	if p == nil {
		var err error
		if p, err = c.plan(planner); err != nil {
			return err
		}
	}
	if err := c.inRange(p); err != nil {
		return err
	}
	if err := c.results(p); err != nil {
		return err
	}
	if err := c.s.scratchFor(p); err != nil {
		return err
	}
	for i := range p.steps {
		if err := c.step(p, &p.steps[i]); err != nil {
			return err
		}
	}
	return nil
}

// inRange finds Go numbers that the integers beside them cannot be.
func (c *call) inRange(p *plan) error {
	for _, l := range p.limits {
		if v := c.nums[l.operand].i; !fits(v, l.dt) {
			return wrong(c.op, c.names[l.operand], "%d is no %s", v, l.dt)
		}
	}
	return nil
}

// alias adds to the key whether an output begins where an input does.
func (c *call) alias(out *nereid.Tensor) {
	for _, t := range c.ins[:c.n] {
		if t != nil && t.Addr() == out.Addr() {
			c.aliased = true
			c.key = append(c.key, 0xfc)
			return
		}
	}
}

// outNames are the names of results in errors.
var outNames = [maxOuts]string{"out", "second out", "third out"}

// plan makes and keeps the plan of the call's key.
func (c *call) plan(planner func(*call) (*plan, error)) (*plan, error) {
	p, err := planner(c)
	if err != nil {
		return nil, err
	}
	if c.s.into {
		if c.s.n != len(p.outs) {
			return nil, fmt.Errorf("it has %d results, and Into has %d tensors", len(p.outs), c.s.n)
		}
		for i, r := range p.outs {
			if t := c.s.outs[i]; !slices.Equal(t.Shape, r.shape) || t.DType != r.dt {
				return nil, wrong(c.op, outNames[i], "it is %s%v, and the result %s%v", t.DType, t.Shape,
					r.dt, r.shape)
			}
		}
	}
	for _, t := range c.ins[:c.n] {
		p.extents = append(p.extents, extent(t))
	}
	for i := range p.outs {
		if c.s.into {
			p.extents = append(p.extents, extent(c.s.outs[i]))
		}
	}
	if len(c.s.plans) >= maxPlans {
		clear(c.s.plans)
	}
	c.s.plans[string(c.key)] = p
	return p, nil
}

// extent returns the bytes from the first element of a tensor to behind its last.
func extent(t *nereid.Tensor) int {
	if t == nil || t.Len() == 0 {
		return 0
	}
	last, strides := 0, core.Strides(t)
	for d, n := range t.Shape {
		last += (n - 1) * strides[d]
	}
	return (last + 1) * t.DType.Size()
}

// results finds memory for the results.
func (c *call) results(p *plan) (err error) {
	for i, r := range p.outs {
		if !c.s.into {
			if c.outs[i], err = c.s.alloc(r.dt, r.shape); err != nil {
				return err
			}
			continue
		}
		c.outs[i] = c.s.outs[i]
		if err := c.apart(p, i); err != nil {
			return err
		}
	}
	return nil
}

// apart returns an error if output i shares memory with an input that it would spoil.
func (c *call) apart(p *plan, i int) error {
	out := c.outs[i]
	lo, n := out.Addr(), uint64(p.extents[c.n+i])
	for j, t := range c.ins[:c.n] {
		if t == nil || n == 0 || t.Addr() >= lo+n || lo >= t.Addr()+uint64(p.extents[j]) {
			continue
		}
		if p.inPlace && t.Addr() == lo && t.DType.Size() == out.DType.Size() &&
			slices.Equal(t.Shape, out.Shape) && slices.Equal(t.Strides, out.Strides) {
			continue
		}
		return wrong(c.op, outNames[i], "it shares memory with %s", c.names[j])
	}
	return nil
}

// step launches a kernel.
func (c *call) step(p *plan, st *step) error {
	for _, x := range st.slots {
		switch {
		case x.operand >= c.n+len(p.outs):
			st.args[x.arg] = p.views[x.operand-c.n-len(p.outs)]
		case x.operand >= c.n:
			st.args[x.arg] = c.outs[x.operand-c.n]
		case c.ins[x.operand] != nil:
			st.args[x.arg] = c.ins[x.operand]
		default:
			st.number(x.arg, c.nums[x.operand])
		}
	}
	return st.kernel.Launch(c.s.stream, st.grid, st.args...)
}

// number makes an argument a number. The same number as in the call before allocates nothing.
func (st *step) number(arg int, v number) {
	switch old := st.args[arg].(type) {
	case nereid.Scalar:
		if old != nereid.ScalarOf(nereid.Float64, v.f) || !v.float {
			st.args[arg] = st.argument(v)
		}
	case float64:
		if math.Float64bits(old) != math.Float64bits(v.f) || !v.float { // -0 is another number than 0
			st.args[arg] = st.argument(v)
		}
	case int64:
		if old != v.i || v.float {
			st.args[arg] = st.argument(v)
		}
	default:
		st.args[arg] = st.argument(v)
	}
}

// argument returns a number as a launch takes it: floats are fp32 unless the kernel computes in fp64.
func (st *step) argument(v number) any {
	switch {
	case !v.float:
		return v.i
	case st.double:
		return nereid.ScalarOf(nereid.Float64, v.f)
	}
	return v.f
}
