package codegen

import (
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/bufferization"
	"github.com/nereid-lang/nereid/internal/dialect/cf"
	"github.com/nereid-lang/nereid/internal/dialect/funcd"
	"github.com/nereid-lang/nereid/internal/dialect/linalg"
	"github.com/nereid-lang/nereid/internal/dialect/memref"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tensor"
	"github.com/nereid-lang/nereid/internal/ir"
)

// effects holds the operations that are written in their place.
var effects map[*ir.OpDef]func(g *gen, op *ir.Op)

func init() {
	effects = map[*ir.OpDef]func(g *gen, op *ir.Op){
		scf.For: emitFor, scf.If: emitIf, scf.While: emitWhile,
		memref.Load: emitLoad, memref.Store: emitStore, memref.Copy: emitCopy,
		memref.AtomicRMW: emitAtomic, memref.GenericAtomicRMW: emitExchange,
		linalg.Fill: emitFill, linalg.Matmul: emitMatmul, linalg.BatchMatmul: emitMatmul,
		tensor.Extract:         func(g *gen, op *ir.Op) { g.scalar(op.Result(0)) },
		bufferization.ToTensor: func(g *gen, op *ir.Op) { g.bindView(op.Result(0), g.viewOf(op.Operand(0))) },
		cf.Assert:              emitAssert,
		funcd.Call:             emitCall,
		funcd.Return:           func(*gen, *ir.Op) {},
	}
}

// op1 writes an operation in its place.
func (g *gen) op1(op *ir.Op) {
	defer g.writing(op)()
	if f := effects[op.Def]; f != nil {
		f(g, op)
		return
	}
	if op.Def.Has(ir.Elementwise) || op.Def == arith.Constant {
		g.scalar(op.Result(0))
		return
	}
	g.fail(op, "not supported on the CPU")
}

// element returns the view of buf and the index that at_ denotes.
func (g *gen) element(buf *ir.Value, at_ []*ir.Value) (*view, []index) {
	w := g.viewOf(buf)
	idx := make([]index, len(at_))
	for i, v := range at_ {
		idx[i] = at(g.plain(g.scalar(v), 1).s)
	}
	return w, idx
}

func emitLoad(g *gen, op *ir.Op) {
	w, idx := g.element(op.Operand(0), op.Operands()[1:])
	g.bind(op.Result(0), g.load(w, idx, nil, val{}))
}

func emitStore(g *gen, op *ir.Op) {
	w, idx := g.element(op.Operand(1), op.Operands()[2:])
	g.store(w, idx, g.scalar(op.Operand(0)), nil)
}

// emitCopy copies between views of any form.
func emitCopy(g *gen, op *ir.Op) {
	from, to := g.viewOf(op.Operand(0)), g.viewOf(op.Operand(1))
	g.nestOver(to.sizes, from.elem, func(idx []index, mask *val) {
		g.store(to, idx, g.load(from, idx, mask, g.zero(from.elem)), mask)
	})
}

func emitFill(g *gen, op *ir.Op) {
	v := g.scalar(op.Operand(0))
	w := g.viewOf(op.Operand(1))
	g.nestOver(w.sizes, w.elem, func(idx []index, mask *val) { g.store(w, idx, v, mask) })
}

// nestOver writes loops over sizes that may be known only at run time: whole vectors along the last
// dimension, then one with a mask.
func (g *gen) nestOver(sizes []string, elem ir.Type, body func(idx []index, mask *val)) {
	var level func(d int, idx []index)
	level = func(d int, idx []index) {
		if d < len(sizes)-1 {
			g.loop("0", sizes[d], 1, func(i string) {
				g.scoped(func() { level(d+1, append(idx[:d:d], at(i))) })
			})
			return
		}
		if len(sizes) == 0 {
			body(nil, nil)
			return
		}
		n := int64(max(1, g.opts.VectorBytes/int(max(elemSize(elem), 2))))
		size := sizes[d]
		if k, ok := number(size); ok {
			for n > 1 && k%n != 0 {
				n /= 2
			}
		}
		x := index{align: n}
		if n > 1 {
			x.lanes = counting(int(n))
		}
		run := func(i string, mask *val) {
			y := x
			y.base = i
			body(append(idx[:d:d], y), mask)
		}
		g.lanes = int(n)
		end := g.op("and i64 %s, %d", size, -n)
		g.loop("0", end, n, func(i string) { g.scoped(func() { run(i, nil) }) })
		if _, ok := number(size); !ok {
			g.when(g.op("icmp slt i64 %s, %s", end, size), func() {
				g.scoped(func() {
					m := g.within(index{base: end, lanes: x.lanes, align: n}, "0", size)
					run(end, &m)
				})
			})
		}
		g.lanes = 1
	}
	level(0, nil)
}

// rmwInstructions maps the kinds of memref.atomic_rmw to LLVM's.
var rmwInstructions = map[string]string{
	"andi": "and", "ori": "or", "xori": "xor", "addi": "add", "addf": "fadd", "maxs": "max", "mins": "min",
	"maxu": "umax", "minu": "umin", "assign": "xchg", "maximumf": "fmax", "minimumf": "fmin",
	"maxnumf": "fmax", "minnumf": "fmin",
}

func emitAtomic(g *gen, op *ir.Op) {
	w, idx := g.element(op.Operand(1), op.Operands()[2:])
	v := g.plain(g.scalar(op.Operand(0)), 1)
	kind, _ := memref.AtomicKind.Word(op.IntOr("kind", 0))
	instr := rmwInstructions[kind]
	if instr == "" {
		g.fail(op, "the atomic operation %s is not supported on the CPU", kind)
		return
	}
	off := g.place(w, idx)
	g.guard("atomic", w, off, nil)
	p := g.gep(w, off.base)
	if isSmallFloat(w.elem) || instr == "fmax" || instr == "fmin" {
		g.bind(op.Result(0), g.exchange(w.elem, p, func(old val) val { return g.atomicStep(instr, old, v) }))
		return
	}
	elem := memType(w.elem)
	g.bind(op.Result(0), val{s: g.op("atomicrmw %s ptr %s, %s %s acq_rel, align %d", instr, p, elem, v.s,
		elemSize(w.elem)), t: w.elem, n: 1})
}

// atomicStep returns the new value that an atomic operation on a float stores.
func (g *gen) atomicStep(instr string, old, v val) val {
	switch instr {
	case "xchg":
		return v
	case "fadd":
		return g.floating(old.t, []val{old, v}, func(x []val) val {
			return g.binary("fadd", x[0].t, x[0], x[1])
		})
	case "fmax":
		return g.floating(old.t, []val{old, v}, func(x []val) val {
			return g.intrinsic("maxnum", x[0].t, x...)
		})
	}
	return g.floating(old.t, []val{old, v}, func(x []val) val { return g.intrinsic("minnum", x[0].t, x...) })
}

// exchange atomically replaces an element by f of it, in a compare-and-swap loop.
func (g *gen) exchange(t ir.Type, p string, f func(old val) val) val {
	bits := fmt.Sprintf("i%d", elemSize(t)*8)
	slot := g.slot(bits)
	g.do("store %s %s, ptr %s", bits, g.op("load atomic %s, ptr %s monotonic, align %d", bits, p,
		elemSize(t)), slot)
	again, done := g.label("again"), g.label("done")
	g.fall(again)
	old := g.op("load %s, ptr %s", bits, slot)
	v := old
	if elemType(t) != bits {
		v = g.op("bitcast %s %s to %s", bits, old, elemType(t))
	}
	new := f(val{s: v, t: t, n: 1})
	if elemType(t) != bits {
		new.s = g.op("bitcast %s %s to %s", elemType(t), new.s, bits)
	}
	r := g.op("cmpxchg ptr %s, %s %s, %s %s acq_rel monotonic, align %d", p, bits, old, bits, new.s,
		elemSize(t))
	g.do("store %s %s, ptr %s", bits, g.op("extractvalue { %s, i1 } %s, 0", bits, r), slot)
	g.do("br i1 %s, label %%%s, label %%%s", g.op("extractvalue { %s, i1 } %s, 1", bits, r), done, again)
	g.begin(done)
	return val{s: v, t: t, n: 1}
}

func emitExchange(g *gen, op *ir.Op) {
	w, idx := g.element(op.Operand(0), op.Operands()[1:])
	body := op.Body(0)
	off := g.place(w, idx)
	g.guard("atomic", w, off, nil)
	p := g.gep(w, off.base)
	g.bind(op.Result(0), g.exchange(w.elem, p, func(old val) val {
		g.push()
		defer g.pop()
		g.bind(body.Arg(0), old)
		g.region(body, nil)
		return g.scalar(body.Last().Operand(0))
	}))
}

// isMemoryAt reports whether a call makes a buffer of an address.
func isMemoryAt(op *ir.Op) bool {
	s, ok := op.Attr("callee").(*ir.SymbolRefAttr)
	return ok && strings.HasPrefix(s.Root, "memory_at_") && op.NumResults() == 1 &&
		isMemRef(op.Result(0).Type)
}

func emitAssert(g *gen, op *ir.Op) {
	c := g.plain(g.scalar(op.Operand(0)), 1)
	var bad string
	if c.n > 1 { // in the region of a reduction: no lane may fail
		bits := g.op("bitcast <%d x i1> %s to i%d", c.n, c.s, c.n)
		bad = g.op("icmp ne i%d %s, -1", c.n, bits)
	} else {
		bad = g.op("xor i1 %s, true", c.s)
	}
	g.trap(bad, Site{What: op.Text("msg"), Kind: Assertion, Arg: -1}, "0")
}

func emitCall(g *gen, op *ir.Op) {
	if isMemoryAt(op) {
		return
	}
	name := op.Attr("callee").(*ir.SymbolRefAttr).Root
	if isPrint(name) {
		emitPrint(g, op)
		return
	}
	args := make([]val, op.NumOperands())
	for i, x := range op.Operands() {
		args[i] = g.plain(g.scalar(x), 1)
	}
	for i, v := range g.callElement(op, args) {
		g.bind(op.Result(i), v)
	}
}

// callElement calls a function of a device library on elements.
func (g *gen) callElement(op *ir.Op, a []val) []val {
	name := op.Attr("callee").(*ir.SymbolRefAttr).Root
	u, n := g.unify(a...)
	f, err := g.math.Extern(name, n)
	if err != nil && g.opts.Externs {
		return g.callLinked(op, name, u, n)
	}
	if err != nil {
		g.fail(op, "the function %s is not there on the CPU: %v", name, err)
		return g.zeros(op)
	}
	args := make([]string, len(u))
	for i, v := range u {
		if i >= len(f.Params) || f.Params[i] != v.typ() {
			g.fail(op, "the function %s takes other arguments than %s", name, v.t)
			return g.zeros(op)
		}
		args[i] = v.s
	}
	t := op.Result(0).Type
	if f.Result != vector(elemType(t), n) {
		g.fail(op, "the function %s has no result of type %s", name, t)
		return g.zeros(op)
	}
	return one(val{s: g.op("%s", f.Call(args...)), t: t, n: n})
}

// callLinked calls a function of a library that is linked later, for one element after the other.
func (g *gen) callLinked(op *ir.Op, name string, a []val, n int) []val {
	t := op.Result(0).Type
	ret := vector(elemType(t), 1)
	out := val{s: "poison", t: t, n: n}
	for lane := range n {
		var args, types []string
		for _, v := range a {
			x := val{s: v.s, t: v.t, n: 1}
			if n > 1 {
				x.s = g.op("extractelement %s %s, i64 %d", v.typ(), v.s, lane)
			}
			args, types = append(args, x.typ()+" "+x.s), append(types, x.typ())
		}
		g.decls[name] = fmt.Sprintf("declare %s @%s(%s)", ret, name, strings.Join(types, ", "))
		r := g.op("call %s @%s(%s)", ret, name, strings.Join(args, ", "))
		if n == 1 {
			return one(val{s: r, t: t, n: 1})
		}
		out.s = g.op("insertelement %s %s, %s %s, i64 %d", out.typ(), out.s, ret, r, lane)
	}
	return one(out)
}
