package interp

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Program is a kernel ready to run. It may be run from several goroutines at once.
type Program struct {
	Name   string
	Params []ir.Type // types of the kernel's arguments

	kernel *function
	funcs  []*function
	prints bool      // some operation prints
	pool   sync.Pool // pool of idle workers, for their frames
}

// function is a function of the module, or the region of a reduction, compiled.
type function struct {
	name    string
	id      int
	regs    []regInfo
	objs    int
	words   int // memory of a frame, in 8 bytes
	inits   []func(f *frame)
	setup   code // what does not depend on the program; see planner.hoist
	body    body
	params  []value
	results []value

	vals map[*ir.Value]value // of a traced program
}

// regInfo is a register's place in a frame's memory.
type regInfo struct {
	word, n int
	lanes   bool // in a function over lanes: one element for each lane
}

// value is where a value of the IR lives.
type value struct {
	layout
	reg reg
	uni bool // a tensor of equal elements, of which the register holds one
}

// worker returns an idle worker, or a new one, for a run.
func (p *Program) worker(r *run) *worker {
	w, _ := p.pool.Get().(*worker)
	if w == nil {
		w = &worker{frames: make([][]*frame, len(p.funcs))}
	}
	w.run = r
	return w
}

func (p *Program) release(w *worker) {
	if w.kernel != nil {
		w.release(w.kernel)
	}
	w.run, w.kernel, w.at = nil, nil, nil
	w.text.Reset()
	p.pool.Put(w)
}

func (fn *function) newFrame(w *worker) *frame {
	f := &frame{fn: fn, w: w, regs: make([]register, len(fn.regs)), objs: make([]any, fn.objs),
		mem: make([]uint64, fn.words+1)}
	for i, r := range fn.regs {
		f.regs[i] = register{unsafe.Pointer(&f.mem[r.word]), r.n}
	}
	for _, init := range fn.inits {
		init(f)
	}
	if fn != w.p.kernel { // a kernel's is run when its arguments are known
		f.exec(fn.setup)
	}
	return f
}

// setLanes makes the frame of a function over lanes work on n of them.
func (f *frame) setLanes(n int) {
	f.lanes = n
	for i, r := range f.fn.regs {
		if r.lanes {
			f.regs[i].n = n
		}
	}
}

// bind puts an argument given as bits into its register.
func (w *worker) bind(f *frame, v value, bits uint64) {
	switch {
	case v.kind == kObj:
		f.objs[v.reg] = w.descriptor(bits)
	case v.kind == kI1:
		row[uint8](f, v.reg)[0] = uint8(bits & 1)
	case v.small():
		row[float32](f, v.reg)[0] = smallFor(v.fmt).decode(uint32(bits))
	case v.kind != kNone:
		copy(f.bytes(v.reg, v.kind), unsafe.Slice((*byte)(unsafe.Pointer(&bits)), v.kind.bytes()))
	}
}

// bytes returns the raw memory of a register.
func (f *frame) bytes(r reg, k kind) []byte {
	x := f.regs[r]
	return unsafe.Slice((*byte)(x.p), x.n*k.bytes())
}

// Compile makes a kernel of the module ready to run, with all that it calls. The module must be valid and
// stay unchanged.
func Compile(m *ir.Module, kernel string) (*Program, error) {
	return CompileWithin(nil, m, kernel, false)
}

// CompileWithin compiles like Compile, within a budget; with ring, floats are elements of a finite ring.
func CompileWithin(meter *budget.Meter, m *ir.Module, kernel string, ring bool) (p *Program, err error) {
	return compileProgram(meter, m, kernel, ring, false)
}

// compileProgram compiles like CompileWithin; with traced, every operation runs where it stands, and
// functions know the registers of their values.
func compileProgram(meter *budget.Meter, m *ir.Module, kernel string, ring, traced bool) (p *Program,
	err error) {
	defer func() { // a module that the verifier would reject
		if e := recover(); e != nil {
			if over, ok := budget.Recovered(e); ok {
				p, err = nil, fmt.Errorf("interp: @%s: %w", kernel, over)
				return
			}
			p, err = nil, fmt.Errorf("interp: @%s: the module is not valid: %v", kernel, e)
		}
	}()
	op := m.Lookup(kernel)
	if op == nil || !isFunc(op) {
		return nil, fmt.Errorf("interp: no function @%s in the module", kernel)
	}
	c := &moduleCompiler{m: m, p: &Program{Name: kernel}, meter: meter, byOp: map[*ir.Op]*function{},
		lanes: map[*ir.Op]*function{}, ring: ring, traced: traced}
	fn, err := c.function(op, true)
	if err != nil {
		return nil, err
	}
	if len(fn.results) > 0 {
		return nil, fmt.Errorf("interp: @%s returns values, so it is no kernel", kernel)
	}
	c.p.kernel = fn
	for _, a := range op.Body(0).Args() {
		c.p.Params = append(c.p.Params, a.Type)
	}
	return c.p, nil
}
