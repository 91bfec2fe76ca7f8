package pass

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/cf"
	"github.com/nereid-lang/nereid/internal/dialect/funcd"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// expander replaces certain values by several values of other types each: a block pointer by its base, shape,
// strides and offsets. Operations that make or use such values have handlers; control flow,
// calls and selects are taken apart here. Parts that turn out not to change are left to the canonicalizer.
type expander struct {
	types    func(*ir.Value) []ir.Type // the types of a value's parts, nil when it stays
	handlers map[*ir.OpDef]func(x *expander, op *ir.Op) error

	// settled is called when everything is rewritten, before what was replaced is erased; it may be nil.
	settled func()

	parts map[*ir.Value][]*ir.Value
	ops   []*ir.Op    // replaced operations, to be erased
	args  []*ir.Value // replaced block arguments, to be erased
}

// needed reports whether any value of the module is to go.
func (x *expander) needed(m *ir.Module) bool {
	for op := range m.Op.Ops() {
		if x.touches(op) {
			return true
		}
		for _, r := range op.Regions() {
			for b := range r.Blocks() {
				if slices.ContainsFunc(b.Args(), func(a *ir.Value) bool { return x.types(a) != nil }) {
					return true
				}
			}
		}
	}
	return false
}

// touches reports whether op has an operand or result that is to go.
func (x *expander) touches(op *ir.Op) bool {
	for i := range op.NumOperands() {
		if x.types(op.Operand(i)) != nil {
			return true
		}
	}
	return slices.ContainsFunc(op.Results(), func(r *ir.Value) bool { return x.types(r) != nil })
}

func (x *expander) run(ctx *Context, m *ir.Module) error {
	if !x.needed(m) {
		return nil
	}
	x.parts = map[*ir.Value][]*ir.Value{}
	for op := range m.Block().Ops() {
		if err := x.op(ctx, op); err != nil {
			return err
		}
	}
	if x.settled != nil {
		x.settled()
	}
	return x.clean()
}

// clean erases what was replaced, users first.
func (x *expander) clean() error {
	for i := len(x.ops) - 1; i >= 0; i-- {
		op := x.ops[i]
		if op.HasUses() {
			return errAt(op, "%s has a use that cannot be rewritten", op.Name())
		}
		op.Erase()
	}
	for i := len(x.args) - 1; i >= 0; i-- {
		a := x.args[i]
		if a.HasUses() {
			return fmt.Errorf("an argument of type %s has a use that cannot be rewritten", a.Type)
		}
		a.Block().EraseArg(a.Index())
	}
	return nil
}

// errAt is an error with op's place in the source.
func errAt(op *ir.Op, format string, args ...any) error {
	msg := fmt.Sprintf(format, args...)
	if f := ir.FileLocOf(op.Loc); f != nil {
		return fmt.Errorf("%s:%d:%d: %s", f.File, f.Line, f.Col, msg)
	}
	return fmt.Errorf("%s", msg)
}

// op rewrites one operation and all inside it. What it uses has been rewritten before.
func (x *expander) op(ctx *Context, op *ir.Op) error {
	ctx.At(op)
	if h := x.handlers[op.Def]; h != nil && x.touches(op) {
		return h(x, op)
	}
	if op.Def == tt.Func || op.Def == funcd.Func {
		x.signature(op)
	}
	if x.touches(op) {
		var err error
		if op, err = x.structural(op); err != nil || op == nil {
			return err
		}
	}
	for _, r := range op.Regions() {
		for b := range r.Blocks() {
			x.blockArgs(b)
		}
		for _, b := range forwardOrder(r) {
			for o := range b.Ops() {
				if err := x.op(ctx, o); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// forwardOrder lists the blocks so that each comes after those that dominate it; unreachable ones, last.
func forwardOrder(r *ir.Region) []*ir.Block {
	if r.First() == r.Last() {
		return slices.Collect(r.Blocks())
	}
	var post []*ir.Block
	seen := map[*ir.Block]bool{}
	var walk func(b *ir.Block)
	walk = func(b *ir.Block) {
		if seen[b] {
			return
		}
		seen[b] = true
		for _, s := range b.Successors() {
			walk(s)
		}
		post = append(post, b)
	}
	walk(r.First())
	slices.Reverse(post)
	for b := range r.Blocks() {
		if !seen[b] {
			post = append(post, b)
		}
	}
	return post
}

// blockArgs gives a block arguments for the parts of those that are to go.
func (x *expander) blockArgs(b *ir.Block) {
	for _, a := range slices.Clone(b.Args()) {
		ts := x.types(a)
		if ts == nil || x.parts[a] != nil {
			continue
		}
		parts := make([]*ir.Value, len(ts))
		for i, t := range ts {
			parts[i] = b.InsertArg(a.Index()+1+i, t, a.Loc)
		}
		x.parts[a] = parts
		x.args = append(x.args, a)
	}
}

// signature changes the type and the argument attributes of a function.
func (x *expander) signature(f *ir.Op) {
	t := funclike.Type(f)
	if t == nil || f.Region(0).Empty() {
		return
	}
	args := f.Body(0).Args()
	ins, outs := x.flatTypes(args), x.flatTypes(returned(f))
	if len(ins) == len(t.Ins) && len(outs) == len(t.Outs) {
		return
	}
	if a, ok := f.Attr("arg_attrs").(*ir.ArrayAttr); ok {
		var dicts []ir.Attr
		for i, arg := range args {
			dicts = append(dicts, a.Elems[i]) // the first part inherits the attributes
			for range len(x.types(arg)) - 1 {
				dicts = append(dicts, ir.Dict())
			}
		}
		f.SetAttr("arg_attrs", ir.Array(dicts...))
	}
	funclike.SetType(f, ir.Func(ins, outs))
}

// returned returns the operands of a function's first return.
func returned(f *ir.Op) []*ir.Value {
	for b := range f.Region(0).Blocks() {
		if t := b.Terminator(); t != nil && (t.Def == tt.Return || t.Def == funcd.Return) {
			return t.Operands()
		}
	}
	return nil
}

// flatTypes returns the types of values, or of their parts.
func (x *expander) flatTypes(vs []*ir.Value) []ir.Type {
	var out []ir.Type
	for _, v := range vs {
		if p := x.types(v); p != nil {
			out = append(out, p...)
		} else {
			out = append(out, v.Type)
		}
	}
	return out
}

// flat replaces values by their parts.
func (x *expander) flat(vs []*ir.Value) ([]*ir.Value, error) {
	var out []*ir.Value
	for _, v := range vs {
		if x.types(v) == nil {
			out = append(out, v)
			continue
		}
		p := x.parts[v]
		if p == nil {
			return nil, fmt.Errorf("a value of type %s has an origin that cannot be rewritten", v.Type)
		}
		out = append(out, p...)
	}
	return out, nil
}

// structural rewrites an operation that passes values on. It returns the operation to go on with inside, or
// nil.
func (x *expander) structural(op *ir.Op) (*ir.Op, error) {
	switch op.Def {
	case scf.Yield, scf.Condition, tt.Return, funcd.Return, cf.Br:
		vs, err := x.flat(op.Operands())
		if err != nil {
			return nil, errAt(op, "%s", err)
		}
		op.SetOperands(vs, nil)
		return nil, nil
	case cf.CondBr:
		return nil, x.condBr(op)
	case scf.For, scf.If, scf.While, tt.Call, funcd.Call:
		return x.again(op)
	case arith.Select:
		return nil, x.selectParts(op)
	}
	return nil, errAt(op, "%s cannot be rewritten without its type", op.Name())
}

func (x *expander) condBr(op *ir.Op) error {
	for side := range 2 {
		vs, err := x.flat(successorArgs(op, side))
		if err != nil {
			return errAt(op, "%s", err)
		}
		op.SetGroup(successorSlot(op, side), vs)
	}
	return nil
}

// again makes op anew with its operands and results in parts, and moves its regions over.
func (x *expander) again(op *ir.Op) (*ir.Op, error) {
	operands, err := x.flat(op.Operands())
	if err != nil {
		return nil, errAt(op, "%s", err)
	}
	s := ir.State{Def: op.Def, Operands: operands, Results: x.flatTypes(op.Results()), Attrs: op.Attrs()}
	for _, r := range op.Regions() {
		nr := ir.NewRegion()
		nr.TakeBody(r)
		s.Regions = append(s.Regions, nr)
	}
	made := ir.At(op).Create(s)
	j := 0
	for _, r := range op.Results() {
		ts := x.types(r)
		if ts == nil {
			made.Result(j).Name = r.Name
			r.ReplaceAllUses(made.Result(j))
			j++
			continue
		}
		x.parts[r] = made.Results()[j : j+len(ts)]
		j += len(ts)
	}
	x.ops = append(x.ops, op)
	return made, nil
}

// selectParts selects part by part.
func (x *expander) selectParts(op *ir.Op) error {
	t, err := x.flat([]*ir.Value{op.Operand(1)})
	if err != nil {
		return errAt(op, "%s", err)
	}
	f, err := x.flat([]*ir.Value{op.Operand(2)})
	if err != nil {
		return errAt(op, "%s", err)
	}
	b := ir.At(op)
	parts := make([]*ir.Value, len(t))
	for i := range t {
		if parts[i] = t[i]; t[i] != f[i] {
			parts[i] = b.Val(arith.Select, t[i].Type, op.Operand(0), t[i], f[i])
		}
	}
	x.replaced(op, parts)
	return nil
}

// replaced notes the parts of op's only result, and that op is to go.
func (x *expander) replaced(op *ir.Op, parts []*ir.Value) {
	x.parts[op.Result(0)] = parts
	x.ops = append(x.ops, op)
}
