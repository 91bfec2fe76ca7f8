package gomlx

import (
	"slices"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/nereid-lang/nereid"
	"github.com/pkg/errors"
)

// Executable implements compute.Executable. With dynamic axes it has a program for each set of their sizes,
// made when they are first seen.
type Executable struct {
	b       *Backend
	main    *Function
	dynamic bool

	mu       sync.Mutex
	programs map[string]*program // by the sizes of dynamic axes
}

var _ compute.Executable = (*Executable)(nil)

func newExecutable(x *Builder) (*Executable, error) {
	e := &Executable{b: x.b, main: x.main, programs: map[string]*program{}}
	for _, p := range x.main.params {
		e.dynamic = e.dynamic || p.shape.IsDynamic()
	}
	if e.dynamic {
		return e, nil
	}
	x.b.mu.Lock()
	defer x.b.mu.Unlock()
	p, err := x.b.compile(x.main)
	if err != nil {
		return nil, errors.WithMessagef(err, "compiling %q", x.name)
	}
	e.programs[""] = p
	if err := p.warm(); err != nil {
		return nil, errors.WithMessagef(err, "compiling %q", x.name)
	}
	return e, nil
}

// mostWarm is how many bytes the inputs of a program may have that runs once when it is made.
const mostWarm = 64 << 20

// warm runs a program once on arbitrary inputs, so that its kernels are compiled before the first
// execution. A program that calls functions does not run so: it might never end.
func (p *program) warm() error {
	bytes := 0
	for _, s := range p.inputs {
		bytes += p.blocks[p.slots[s].block].bytes
	}
	calls := slices.ContainsFunc(p.fn.nodes, func(n *node) bool { return n.subs != nil })
	if calls || bytes > mostWarm {
		return nil
	}
	in := make([]*nereid.Tensor, len(p.inputs))
	for i, s := range p.inputs {
		m, err := p.b.pool.get(p.blocks[p.slots[s].block].bytes)
		if err != nil {
			return err
		}
		defer p.b.pool.put(m)
		in[i] = m.view(p.slots[s].dt, p.slots[s].dims)
	}
	outs, err := p.run(in, nil, 0)
	for _, m := range outs {
		p.b.pool.put(m)
	}
	return err
}

// Finalize implements compute.Executable.
func (e *Executable) Finalize() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range e.programs {
		p.release()
	}
	e.programs = nil
}

// release gives back the memory of constants.
func (p *program) release() {
	for _, b := range p.blocks {
		if b.constant != nil {
			p.b.pool.put(b.constant)
			b.constant = nil
		}
	}
}

// Inputs implements compute.Executable.
func (e *Executable) Inputs() (names []string, list []shapes.Shape) {
	for _, p := range e.main.params {
		list = append(list, p.shape)
	}
	return slices.Clone(e.main.names), list
}

// Outputs implements compute.Executable.
func (e *Executable) Outputs() (list []shapes.Shape) {
	for _, n := range e.main.outputs {
		list = append(list, n.shape)
	}
	return list
}

// Execute implements compute.Executable.
func (e *Executable) Execute(inputs []compute.Buffer, donate []bool,
	_ compute.DeviceNum) ([]compute.Buffer, error) {
	if len(inputs) != len(e.main.params) {
		return nil, errors.Errorf("%d inputs for the %d parameters of %q", len(inputs), len(e.main.params),
			e.main.builder.name)
	}
	buffers := make([]*Buffer, len(inputs))
	for i, in := range inputs {
		x, ok := in.(*Buffer)
		if !ok || x == nil || x.b != e.b {
			return nil, errors.Errorf("input %d is no buffer of this backend", i)
		}
		if err := fits(x.shape, e.main.params[i].shape); err != nil {
			return nil, errors.WithMessagef(err, "input %d, parameter %q", i, e.main.names[i])
		}
		buffers[i] = x
	}
	e.b.mu.Lock()
	defer e.b.mu.Unlock()
	if e.b.closed {
		return nil, errors.Errorf("backend %q was finalized", Name)
	}
	p, err := e.program(buffers)
	if err != nil {
		return nil, err
	}
	return e.execute(p, buffers, donate)
}

func fits(got, want shapes.Shape) error {
	ok := got.DType == want.DType && got.Rank() == want.Rank()
	for d := 0; ok && d < got.Rank(); d++ {
		ok = want.Dimensions[d] == shapes.DynamicDim || want.Dimensions[d] == got.Dimensions[d]
	}
	if !ok {
		return errors.Errorf("the buffer has the shape %s, not %s", got, want)
	}
	return nil
}

// execute runs a program on buffers.
func (e *Executable) execute(p *program, buffers []*Buffer, donate []bool) ([]compute.Buffer, error) {
	tensors := make([]*nereid.Tensor, len(buffers))
	donated := make([]*memory, len(buffers))
	for i, x := range buffers {
		m, err := x.memory()
		if err != nil {
			return nil, errors.WithMessagef(err, "input %d", i)
		}
		tensors[i] = m.view(x.shape.DType, x.shape.Dimensions)
		if i < len(donate) && donate[i] && !slices.Contains(donated, m) {
			donated[i] = m
		}
	}
	mine := slices.Clone(donated)
	outs, err := p.run(tensors, donated, 0)
	for i, m := range mine {
		if m == nil {
			continue
		}
		buffers[i].own.take()
		if donated[i] != nil { // no output has it
			e.b.pool.put(m)
		}
	}
	if err != nil {
		return nil, errors.WithMessagef(err, "executing %q", e.main.builder.name)
	}
	list := make([]compute.Buffer, len(outs))
	for i, m := range outs {
		s := p.fn.outputs[i].shape
		list[i] = e.b.newBuffer(s, m)
	}
	return list, nil
}

// program returns the program for the shapes of inputs.
func (e *Executable) program(buffers []*Buffer) (*program, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.programs == nil {
		return nil, errors.Errorf("the executable of %q was finalized", e.main.builder.name)
	}
	if !e.dynamic {
		return e.programs[""], nil
	}
	at := shapes.AxisBindings{}
	for i, n := range e.main.params {
		if n.shape.IsDynamic() {
			if err := at.Extract(n.shape, buffers[i].shape); err != nil {
				return nil, errors.WithMessagef(err, "parameter %q", e.main.names[i])
			}
		}
	}
	key := at.Key()
	if p := e.programs[key]; p != nil {
		return p, nil
	}
	f, err := e.main.specialize(e.b, at)
	if err != nil {
		return nil, err
	}
	p, err := e.b.compile(f)
	if err != nil {
		return nil, errors.WithMessagef(err, "compiling %q", e.main.builder.name)
	}
	e.programs[key] = p
	return p, nil
}

// copyBytes copies memory of the device.
func (b *Backend) copyBytes(to, from *nereid.Tensor, bytes int) error {
	return errors.Wrapf(copyKernel(b, flatView(to, bytes), flatView(from, bytes)), "backend %q", Name)
}
