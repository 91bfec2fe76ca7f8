package middle

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/tts"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// TritonToUnstructured writes loads and stores through pointers as accesses at offsets from the pointer that
// they were computed from.
//
//	%p = tt.splat %a
//	%q = tt.addptr %p, %offsets         =>    %x = tts.gather %a[%offsets] mask = %mask
//	%x = tt.load %q, %mask
//
// Accesses stay as they are when their pointers were computed from several, or are blocks. An offset that is
// a sum of several, or that a loop carries, has 64 bits, so that it does not wrap around where pointers do
// not.
var TritonToUnstructured = UnstructuredOptions{}.Pass()

// UnstructuredOptions say how TritonToUnstructured writes offsets.
type UnstructuredOptions struct {
	// OffsetBits is the width of offsets that are computed: 32, as triton-shared's unless something wider is
	// added, or 64 for all. Zero is as wide as the result needs.
	OffsetBits int
}

// Pass returns the conversion with these options.
func (o UnstructuredOptions) Pass() pass.Pass {
	return pass.Pass{
		Name: "triton-to-unstructured",
		Doc: "write loads and stores through other pointers as accesses at offsets from a base (dialect tts); " +
			"offset-bit-width is 32 or 64",
		Run: o.run,
		Configure: func(options map[string]string) (pass.Pass, error) {
			o := o // each configuration begins with the pass's own
			for name, value := range options {
				switch {
				case name == "offset-bit-width" && value == "32":
					o.OffsetBits = 32
				case name == "offset-bit-width" && value == "64":
					o.OffsetBits = 64
				default:
					return pass.Pass{}, fmt.Errorf("triton-to-unstructured has no option %s=%s: there is "+
						"offset-bit-width=32 and 64", name, value)
				}
			}
			return o.Pass(), nil
		},
	}
}

func (o UnstructuredOptions) run(ctx *pass.Context, m *ir.Module) error {
	for _, fn := range functions(m) {
		ctx.At(fn)
		g := &gatherer{converter: inPlace(ctx, m), opts: o, offs: map[*ir.Value]*ir.Value{},
			ways: map[*ir.Value]bool{}}
		g.analysis.function(fn)
		var accesses []*ir.Op
		fn.Walk(func(op *ir.Op) bool {
			if op.Def == tt.Load || op.Def == tt.Store {
				accesses = append(accesses, op)
			}
			return true
		})
		for _, op := range accesses {
			if g.reaches(op.Operand(0)) {
				g.rewrite(op)
			}
		}
		eraseDead(fn)
	}
	return nil
}

// gatherer rewrites the accesses of one function.
type gatherer struct {
	*converter
	opts UnstructuredOptions
	offs map[*ir.Value]*ir.Value // distances of pointers from their base, once computed; nil for none
	ways map[*ir.Value]bool      // whether pointers can be written as a base and a distance
}

// reaches reports whether pointers are distances from a base that operations on them tell.
func (g *gatherer) reaches(v *ir.Value) bool {
	if ok, seen := g.ways[v]; seen {
		return ok
	}
	src := g.stateOf(v).src
	g.ways[v] = src != nil && src.sym == nil && !tt.IsTensorPtr(v.Type)
	if !g.ways[v] || src.root == v {
		return g.ways[v]
	}
	for _, x := range g.origins(v) {
		if x == nil || !g.reaches(x) || g.stateOf(x).src != src {
			g.ways[v] = false
		}
	}
	return g.ways[v]
}

// origins returns the pointers that v is computed from; nil among them when it is computed in another way.
func (g *gatherer) origins(v *ir.Value) []*ir.Value {
	if k := g.carryOf(v); k != nil {
		return k.from()
	}
	switch op := v.Def(); {
	case op == nil:
	case movesPointers(op.Def) || op.Def == tt.AddPtr:
		return op.Operands()[:1]
	case op.Def == arith.Select:
		return op.Operands()[1:]
	}
	return []*ir.Value{nil}
}

// movesPointers reports whether an operation only puts pointers in other places, which it can do to their
// distances too.
func movesPointers(d *ir.OpDef) bool {
	switch d {
	case tt.Splat, tt.Broadcast, tt.ExpandDims, tt.Reshape, tt.Trans, tt.Bitcast, tt.Unsplat:
		return true
	}
	return false
}

// rewrite puts an access at offsets in the place of a load or store.
func (g *gatherer) rewrite(op *ir.Op) {
	ptr := op.Operand(0)
	elem := ir.ElemOf(ptr.Type)
	off := g.offset(ptr)
	g.b = ir.At(op)
	base := g.stateOf(ptr).src.root
	if base.Type != elem {
		base = g.b.Val(tt.Bitcast, elem, base)
	}
	if off == nil {
		off = g.zeroOffset(ptr.Type)
	}
	if op.Def == tt.Store {
		g.b.Groups(tts.Scatter, [][]*ir.Value{{base}, {off}, {op.Operand(1)}, op.Group(2)}, nil)
		op.Erase()
		return
	}
	mask, other := op.Group(1), op.Slot(2)
	var fill []*ir.Value
	if other != nil && len(mask) > 0 {
		if v := element(g.b, other); v != nil {
			fill = []*ir.Value{v}
		}
	}
	v := g.b.Groups(tts.Gather, [][]*ir.Value{{base}, {off}, mask, fill}, op.ResultTypes()).Result(0)
	v.Name = op.Result(0).Name
	if other != nil && len(mask) > 0 && fill == nil { // another element in each place
		v = g.b.Val(arith.Select, v.Type, mask[0], v, other)
	}
	g.moved(op.Result(0), v)
	op.Result(0).ReplaceAllUses(v)
	op.Erase()
}

// moved says that v, which may begin a source, is now another value.
func (g *gatherer) moved(v, to *ir.Value) {
	if src := g.sources[v]; src != nil {
		src.root = to
		g.sources[to], g.descs[to] = src, g.descs[v]
	}
}

// element returns the scalar that all elements of a tensor are, or nil; a scalar is itself.
func element(b *ir.Builder, v *ir.Value) *ir.Value {
	if _, tensor := v.Type.(*ir.TensorType); !tensor {
		return v
	}
	op := v.Def()
	switch {
	case op == nil:
	case op.Def == tt.Splat:
		return op.Operand(0)
	case op.Def == arith.Constant:
		if x := arith.Uniform(op.Attr("value")); x != nil {
			return arith.Const(b, x)
		}
	case op.Def.Has(ir.View):
		return element(b, op.Operand(0))
	}
	return nil
}

func (g *gatherer) zeroOffset(ptr ir.Type) *ir.Value {
	t := ir.Type(ir.I32)
	if g.opts.OffsetBits == 64 {
		t = ir.I64
	}
	return g.zeroOf(ir.WithElem(ptr, t))
}

// zeroOf returns zeros of an integer type or tensor.
func (g *gatherer) zeroOf(t ir.Type) *ir.Value {
	zero := arith.ConstInt(g.b, 0, ir.ElemOf(t))
	if _, tensor := t.(*ir.TensorType); tensor {
		return g.b.Val(tt.Splat, t, zero)
	}
	return zero
}

// offset returns the distances of pointers from their base, nil for none, computed where the pointers are.
func (g *gatherer) offset(v *ir.Value) *ir.Value {
	if off, ok := g.offs[v]; ok {
		return off
	}
	var off *ir.Value
	switch op := v.Def(); {
	case g.stateOf(v).src.root == v:
	case g.carryOf(v) != nil:
		g.carry(v)
		return g.offs[v]
	case op.Def == tt.AddPtr:
		off = g.sum(op)
	case op.Def == arith.Select:
		off = g.selected(op)
	default:
		if x := g.offset(op.Operand(0)); x != nil {
			g.b = ir.At(op)
			off = x
			if op.Def != tt.Bitcast {
				t := ir.WithElem(v.Type, ir.ElemOf(x.Type))
				off = g.b.Create(ir.State{Def: op.Def, Operands: []*ir.Value{x}, Results: []ir.Type{t},
					Attrs: op.Attrs()}).Result(0)
			}
		}
	}
	g.offs[v] = off
	return off
}

// sum returns the distances that a tt.addptr makes.
func (g *gatherer) sum(op *ir.Op) *ir.Value {
	x, y := g.offset(op.Operand(0)), op.Operand(1)
	g.b = ir.At(op)
	if g.opts.OffsetBits == 64 {
		y = g.resized(y, ir.I64)
	}
	if x == nil {
		return y
	}
	t := ir.Type(ir.I64)
	if g.opts.OffsetBits == 32 && ir.ElemOf(x.Type) == ir.I32 && ir.BitWidth(ir.ElemOf(y.Type)) <= 32 {
		t = ir.I32
	}
	x, y = g.resized(x, t), g.resized(y, t)
	return g.b.Val(arith.AddI, x.Type, x, y)
}

// resized returns integers in another width, with their sign.
func (g *gatherer) resized(v *ir.Value, t ir.Type) *ir.Value {
	to := ir.WithElem(v.Type, t)
	switch n, m := ir.BitWidth(ir.ElemOf(v.Type)), ir.BitWidth(t); {
	case n < m:
		return g.b.Val(arith.ExtSI, to, v)
	case n > m:
		return g.b.Val(arith.TruncI, to, v)
	}
	return v
}

func (g *gatherer) selected(op *ir.Op) *ir.Value {
	x, y := g.offset(op.Operand(1)), g.offset(op.Operand(2))
	g.b = ir.At(op)
	x, y = g.carriedAs(x, op.Result(0).Type), g.carriedAs(y, op.Result(0).Type)
	return g.b.Val(arith.Select, x.Type, op.Operand(0), x, y)
}

// carriedAs returns a distance in the width that loops and branches carry it in.
func (g *gatherer) carriedAs(off *ir.Value, ptr ir.Type) *ir.Value {
	t := g.carriedType(ptr)
	if off == nil {
		return g.zeroOf(t)
	}
	return g.resized(off, ir.ElemOf(t))
}

func (g *gatherer) carriedType(ptr ir.Type) ir.Type {
	if g.opts.OffsetBits == 32 {
		return ir.WithElem(ptr, ir.I32)
	}
	return ir.WithElem(ptr, ir.I64)
}

// carry has a loop or branch carry the distance of a pointer, behind what it carries already.
func (g *gatherer) carry(v *ir.Value) {
	op := v.Def()
	if op == nil {
		op = v.Block().Parent()
	}
	switch op.Def {
	case scf.For:
		i := v.Index()
		if v.Def() == nil {
			i--
		}
		g.carryFor(op, i)
	case scf.If:
		g.carryIf(op, v.Index())
	default:
		if v.Block() == op.Body(0) && v.Def() == nil {
			g.carryBefore(op, v.Index())
			return
		}
		g.carryAfter(op, v.Index())
	}
}

// handed returns the distance of operand i of a terminator, or of an operation that begins a loop, for it.
func (g *gatherer) handed(op *ir.Op, i int) *ir.Value {
	x := op.Operand(i)
	off := g.offset(x)
	g.b = ir.At(op)
	return g.carriedAs(off, x.Type)
}

// hand adds the distance of operand i of a terminator to its operands. What that is may depend on others that
// the same loop carries, so the place is taken first.
func (g *gatherer) hand(end *ir.Op, i int) {
	at := end.NumOperands()
	g.b = ir.At(end)
	addOperand(end, g.zeroOf(g.carriedType(end.Operand(i).Type)))
	end.SetOperand(at, g.handed(end, i))
}

func addOperand(op *ir.Op, v *ir.Value) { op.SetOperands(append(op.Operands(), v), nil) }

func (g *gatherer) carryFor(op *ir.Op, i int) {
	init := g.handed(op, 3+i)
	addOperand(op, init)
	g.offs[scf.IterArgs(op)[i]] = op.Body(0).AddArg(init.Type, op.Loc)
	g.offs[op.Result(i)] = op.AddResult(init.Type)
	g.hand(op.Body(0).Last(), i)
}

func (g *gatherer) carryIf(op *ir.Op, i int) {
	for r := range op.Regions() {
		g.hand(op.Body(r).Last(), i)
	}
	g.offs[op.Result(i)] = op.AddResult(g.carriedType(op.Result(i).Type))
}

// carryBefore is for an argument of the first region of a while, which the second hands back.
func (g *gatherer) carryBefore(op *ir.Op, i int) {
	init := g.handed(op, i)
	addOperand(op, init)
	g.offs[op.Body(0).Arg(i)] = op.Body(0).AddArg(init.Type, op.Loc)
	g.hand(op.Body(1).Last(), i)
}

// carryAfter is for an argument of its second region, which is also a result.
func (g *gatherer) carryAfter(op *ir.Op, i int) {
	t := g.carriedType(op.Result(i).Type)
	g.offs[op.Body(1).Arg(i)] = op.Body(1).AddArg(t, op.Loc)
	g.offs[op.Result(i)] = op.AddResult(t)
	g.hand(op.Body(0).Last(), 1+i)
}
