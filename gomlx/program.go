package gomlx

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/nereid-lang/nereid"
	"github.com/pkg/errors"
)

// program is a function ready to run: steps over slots.
type program struct {
	b       *Backend
	fn      *Function
	steps   []step
	blocks  []*block
	slots   []slot
	inputs  []int // slots of parameters, then of captured values
	outputs []int // slots
	arena   int   // bytes of all temporary blocks

	// What belongs to the current run.
	vals    []*nereid.Tensor
	base    *nereid.Tensor // where temporary blocks lie
	made    []*memory      // results of calls, by block
	depth   int
	running bool
}

// step is a part of a program: a launch or a call.
type step interface{ run(p *program) error }

// stepFunc is a step in Go.
type stepFunc func(p *program) error

func (f stepFunc) run(p *program) error { return f(p) }

type blockKind uint8

const (
	tempBlock   blockKind = iota
	inputBlock            // the caller's
	constBlock            // lives with the program
	outputBlock           // given to the caller
	madeBlock             // made by a call
)

// block is memory that slots share.
type block struct {
	kind        blockKind
	bytes       int // of the elements; blockBytes of them are reserved
	first, last int // steps that use it
	offset      int // of a temporary block
	constant    *memory
	// donors are inputs whose memory, if donated, may hold an output.
	donors []int
}

// slot is a tensor in a block.
type slot struct {
	block int
	dt    dtypes.DType
	dims  []int
}

// plan finds places for temporary blocks: each as low as possible, apart from those alive at the same time.
func (p *program) plan() {
	var placed []*block
	order := make([]*block, 0, len(p.blocks))
	for _, b := range p.blocks {
		if b.kind == tempBlock && b.first >= 0 {
			order = append(order, b)
		}
	}
	slices.SortStableFunc(order, func(x, y *block) int { return y.bytes - x.bytes })
	for _, b := range order {
		at := 0
		for moved := true; moved; {
			moved = false
			for _, x := range placed {
				end := x.offset + blockBytes(x.bytes)
				if x.last < b.first || b.last < x.first || at >= end || x.offset >= at+blockBytes(b.bytes) {
					continue
				}
				at, moved = end, true
			}
		}
		b.offset = at
		p.arena = max(p.arena, at+blockBytes(b.bytes))
		placed = append(placed, b)
	}
}

// run executes the program. Inputs are tensors in the order of the parameters and the captured values;
// donated has the memory of those that the program may use for outputs, and is cleared where it does.
func (p *program) run(inputs []*nereid.Tensor, donated []*memory, depth int) (outs []*memory, err error) {
	if p.running {
		return nil, errors.Errorf("function %q calls itself", p.fn.name)
	}
	p.running, p.depth = true, depth
	defer p.finish()
	if err := p.temporaries(depth); err != nil {
		return nil, err
	}
	for i, s := range p.inputs {
		p.share(s, inputs[i])
	}
	byBlock := map[int]*memory{}
	outs = make([]*memory, len(p.outputs))
	for i, s := range p.outputs {
		b := p.blocks[p.slots[s].block]
		if b.kind != outputBlock {
			continue
		}
		m := take(b, donated)
		if m == nil {
			if m, err = p.b.pool.get(b.bytes); err != nil {
				return nil, err
			}
		}
		outs[i] = m
		byBlock[p.slots[s].block] = m
	}
	for s := range p.slots {
		if m := byBlock[p.slots[s].block]; m != nil {
			p.vals[s] = m.view(p.slots[s].dt, p.slots[s].dims)
		}
	}
	for _, st := range p.steps {
		if err := st.run(p); err != nil {
			return nil, err
		}
	}
	for i, s := range p.outputs {
		if b := p.slots[s].block; p.blocks[b].kind == madeBlock {
			outs[i] = p.made[b]
			p.made[b] = nil
		}
	}
	return outs, nil
}

// take returns memory of a donor, if there is one.
func take(b *block, donated []*memory) *memory {
	for _, d := range b.donors {
		if d < len(donated) && donated[d] != nil && donated[d].t.Len() == blockBytes(b.bytes) {
			m := donated[d]
			donated[d] = nil
			return m
		}
	}
	return nil
}

// finish forgets what belongs to a run.
func (p *program) finish() {
	for i, m := range p.made {
		if m != nil {
			p.b.pool.put(m)
			p.made[i] = nil
		}
	}
	for s := range p.slots {
		if k := p.blocks[p.slots[s].block].kind; k != tempBlock && k != constBlock {
			p.vals[s] = nil
		}
	}
	p.running = false
}

// temporaries makes views of temporary blocks and constants.
func (p *program) temporaries(depth int) error {
	base, err := p.b.scratchAt(depth, p.arena)
	if err != nil {
		return err
	}
	if p.vals != nil && base == p.base {
		return nil
	}
	p.vals, p.base = make([]*nereid.Tensor, len(p.slots)), base
	p.made = make([]*memory, len(p.blocks))
	for s := range p.slots {
		x := &p.slots[s]
		switch b := p.blocks[x.block]; b.kind {
		case tempBlock:
			p.vals[s] = typed(base, b.offset, x.dt, x.dims)
		case constBlock:
			p.vals[s] = b.constant.view(x.dt, x.dims)
		}
	}
	return nil
}

// share sets the tensor of a slot, and of all slots of its block.
func (p *program) share(s int, t *nereid.Tensor) {
	for i := range p.slots {
		x := &p.slots[i]
		if x.block != p.slots[s].block {
			continue
		}
		p.vals[i] = t
		if i != s {
			p.vals[i] = typed(t, 0, x.dt, x.dims)
		}
	}
}

// scratchAt returns scratch memory for programs at a depth of calls.
func (b *Backend) scratchAt(depth, bytes int) (*nereid.Tensor, error) {
	for len(b.scratch) <= depth {
		b.scratch = append(b.scratch, nil)
	}
	if t := b.scratch[depth]; t != nil && t.Len() >= bytes {
		return t, nil
	}
	size := max(bytes+bytes/4, 1<<20)
	t, err := nereid.NewTensor(b.dev, nereid.Uint8, size)
	if err != nil {
		return nil, errors.Wrapf(err, "backend %q", Name)
	}
	if old := b.scratch[depth]; old != nil {
		old.Close()
	}
	b.scratch[depth] = t
	return t, nil
}

// launch is a step that launches a kernel.
type launch struct {
	kernel *nereid.Kernel
	grid   nereid.Grid
	args   []any
	slots  []int // of the first arguments
	text   string
}

func (l *launch) run(p *program) error {
	for i, s := range l.slots {
		l.args[i] = p.vals[s]
	}
	if err := l.kernel.Launch(p.b.stream, l.grid, l.args...); err != nil {
		return errors.Wrapf(err, "backend %q", Name)
	}
	return nil
}
