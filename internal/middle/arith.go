package middle

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/funcd"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/linalg"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// TritonArithToLinalg converts operations on tensors to linalg, one by one, and functions to func.func with
// the place in the grid as six trailing arguments. Accesses to memory stay as they are, and so do pointers.
//
//	%s = tt.splat %x : f32 -> tensor<64xf32>        %s = linalg.fill ins(%x) outs(tensor.empty)
//	%z = arith.addf %y, %s : tensor<64xf32>    =>   %z = linalg.generic ins(%y, %s) outs(%y) { arith.addf }
var TritonArithToLinalg = ArithOptions{}.Pass()

// ArithOptions say what TritonArithToLinalg converts.
type ArithOptions struct {
	WidenSums      bool // see Options
	TensorPointers bool // loads and stores through tensors of pointers too, as loop nests over scalar ones
	// KeepPointers leaves operations alone that take or give tensors of pointers, of which StructuredToMemref
	// knows more than linalg tells.
	KeepPointers bool
}

// Pass returns the conversion with these options.
func (o ArithOptions) Pass() pass.Pass {
	return pass.Pass{
		Name: "triton-arith-to-linalg",
		Doc: "convert operations on tensors to linalg, and functions to func.func; widen-sums computes " +
			"sums of small floats in 32 bits, tensor-ptr-to-linalg converts accesses through tensors of " +
			"pointers, keep-tensor-pointers leaves all that has such tensors",
		Run: o.run,
		Configure: func(options map[string]string) (pass.Pass, error) {
			o := o // each configuration begins with the pass's own
			for name, value := range options {
				on, err := strconv.ParseBool(value)
				switch {
				case err == nil && name == "widen-sums":
					o.WidenSums = on
				case err == nil && name == "tensor-ptr-to-linalg":
					o.TensorPointers = on
				case err == nil && name == "keep-tensor-pointers":
					o.KeepPointers = on
				default:
					return pass.Pass{}, fmt.Errorf("triton-arith-to-linalg has no option %s=%s: there are "+
						"widen-sums, tensor-ptr-to-linalg and keep-tensor-pointers", name, value)
				}
			}
			return o.Pass(), nil
		},
	}
}

func (o ArithOptions) run(ctx *pass.Context, m *ir.Module) error {
	if err := expandAsm(m); err != nil {
		return err
	}
	var funcs []*ir.Op
	for op := range m.Block().Ops() {
		if op.Def == tt.Func {
			funcs = append(funcs, op)
		}
	}
	for _, fn := range funcs {
		ctx.At(fn)
		l := &linearizer{converter: inPlace(ctx, m), opts: o}
		l.converter.opts.WidenSums = o.WidenSums
		if err := l.function(fn); err != nil {
			return err
		}
	}
	return nil
}

// linearizer rewrites the operations of one function.
type linearizer struct {
	*converter
	opts ArithOptions
}

// function puts a func.func with the same body in the place of a tt.func, and rewrites what is in it.
func (l *linearizer) function(fn *ir.Op) error {
	for op := range fn.Ops() {
		if ret := returns[op.Def]; ret != nil && op.Def != tt.Func {
			if err := structureRegion(op, ret); err != nil {
				return err
			}
		}
	}
	fn = l.shell(fn)
	if funclike.IsDeclaration(fn) {
		return nil
	}
	for i := range l.grid {
		l.grid[i] = fn.Body(0).Arg(len(fn.Body(0).Args()) - len(l.grid) + i)
	}
	l.region(fn.Region(0))
	eraseDead(fn)
	return l.err
}

// shell makes the func.func. It has the arguments of the tt.func, then those that say where in the grid the
// program is.
func (l *linearizer) shell(fn *ir.Op) *ir.Op {
	ins := slices.Clone(funclike.Type(fn).Ins)
	for range trailing {
		ins = append(ins, ir.I32)
	}
	out := beside(fn, ins, true)
	if !funclike.IsDeclaration(fn) {
		out.Region(0).TakeBody(fn.Region(0))
		for _, name := range trailing {
			out.Body(0).AddArg(ir.I32, fn.Loc).Name = name
		}
	}
	fn.Erase()
	return out
}

func (l *linearizer) region(r *ir.Region) {
	for b := range r.Blocks() {
		var ops []*ir.Op
		for op := range b.Ops() {
			ops = append(ops, op)
		}
		for _, op := range ops {
			if l.err != nil {
				return
			}
			l.ctx.At(op)
			l.b = ir.At(op)
			l.op(op)
		}
	}
}

// inPlaceOps are the operations that this pass writes in another way than the conversion as a whole does: all
// of a tensor, whatever is known of its elements.
var inPlaceOps map[*ir.OpDef]func(l *linearizer, op *ir.Op)

func init() {
	inPlaceOps = map[*ir.OpDef]func(l *linearizer, op *ir.Op){
		arith.Constant: (*linearizer).constant,
		tt.MakeRange:   (*linearizer).count,
		tt.Splat:       (*linearizer).splat,
		tt.Broadcast:   (*linearizer).repeat,
		tt.Return: func(l *linearizer, op *ir.Op) {
			l.b.Op(funcd.Return, op.Operands(), nil)
			op.Erase()
		},
		tt.Call: func(l *linearizer, op *ir.Op) {
			call := l.b.Op(funcd.Call, append(op.Operands(), l.grid[:]...), op.ResultTypes(),
				ir.A("callee", op.Attr("callee")))
			op.ReplaceWith(call.Results()...)
		},
		tt.Load:  (*linearizer).access,
		tt.Store: (*linearizer).access,
	}
}

// op rewrites an operation, or leaves it.
func (l *linearizer) op(op *ir.Op) {
	f := inPlaceOps[op.Def]
	switch {
	case l.opts.KeepPointers && onPointerTensors(op) && !isFlow(op.Def):
	case f != nil:
		f(l, op)
	case isFlow(op.Def) || op.Def == scf.Yield || op.Def == scf.Condition:
		for _, r := range op.Regions() {
			l.region(r)
		}
	case op.Def.Has(ir.Elementwise):
		l.elements(op)
	case patterns[op.Def] != nil && !atomic(op.Def) && !onPointers(op):
		patterns[op.Def](l.converter, op)
		if l.err == nil {
			l.replace(op)
		}
	}
}

func atomic(d *ir.OpDef) bool { return atomicOps[d] != nil || memoryOps[d] != nil }

// onPointers reports whether an operation takes or gives tensors of pointers, or blocks.
func onPointers(op *ir.Op) bool {
	is := func(v *ir.Value) bool { return tt.IsPtrLike(v.Type) || tt.DescBlock(v.Type) != nil }
	return slices.ContainsFunc(op.Operands(), is) || slices.ContainsFunc(op.Results(), is)
}

// onPointerTensors reports whether an operation takes or gives tensors of pointers.
func onPointerTensors(op *ir.Op) bool {
	is := func(v *ir.Value) bool {
		_, tensor := v.Type.(*ir.TensorType)
		return tensor && tt.IsPtrLike(v.Type)
	}
	return slices.ContainsFunc(op.Operands(), is) || slices.ContainsFunc(op.Results(), is)
}

// replace puts what a pattern made in the place of an operation.
func (l *linearizer) replace(op *ir.Op) {
	for _, v := range op.Results() {
		v.ReplaceAllUses(l.vals[v])
	}
	op.Erase()
}

func (l *linearizer) constant(op *ir.Op) {
	t, ok := op.Result(0).Type.(*ir.TensorType)
	if !ok || t.Encoding != nil {
		return
	}
	if x := arith.Uniform(op.Attr("value")); x != nil {
		op.ReplaceWith(l.fill(l.scalarConst(x), t))
	}
}

func (l *linearizer) splat(op *ir.Op) {
	op.ReplaceWith(l.fill(op.Operand(0), op.Result(0).Type.(*ir.TensorType)))
}

// count makes a loop nest that counts.
func (l *linearizer) count(op *ir.Op) {
	t := op.Result(0).Type.(*ir.TensorType)
	op.ReplaceWith(l.generic(nil, t, func([]*ir.Value) *ir.Value {
		i := l.converter.count(0, t.Elem)
		if start := op.IntOr("start", 0); start != 0 {
			i = l.b.Val(arith.AddI, t.Elem, i, arith.ConstInt(l.b, start, t.Elem))
		}
		return i
	}))
}

// repeat makes a loop nest that reads the one element along each dimension that is repeated.
func (l *linearizer) repeat(op *ir.Op) {
	x, t := op.Operand(0), op.Result(0).Type.(*ir.TensorType)
	m := &ir.AffineMap{NumDims: t.Rank()}
	for d, n := range ir.ShapeOf(x.Type) {
		e := &ir.AffineExpr{Kind: ir.AffineDim, N: int64(d)}
		if n != t.Shape[d] {
			e = &ir.AffineExpr{Kind: ir.AffineConst}
		}
		m.Results = append(m.Results, e)
	}
	op.ReplaceWith(l.generic([]operand{{x, m}}, t, func(args []*ir.Value) *ir.Value { return args[0] }))
}

// elements makes a loop nest of an operation on elements. Scalars are converted too.
func (l *linearizer) elements(op *ir.Op) {
	if _, tensor := op.Result(0).Type.(*ir.TensorType); !tensor {
		if op.Def.Dialect != tt.Dialect || onPointers(op) {
			return
		}
		vs, err := l.payload(op, op.Operands())
		if err != nil {
			return // left as it is
		}
		op.ReplaceWith(vs...)
		return
	}
	vs := l.nestOf(op, func(args []*ir.Value) []*ir.Value {
		if onPointers(op) {
			return l.scalars(op, args)
		}
		out, err := l.payload(op, args)
		if err != nil {
			l.fail(err)
			return l.zeros(op.ResultTypes())
		}
		return out
	})
	op.ReplaceWith(vs...)
}

// scalars does an operation on single elements.
func (l *linearizer) scalars(op *ir.Op, args []*ir.Value) []*ir.Value {
	types := make([]ir.Type, op.NumResults())
	for i, v := range op.Results() {
		types[i] = ir.ElemOf(v.Type)
	}
	return l.clone(op, args, types)
}

// nestOf makes a loop nest over the elements of an operation's operands and results. The results take the
// place of the first operand that is of their type, if there is one.
func (l *linearizer) nestOf(op *ir.Op, f func(args []*ir.Value) []*ir.Value) []*ir.Value {
	rank := 0
	var ins, outs []*ir.Value
	var maps []*ir.AffineMap
	block := ir.NewBlock()
	args := make([]*ir.Value, op.NumOperands())
	for i, v := range op.Operands() {
		args[i] = v
		if t, ok := v.Type.(*ir.TensorType); ok {
			rank = t.Rank()
			ins, maps = append(ins, v), append(maps, ir.IdentityMap(rank))
			args[i] = block.AddArg(t.Elem, op.Loc)
		}
	}
	for _, v := range op.Results() {
		t := v.Type.(*ir.TensorType)
		i := slices.IndexFunc(ins, func(x *ir.Value) bool { return x.Type == v.Type })
		if i >= 0 && op.Def.Has(ir.Elementwise) {
			outs = append(outs, ins[i])
		} else {
			outs = append(outs, l.empty(t))
		}
		maps = append(maps, ir.IdentityMap(t.Rank()))
		block.AddArg(t.Elem, op.Loc)
	}
	nest := l.b.Create(ir.State{
		Def:      linalg.Generic,
		Operands: slices.Concat(ins, outs),
		Segments: []int{len(ins), len(outs)},
		Results:  op.ResultTypes(),
		Attrs: []ir.NamedAttr{
			ir.A("indexing_maps", linalg.MapsAttr(maps...)),
			ir.A("iterator_types", linalg.IteratorTypes(slices.Repeat([]string{linalg.Parallel}, rank)...)),
		},
		Regions: []*ir.Region{ir.NewRegion(block)},
	})
	l.within(block, func() { l.b.Op(linalg.Yield, f(args), nil) })
	return nest.Results()
}

// access makes a loop nest of an access through a tensor of pointers, where that is asked for.
func (l *linearizer) access(op *ir.Op) {
	if _, tensor := op.Operand(0).Type.(*ir.TensorType); !tensor || !l.opts.TensorPointers {
		return
	}
	op.ReplaceWith(l.nestOf(op, func(args []*ir.Value) []*ir.Value { return l.scalars(op, args) })...)
}
