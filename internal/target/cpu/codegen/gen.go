package codegen

import (
	"fmt"
	stack "runtime/debug"
	"strings"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/funcd"
	"github.com/nereid-lang/nereid/internal/dialect/memref"
	"github.com/nereid-lang/nereid/internal/dialect/tensor"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/target/cpu/gemm"
	"github.com/nereid-lang/nereid/internal/target/cpu/vmath"
)

// Options says what the code is for.
type Options struct {
	VectorBytes int    // bytes of a vector register: 64, 32 or 16
	Features    string // features of the CPU in LLVM's notation
	Gemm        gemm.Target
	Budget      *budget.Meter // bounds the code; nil means no bound
	Check       bool          // check each access to memory; see check.go
	Overlap     bool          // arguments may overlap; see alias.go
	Lines       bool          // add line information
	NoFusion    bool          // products and sums of elements are rounded each
	Externs     bool          // functions that are not known here are in libraries that are linked later
}

// Code is a kernel as LLVM IR.
type Code struct {
	IR      []byte
	Entry   string // name of the function that runs programs
	Scratch int64  // bytes of scratch memory that a worker needs
	Params  int    // number of arguments
	Sites   []Site // where it may stop, counted from one in the status
	Prints  []Print
	Apart   []Apart // arguments whose memory must not overlap; none with Options.Overlap
	Shares  bool    // a program is faster behind its neighbour in one call
}

// gen writes a kernel. The first error stops it.
type gen struct {
	*writer
	m        *ir.Module
	fn       *ir.Op
	opts     Options
	math     *vmath.Lib
	gemm     *gemm.Lib
	scopes   []*scope
	lanes    int
	memo     map[memoKey]val   // values computed in the current loop body; nil outside
	splats   map[string]string // vectors of a scalar in the current loop body
	steps    map[string]step   // parts of a sigmoid, by LLVM name; see ops_sigmoid.go
	nest     *nest
	fresh    map[*ir.Value]bool // tensors whose buffer is being filled
	loads    map[*ir.Op]*loadInfo
	dest     map[*ir.Value]*view // buffers for the results of matrix products
	late     map[*ir.Value]bool  // accumulators that the first round of a loop fills; see lateZeros
	wraps    map[*ir.Value]*wrapInfo
	prologue []string
	globals  []string
	known    map[string]bool // globals that are written
	arena    int64
	err      error

	gemmScratch map[string]*view
	sharedBytes int             // bytes that products keep for the next program; see share.go
	apart       map[[2]int]bool // recorded by reliesOn
	rounds      int64           // rounds of the surrounding loops that do not poll; see poll.go
	round       *round          // innermost loop around the current operation, or nil

	current     *ir.Op // operation that is being written
	lines       *lines
	sites       []Site
	program     string           // number of the running program
	params      int              // number of arguments
	owners      map[string]owner // owner of each pointer, in checked code
	argNames    []string
	needsInside bool
	prints      []Print
}

// scope holds the values and views known in a block.
type scope struct {
	vals  map[*ir.Value]val
	views map[*ir.Value]*view
}

func (g *gen) push() {
	g.scopes = append(g.scopes, &scope{map[*ir.Value]val{}, map[*ir.Value]*view{}})
}
func (g *gen) pop() { g.scopes = g.scopes[:len(g.scopes)-1] }

func (g *gen) scoped(f func()) {
	g.push()
	f()
	g.pop()
}

func (g *gen) bind(v *ir.Value, x val) { g.scopes[len(g.scopes)-1].vals[v] = x }

func (g *gen) bindView(v *ir.Value, w *view) { g.scopes[len(g.scopes)-1].views[v] = w }

// bindTop binds a view that is valid everywhere.
func (g *gen) bindTop(v *ir.Value, w *view) { g.scopes[0].views[v] = w }

func (g *gen) lookup(v *ir.Value) (val, bool) {
	for i := len(g.scopes) - 1; i >= 0; i-- {
		if x, ok := g.scopes[i].vals[v]; ok {
			return x, true
		}
	}
	return val{}, false
}

func (g *gen) lookupView(v *ir.Value) *view {
	for i := len(g.scopes) - 1; i >= 0; i-- {
		if w, ok := g.scopes[i].views[v]; ok {
			return w
		}
	}
	return nil
}

func (g *gen) fail(op *ir.Op, format string, args ...any) {
	if g.err != nil {
		return
	}
	g.err = ir.Refuse(op, format, args...).By("cpu")
}

func (g *gen) failValue(v *ir.Value, msg string) {
	if op := v.Block().Parent(); op != nil {
		g.fail(op, "%s", msg)
	}
}

func (g *gen) failf(format string, args ...any) {
	if g.err == nil {
		g.err = diag.Refuse("code for the CPU", format, args...).By("cpu")
	}
}

// scalar returns a value that is no tensor, computed at its first use.
func (g *gen) scalar(v *ir.Value) val {
	if x, ok := g.lookup(v); ok {
		return x
	}
	op := v.Def()
	if op != nil {
		defer g.writing(op)()
	}
	switch {
	case op == nil:
		g.failValue(v, "a value that is not known")
		return g.zero(v.Type)
	case op.Def == tensor.Extract:
		x := g.extract(op)
		g.bind(v, x)
		return x
	case op.Def == memref.ExtractAlignedPointer:
		p := ""
		if t := op.Operand(0).Type.(*ir.MemRefType); t.Unranked {
			p = g.pointer(op.Operand(0))
		} else {
			p = g.viewOf(op.Operand(0)).ptr
		}
		x := val{s: g.op("ptrtoint ptr %s to i64", p), t: ir.Index, n: 1}
		g.bind(v, x)
		return x
	case isMemRef(v.Type):
		return val{s: g.pointer(v), t: v.Type, n: 1}
	}
	args := make([]val, op.NumOperands())
	for i, x := range op.Operands() {
		args[i] = g.scalar(x)
	}
	for i, x := range g.elementwise(op, args) {
		g.bind(op.Result(i), x)
	}
	x, _ := g.lookup(v)
	return x
}

func isMemRef(t ir.Type) bool { _, ok := t.(*ir.MemRefType); return ok }

func isTensor(t ir.Type) bool { _, ok := t.(*ir.TensorType); return ok }

// Generate returns LLVM IR for a kernel in a module of the middle layer.
func Generate(m *ir.Module, kernel string, opts Options) (code *Code, err error) {
	fn := m.Lookup(kernel)
	if fn == nil || fn.Def != funcd.Func {
		return nil, fmt.Errorf("cpu: the module has no function %s", kernel)
	}
	foldSums(fn)
	g := &gen{
		writer: newWriter(), m: m, fn: fn, opts: opts, math: vmath.New(opts.Features),
		gemm: gemm.New(opts.Gemm), lanes: 1, dest: map[*ir.Value]*view{},
		late: map[*ir.Value]bool{}, wraps: map[*ir.Value]*wrapInfo{},
		gemmScratch: map[string]*view{}, apart: map[[2]int]bool{}, fresh: map[*ir.Value]bool{},
		loads: map[*ir.Op]*loadInfo{}, known: map[string]bool{}, owners: map[string]owner{},
		steps: map[string]step{},
	}
	g.meter = opts.Budget
	if opts.Lines {
		g.lines = newLines(fn, kernel)
	}
	defer func() { // a bug here must not end the process
		if r := recover(); r != nil {
			if over, ok := budget.Recovered(r); ok {
				code, err = nil, fmt.Errorf("cpu: %s: %w", kernel, over)
				return
			}
			code, err = nil, fmt.Errorf("cpu: internal error in %s: %v\n%s", kernel, r, stack.Stack())
		}
	}()
	g.push()
	done := g.writing(fn)
	body := g.capture(func() { g.programs(fn) })
	done()
	if g.err != nil {
		return nil, g.err
	}
	entry := kernel + ".range"
	var b strings.Builder
	fmt.Fprintf(&b, "define void @\"%s\"(ptr noalias %%args, ptr %%grid, i64 %%first, i64 %%last, ptr "+
		"noalias %%scratch, ptr %%status) #0%s {\nentry:\n", entry, g.lines.attr())
	b.WriteString("  %nowhere = alloca i64\n")
	for _, list := range [][]string{g.allocas, g.prologue} {
		for _, line := range list {
			b.WriteString(line)
			b.WriteByte('\n')
		}
	}
	b.WriteString(body)
	fmt.Fprintf(&b, "  ret void%s\n", g.lines.at(fn.Loc, ""))
	b.WriteString(g.stopped())
	b.WriteString("}\n\n")
	if g.needsInside {
		b.WriteString(inside)
	}
	for _, line := range g.globals {
		b.WriteString(line)
		b.WriteByte('\n')
	}
	for name, d := range g.math.Declares() {
		g.decls[name] = d
	}
	for name, d := range g.gemm.Declares() {
		g.decls[name] = d
	}
	b.WriteString(g.math.Text())
	b.WriteString(g.gemm.Text())
	b.WriteString("\n" + g.declarations() + "\n\n")
	b.WriteString("attributes #0 = { nounwind \"frame-pointer\"=\"non-leaf\" " +
		"\"instcombine-no-verify-fixpoint\" }\n")
	b.WriteString("!0 = !{!2}\n!1 = !{!3}\n!2 = distinct !{!2, !4, !\"scratch\"}\n!3 = distinct !{!3, !4, " +
		"!\"memory\"}\n!4 = distinct !{!4}\n!5 = !{!\"branch_weights\", i32 1, i32 1000000}\n")
	b.WriteString(g.lines.metadata())
	return &Code{IR: []byte(b.String()), Entry: entry, Scratch: g.arena + 256,
		Params: len(fn.Body(0).Args()) - 6, Sites: g.sites, Prints: g.prints, Apart: g.pairs(),
		Shares: g.sharedBytes > 0}, nil
}

// programs writes the loop over programs.
func (g *gen) programs(fn *ir.Op) {
	args := fn.Body(0).Args()
	n := len(args) - 6
	for i, a := range args[:n] {
		p := g.op("getelementptr i64, ptr %%args, i64 %d", i)
		x := val{t: a.Type, n: 1}
		if a.Type == ir.Type(ir.I1) {
			x.s = g.op("trunc i8 %s to i1", g.op("load i8, ptr %s", p))
		} else {
			x.s = g.op("load %s, ptr %s", elemType(a.Type), p)
		}
		g.bind(a, x)
		g.argNames = append(g.argNames, a.Name)
	}
	g.params = n
	if g.opts.Check {
		p := g.op("getelementptr i64, ptr %%grid, i64 3")
		g.do("%%bounds = load ptr, ptr %s", p)
		for i, a := range args[:n] {
			if isMemRef(a.Type) {
				x, _ := g.lookup(a)
				g.owners[x.s] = owner{arg: i, lo: g.bound(2 * i), size: g.bound(2*i + 1)}
			}
		}
	}
	var size [3]string
	for d := range 3 {
		wide := g.op("load i64, ptr %s", g.op("getelementptr i64, ptr %%grid, i64 %d", d))
		size[d] = g.op("trunc i64 %s to i32", wide)
		g.bind(args[n+d], val{s: size[d], t: ir.I32, n: 1})
	}
	ids := g.firstProgram(size)
	g.loadStop()
	g.loop("%first", "%last", 1, func(i string) {
		g.program = i
		g.poll()
		g.push()
		var id [3]string
		for d, s := range ids {
			id[d] = g.op("load i32, ptr %s", s)
			g.bind(args[n+3+d], val{s: id[d], t: ir.I32, n: 1})
		}
		g.block(fn.Body(0), nil)
		g.pop()
		carry := "true" // the next program: one further along x, then y, then z
		for d, s := range ids {
			next := g.op("add i32 %s, 1", id[d])
			over := g.op("icmp eq i32 %s, %s", next, size[d])
			moved := g.op("select i1 %s, i32 0, i32 %s", over, next)
			g.do("store i32 %s, ptr %s", g.op("select i1 %s, i32 %s, i32 %s", carry, moved, id[d]), s)
			carry = g.op("and i1 %s, %s", carry, over)
		}
	})
}

// firstProgram stores the position of the first program in the grid to variables.
func (g *gen) firstProgram(size [3]string) (ids [3]string) {
	p := "%first"
	for d := range ids {
		at := p
		if d < 2 {
			wide := g.op("zext i32 %s to i64", size[d])
			at, p = g.op("urem i64 %s, %s", p, wide), g.op("udiv i64 %s, %s", p, wide)
		}
		ids[d] = g.slot("i32")
		g.do("store i32 %s, ptr %s", g.op("trunc i64 %s to i32", at), ids[d])
	}
	return ids
}

// block writes the operations of a block except its terminator, and the roots that the terminator needs.
func (g *gen) block(b *ir.Block, last []*root) {
	p := g.plan(b, last)
	nests := func(pos int) {
		for _, n := range p.nests {
			if p.at[n] == pos && g.err == nil {
				g.startNest(p, n)
			}
		}
	}
	for i, op := range p.ops {
		if g.err != nil {
			return
		}
		nests(i)
		if !p.skip[op] && op != b.Terminator() {
			g.blockOp(p, op)
		}
	}
	nests(len(p.ops))
}

// blockOp writes an operation that is neither a root nor a formula.
func (g *gen) blockOp(p *planner, op *ir.Op) {
	switch {
	case p.isStore(op):
		return
	case op.NumResults() > 0 && isTensor(op.Result(0).Type) &&
		(g.isFormula(op.Result(0)) || p.hasStart(op.Result(0))):
		return // a formula, or computed by a nest
	case op.Def == arith.Constant:
		return // written where it is used
	case op.NumResults() > 0 && isPure(op):
		if v := op.Result(0); isMemRef(v.Type) {
			if t := v.Type.(*ir.MemRefType); !t.Unranked {
				g.viewOf(v)
			}
		} else {
			g.scalar(v)
		}
		return
	}
	g.op1(op)
}

func (p *planner) hasStart(v *ir.Value) bool {
	_, ok := p.start[v]
	return ok
}

// startNest computes the scalars and buffers that a nest needs and writes it.
func (g *gen) startNest(p *planner, n *nest) {
	p.shapeNest(n)
	p.relies(n)
	for _, r := range n.roots {
		p.dependsOn(r, func(v *ir.Value) {
			if t, ok := v.Type.(*ir.MemRefType); ok && !t.Unranked {
				g.viewOf(v)
			} else {
				g.scalar(v)
			}
		})
		switch {
		case r.kind == toBuffer && r.into == nil:
			g.bindView(r.v, g.newBuffer(ir.ElemOf(r.v.Type), r.shape))
		case r.red != nil && len(r.red.left()) > 0:
			for _, v := range r.op.Results() {
				g.bindView(v, g.newBuffer(ir.ElemOf(v.Type), r.red.left()))
			}
		}
	}
	g.emitNest(n)
}

// needGlobal writes a constant of the module, once.
func (g *gen) needGlobal(name string) {
	if g.known[name] {
		return
	}
	g.known[name] = true
	op := g.m.Lookup(name)
	if op == nil {
		g.failf("the module has no buffer %s", name)
		return
	}
	d, ok := op.Attr("initial_value").(*ir.DenseAttr)
	if !ok {
		g.fail(op, "a buffer of the module without a value is not supported")
		return
	}
	g.denseGlobal(name, d)
}

func (g *gen) denseGlobal(name string, d *ir.DenseAttr) {
	t := ir.ElemOf(d.Type)
	elem := memType(t)
	list := make([]string, d.Len())
	for i := range list {
		c, _ := constant(d.Elem(i))
		if t == ir.Type(ir.I1) {
			c.s = itoa(int64(d.Bits(i) & 1))
		}
		list[i] = elem + " " + c.s
	}
	g.globals = append(g.globals, fmt.Sprintf("@%s = private constant [%d x %s] [%s], align 64", name,
		len(list), elem, strings.Join(list, ", ")))
}

// constantBlock returns a constant tensor in memory.
func (g *gen) constantBlock(op *ir.Op) *view {
	v := op.Result(0)
	if w := g.lookupView(v); w != nil {
		return w
	}
	name := fmt.Sprintf("constant_%d", len(g.globals))
	d := op.Attr("value").(*ir.DenseAttr)
	g.denseGlobal(name, d)
	w := block("@"+name, ir.ElemOf(v.Type), ir.ShapeOf(v.Type))
	w.scratch = false // reading beyond its end is not allowed
	g.bindTop(v, w)
	return w
}
