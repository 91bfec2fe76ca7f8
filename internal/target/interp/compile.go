package interp

import (
	"maps"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/dialect/amdg"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/ir"
)

// lowering turns an operation into a step. It may emit other steps first, and returns nil when nothing is
// left to do or after c.errorf.
type lowering func(c *compiler, op *ir.Op) step

// lowerings is every operation that the interpreter knows, from the tables of the op families. The init
// function fills it, since lowerings of regions lead back to it.
var lowerings = map[*ir.OpDef]lowering{}

func init() {
	for _, table := range []map[*ir.OpDef]lowering{intOps, floatOps, castOps, memoryOps, shapeOps, programOps,
		controlOps, reduceOps, dotOps, externOps, sharedOps} {
		maps.Copy(lowerings, table)
	}
}

// Handles reports whether the interpreter knows an operation: as a step, a value that is there from the
// start, another name of its operand, or nothing at all.
func Handles(def *ir.OpDef) bool {
	return lowerings[def] != nil || constants[def] != nil || renames[def] != nil ||
		ignored[def.Dialect.Name+"."+def.Name]
}

// moduleCompiler compiles the functions of a module that a kernel needs, each once.
type moduleCompiler struct {
	m     *ir.Module
	p     *Program
	meter *budget.Meter // may be nil
	byOp  map[*ir.Op]*function
	lanes map[*ir.Op]*function // functions compiled to work on many elements at once
	ring  bool                 // floats are elements of a ring: see ring.go

	traced bool // see compileProgram
}

// compiler compiles one function.
type compiler struct {
	*moduleCompiler
	fn    *function
	op    *ir.Op // the function or, for a region over lanes, its op
	vals  map[*ir.Value]value
	plan  *planner
	code  code
	err   error
	lanes bool // values are rows of one element for each lane

	temps []value // scratch registers, those in use first
	used  int
}

func isFunc(op *ir.Op) bool { return funclike.Type(op) != nil && op.Def.Has(ir.SymbolOp) }

// function returns a function of the module, which it compiles at the first request.
func (m *moduleCompiler) function(op *ir.Op, kernel bool) (*function, error) {
	if fn, ok := m.byOp[op]; ok {
		return fn, nil
	}
	if funclike.IsDeclaration(op) {
		return nil, errorAt(op, "function @%s has no body", op.Text("sym_name"))
	}
	c := m.compiler(op, op.Text("sym_name"))
	m.byOp[op] = c.fn
	c.plan = newPlanner(c, op)
	c.plan.invariantArgs = kernel
	c.plan.run()
	c.err = c.plan.err
	for _, a := range op.Body(0).Args() {
		c.fn.params = append(c.fn.params, c.vals[a])
	}
	for _, t := range funclike.Type(op).Outs {
		c.fn.results = append(c.fn.results, c.pinned(t))
	}
	if c.err == nil {
		c.fn.body = *c.region(op.Region(0), func(ret *ir.Op) { c.move(c.fn.results, ret.Operands(), nil) })
	}
	c.finish()
	if c.traced {
		c.fn.vals = c.vals
	}
	return c.fn, c.err
}

func (m *moduleCompiler) compiler(op *ir.Op, name string) *compiler {
	fn := &function{name: name, id: len(m.p.funcs)}
	m.p.funcs = append(m.p.funcs, fn)
	return &compiler{moduleCompiler: m, fn: fn, op: op, vals: map[*ir.Value]value{}}
}

// finish lays the registers out in memory.
func (c *compiler) finish() {
	for i := range c.fn.regs {
		r := &c.fn.regs[i]
		bytes := r.word // until now its size in bytes
		r.word = c.fn.words
		c.fn.words += (bytes + 63) / 64 * 8
	}
}

func errorAt(op *ir.Op, format string, args ...any) error {
	return ir.Refuse(op, format, args...).By("interp")
}

// errorf records that an operation cannot be run; the first one counts.
func (c *compiler) errorf(op *ir.Op, format string, args ...any) step {
	if c.err == nil {
		c.err = errorAt(op, format, args...)
	}
	return nil
}

// newReg adds a register of n elements of a kind, for each lane where there are lanes.
func (c *compiler) newReg(k kind, n int, lanes bool) reg {
	if k == kObj {
		c.fn.objs++
		return reg(c.fn.objs - 1)
	}
	bytes := n * k.bytes()
	if lanes {
		bytes *= maxLanes
	}
	c.fn.regs = append(c.fn.regs, regInfo{bytes, n, lanes})
	return reg(len(c.fn.regs) - 1)
}

// pinned returns a register of its own for a value of a type.
func (c *compiler) pinned(t ir.Type) value {
	l, err := layoutOf(t)
	if err != nil && c.err == nil {
		c.err = errorAt(c.op, "%v", err)
	}
	return value{layout: l, reg: c.newReg(l.kind, l.n, c.lanes)}
}

// temp returns a scratch register, which is free again when the current operation is lowered.
func (c *compiler) temp(k kind, n int) value {
	v := value{layout: layout{kind: k, n: n}}
	for i := c.used; i < len(c.temps); i++ {
		if t := c.temps[i]; t.kind == k && t.n == n {
			c.temps[i], c.temps[c.used] = c.temps[c.used], t
			c.used++
			return t
		}
	}
	v.reg = c.newReg(k, n, c.lanes)
	c.temps = append(c.temps, v)
	last := len(c.temps) - 1
	c.temps[last], c.temps[c.used] = c.temps[c.used], c.temps[last]
	c.used++
	return v
}

// in returns the register of an operand; a tensor of equal elements may be held as one element.
func (c *compiler) in(v *ir.Value) value {
	x, ok := c.vals[v]
	if !ok && c.err == nil {
		c.err = errorAt(c.op, "a value of type %s is used where it is not defined", v.Type)
	}
	return x
}

// full returns the register of an operand, as in does, with every element in place.
func (c *compiler) full(v *ir.Value) value {
	x := c.in(v)
	if !x.uni {
		return x
	}
	t := c.temp(x.kind, x.n)
	t.layout = x.layout
	c.emit(v.Def(), fillStep(x.kind, t.reg, x.reg))
	return t
}

// ins returns the registers of operands, each as in gives it.
func (c *compiler) ins(op *ir.Op) []value {
	vs := make([]value, op.NumOperands())
	for i := range vs {
		vs[i] = c.in(op.Operand(i))
	}
	return vs
}

// out returns the register of a result.
func (c *compiler) out(v *ir.Value) value { return c.in(v) }

func (c *compiler) emit(op *ir.Op, s step) {
	if op == nil {
		op = c.op
	}
	c.code = append(c.code, instr{s, op, workOf(op)})
}

// fewElements is the number of elements up to which the work of an operation is not counted.
const fewElements = 1 << 10

// workOf returns the number of elements of the largest tensor that an operation has to do with, 0 for few.
func workOf(op *ir.Op) (most int) {
	if op == nil {
		return 0
	}
	look := func(list []*ir.Value) {
		for _, v := range list {
			if t, ok := v.Type.(*ir.TensorType); ok {
				most = max(most, int(t.NumElements()))
			}
		}
	}
	look(op.Operands())
	look(op.Results())
	if most <= fewElements {
		return 0
	}
	return most
}

// lower compiles one operation, unless the planner has disposed of it.
func (c *compiler) lower(op *ir.Op) {
	c.meter.Tick()
	if c.traced && !c.lanes && c.plan.live[op] && c.plan.done[op] {
		c.emit(op, func(*frame) {}) // the trace has it at its place
	}
	if !c.plan.live[op] || c.plan.done[op] {
		return
	}
	l, ok := c.lowering(op.Def)
	if ignored[op.Name()] || op.Def.Dialect == amdg.ROCDL && op.NumResults() == 0 {
		return
	}
	if !ok {
		c.errorf(op, "this operation is not supported")
		return
	}
	mark := c.used
	saved := c.code
	hoist := c.plan.hoisted[op]
	if hoist {
		c.code = c.fn.setup
	}
	if s := l(c, op); s != nil {
		c.emit(op, s)
	}
	if hoist {
		c.fn.setup, c.code = c.code, saved
	}
	c.used = mark
}

// straight compiles the operations of a block but for its terminator, which exit disposes of.
func (c *compiler) straight(b *ir.Block, exit func(term *ir.Op)) code {
	saved := c.code
	c.code = nil
	for op := range b.Ops() {
		if op == b.Terminator() && exit != nil {
			exit(op)
			break
		}
		c.lower(op)
	}
	out := c.code
	c.code = saved
	return out
}

// region compiles a region of any number of blocks. Terminators that leave it are given to exit.
func (c *compiler) region(r *ir.Region, exit func(term *ir.Op)) *body {
	index := map[*ir.Block]int{}
	for b := range r.Blocks() {
		index[b] = len(index)
	}
	out := &body{blocks: make([]block, len(index))}
	for b := range r.Blocks() {
		blk := &out.blocks[index[b]]
		term := b.Terminator()
		if term == nil {
			c.err = errorAt(c.op, "a block has no terminator")
			return out
		}
		blk.op = term
		blk.code = c.straight(b, func(term *ir.Op) {
			if len(term.Successors()) == 0 {
				exit(term)
				return
			}
			br, ok := branches[term.Def]
			if !ok {
				c.errorf(term, "this branch is not supported")
				return
			}
			blk.next = br(c, term, index)
		})
	}
	return out
}
