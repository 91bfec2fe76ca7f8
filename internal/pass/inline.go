package pass

import (
	"github.com/nereid-lang/nereid/internal/dialect/cf"
	"github.com/nereid-lang/nereid/internal/dialect/funcd"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Inline puts the bodies of functions in the place of calls to them, callees first, and erases private
// functions that nobody calls any more. Locations become call sites. A call stays where its function is
// marked noinline, is recursive, has no body, or has several blocks while the call stands where one is
// allowed.
//
//	tt.func @k(%x: f32) { %y = tt.call @f(%x) … }       tt.func @k(%x: f32) { %y = arith.addf %x, %x … }
//	tt.func private @f(%a: f32) -> f32 {           =>
//	  %b = arith.addf %a, %a  tt.return %b }
var Inline = InlineOnly(func(string) bool { return true })

// InlineOnly returns Inline restricted to the functions whose symbol is accepted; calls to others stay as
// they are.
func InlineOnly(accept func(symbol string) bool) Pass {
	return Pass{
		Name: "inline",
		Doc:  "put the bodies of functions in the place of calls to them",
		Run: func(ctx *Context, m *ir.Module) error {
			in := &inliner{ctx: ctx, accept: accept, funcs: map[string]*ir.Op{}, refs: map[string]int{},
				state: map[*ir.Op]visit{}}
			in.run(m)
			return nil
		},
	}
}

type visit uint8

const (
	fresh visit = iota
	open        // being worked on: a call to it is recursion
	done
)

type inliner struct {
	ctx    *Context
	accept func(symbol string) bool
	funcs  map[string]*ir.Op
	refs   map[string]int // mentions of each function
	state  map[*ir.Op]visit
	total  int // operations of the module
}

func (in *inliner) run(m *ir.Module) {
	var order []*ir.Op
	for name, f := range m.Symbols() {
		if f.Def == tt.Func || f.Def == funcd.Func {
			in.funcs[name] = f
			order = append(order, f)
		}
	}
	for op := range m.Op.Ops() {
		in.total++
		in.countRefs(op)
	}
	for _, f := range order {
		in.function(f)
	}
	for _, f := range order {
		if f.Block() != nil && isPrivate(f) && in.refs[f.Text("sym_name")] == 0 {
			f.Erase()
		}
	}
}

func (in *inliner) countRefs(op *ir.Op) {
	for _, a := range op.Attrs() {
		symbolRefs(a.Attr, func(name string) { in.refs[name]++ })
	}
}

// function inlines into f, after it has inlined into those that f calls.
func (in *inliner) function(f *ir.Op) {
	if in.state[f] != fresh {
		return
	}
	in.state[f] = open
	var calls []*ir.Op
	f.Walk(func(op *ir.Op) bool {
		if op.Def == tt.Call || op.Def == funcd.Call {
			calls = append(calls, op)
		}
		return true
	})
	for _, call := range calls {
		callee := in.callee(call)
		if callee == nil {
			continue
		}
		in.function(callee)
		if in.state[callee] == done && in.accept(callee.Text("sym_name")) && mayInline(call, callee) {
			in.ctx.At(call)
			in.inline(call, callee)
		}
	}
	tidy(in.ctx, f)
	in.state[f] = done
}

// tidy simplifies a function of several blocks, of which often one is left: the front end puts a block that
// nothing reaches after each return.
func tidy(ctx *Context, f *ir.Op) {
	body := f.Region(0)
	if body.First() == body.Last() {
		return
	}
	eraseUnreachable(newRewriter(ctx, f), body)
	if body.First() != body.Last() {
		Greedy(ctx, f, canonical, GreedyOptions{})
	}
}

func (in *inliner) callee(call *ir.Op) *ir.Op {
	if a, ok := call.Attr("callee").(*ir.SymbolRefAttr); ok && a.Nested == "" {
		return in.funcs[a.Root]
	}
	return nil
}

func mayInline(call, callee *ir.Op) bool {
	body := callee.Region(0)
	if body.Empty() || callee.IntOr("noinline", 0) != 0 || callee.HasAttr("no_inline") ||
		call.HasAttr("no_inline") {
		return false
	}
	if len(body.First().Args()) != call.NumOperands() || funclike.Type(callee) == nil ||
		len(funclike.Type(callee).Outs) != call.NumResults() {
		return false
	}
	return body.First() == body.Last() || !call.Parent().Def.Has(ir.SingleBlock)
}

// inline puts callee's body in the place of call: the body itself when this was the last mention of a private
// function, and a copy otherwise.
func (in *inliner) inline(call, callee *ir.Op) {
	name := callee.Text("sym_name")
	body := ir.NewRegion()
	if isPrivate(callee) && in.refs[name] == 1 {
		body.TakeBody(callee.Region(0))
	} else {
		in.total += countOps(callee)
		in.ctx.Budget.Ops(in.total)
		callee.Region(0).CloneInto(body, ir.NewMapping())
		for b := range body.Blocks() {
			for op := range b.Ops() {
				op.Walk(func(o *ir.Op) bool { in.countRefs(o); return true })
			}
		}
	}
	in.refs[name]--
	placeAt(body, call.Loc)
	if body.First() == body.Last() {
		inlineBlock(call, body.First())
	} else {
		inlineBlocks(call, body)
	}
	if callee.Region(0).Empty() {
		callee.Erase()
		delete(in.funcs, name)
	}
}

// placeAt says of everything in a region that it was called from a place; one that is unknown tells nothing.
func placeAt(r *ir.Region, caller ir.Loc) {
	if caller == ir.Unknown {
		return
	}
	at := func(l ir.Loc) ir.Loc { return ir.CallSite(l, caller) }
	for b := range r.Blocks() {
		for _, a := range b.Args() {
			a.Loc = at(a.Loc)
		}
		for op := range b.Ops() {
			op.Loc = at(op.Loc)
			for _, inner := range op.Regions() {
				placeAt(inner, caller)
			}
		}
	}
}

// inlineBlock puts the operations of a body of one block before the call.
func inlineBlock(call *ir.Op, body *ir.Block) {
	bind(call, body)
	ret := body.Last()
	results := ret.Operands()
	ret.Erase()
	for op := range body.Ops() {
		op.MoveBefore(call)
	}
	for i, r := range call.Results() {
		if i < len(results) && results[i].Name == "" {
			results[i].Name = r.Name
		}
	}
	call.ReplaceWith(results...)
}

// bind gives the arguments of a body the values of the call.
func bind(call *ir.Op, entry *ir.Block) {
	for i, a := range entry.Args() {
		a.ReplaceAllUses(call.Operand(i))
	}
}

// inlineBlocks splits the block at the call and puts a body of several blocks between the halves.
func inlineBlocks(call *ir.Op, body *ir.Region) {
	head := call.Block()
	tail := head.SplitBefore(call)
	for _, r := range call.Results() {
		a := tail.AddArg(r.Type, call.Loc)
		a.Name = r.Name
		r.ReplaceAllUses(a)
	}
	entry := body.First()
	bind(call, entry)
	for op := range entry.Ops() {
		op.MoveToEnd(head)
	}
	entry.Remove()
	last := head
	for b := range body.Blocks() {
		b.Remove()
		head.Region().InsertAfter(b, last)
		last = b
	}
	for b := head; b != tail; b = b.Next() {
		returnTo(b, tail)
	}
	call.Erase()
}

// returnTo makes the return that ends a block, if one does, a jump.
func returnTo(b, to *ir.Block) {
	ret := b.Last()
	if ret == nil || ret.Def != tt.Return && ret.Def != funcd.Return {
		return
	}
	bld := ir.At(ret)
	bld.Create(ir.State{Def: cf.Br, Operands: ret.Operands(), Successors: []*ir.Block{to}})
	ret.Erase()
}
