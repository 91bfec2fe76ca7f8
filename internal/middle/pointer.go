package middle

import (
	"math"
	"slices"

	"github.com/nereid-lang/nereid/internal/analysis/axisinfo"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/tts"
	"github.com/nereid-lang/nereid/internal/dialect/ub"
	"github.com/nereid-lang/nereid/internal/ir"
)

// analysis holds what is known of the values of a function: pointer and mask analysis together, since masks
// are comparisons of the same integers that addresses are made of.
type analysis struct {
	atoms
	module  *ir.Module
	signs   *axisinfo.Analysis // made by the first call of natural
	descs   map[*ir.Value]desc
	sources map[*ir.Value]*source
	flows   map[*ir.Op]*flow
	apart   bool // loops carry the offsets along each dimension, rather than their sum
}

func newAnalysis(m *ir.Module) *analysis {
	return &analysis{atoms: newAtoms(), module: m, descs: map[*ir.Value]desc{},
		sources: map[*ir.Value]*source{}, flows: map[*ir.Op]*flow{}}
}

func analyse(m *ir.Module, fn *ir.Op) *analysis {
	a := newAnalysis(m)
	a.function(fn)
	return a
}

// natural reports whether no element of v is negative, if nothing overflows.
func (a *analysis) natural(v *ir.Value) bool {
	if a.signs == nil {
		a.signs = axisinfo.Module(a.module)
	}
	return a.signs.Natural(v)
}

// function describes the values of a function. Of what branches between blocks hand over nothing is known.
func (a *analysis) function(fn *ir.Op) {
	for b := range fn.Region(0).Blocks() {
		for _, v := range b.Args() {
			switch elem := ir.ElemOf(v.Type); {
			case tt.IsPtr(v.Type):
				a.descs[v] = a.rooted(v)
			case !described(v.Type):
			case elem == ir.I1:
				a.descs[v] = selfMask(v)
			default:
				a.descs[v] = a.sharing(a.selfState(v, nil))
			}
		}
		a.block(b)
	}
}

// described reports whether values of a type get a description.
func described(t ir.Type) bool {
	_, tensor := t.(*ir.TensorType)
	elem := ir.ElemOf(t)
	return tt.IsPtr(elem) || tensor && (isInt(elem) || elem == ir.I1)
}

func (a *analysis) block(b *ir.Block) {
	for op := range b.Ops() {
		switch op.Def {
		case scf.For:
			a.forLoop(op)
		case scf.While:
			a.whileLoop(op)
		case scf.If:
			a.branch(op)
		default:
			a.visit(op)
		}
	}
}

// visit describes the results of an operation.
func (a *analysis) visit(op *ir.Op) {
	for _, v := range op.Results() {
		if !described(v.Type) {
			continue
		}
		if ir.ElemOf(v.Type) == ir.I1 {
			a.descs[v] = a.visitMask(op, v)
		} else {
			a.descs[v] = a.visitState(op, v)
		}
	}
}

func (a *analysis) visitMask(op *ir.Op, v *ir.Value) desc {
	if op.Def == ub.Poison {
		m := newMask(v.Type)
		m.bottom = true
		return m
	}
	if f := maskOps[op.Def]; f != nil {
		if m := f(a, op); m != nil {
			return m
		}
	}
	return selfMask(v)
}

func (a *analysis) visitState(op *ir.Op, v *ir.Value) desc {
	if f := stateOps[op.Def]; f != nil {
		if s := f(a, op); s != nil {
			return a.sharing(s)
		}
	}
	if s := a.uniformOp(op, v); s != nil {
		return a.sharing(s)
	}
	return a.sharing(a.selfState(v, a.commonSource(op)))
}

// sharing says of a state how loops carry its offset.
func (a *analysis) sharing(s *state) *state {
	s.apart = a.apart
	return s
}

// commonSource returns what all pointer operands point into, nil when they do not agree or there are none:
// the results are then absolute addresses.
func (a *analysis) commonSource(op *ir.Op) *source {
	var src *source
	for _, v := range op.Operands() {
		if !tt.IsPtrLike(v.Type) {
			continue
		}
		s := a.stateOf(v)
		if s.bottom {
			continue
		}
		if s.src == nil || src != nil && src != s.src {
			return nil
		}
		src = s.src
	}
	if op.Def == tt.Bitcast && src != nil && ir.BitWidth(src.elem) != bitsInMemory(op.Result(0).Type) {
		return nil
	}
	switch op.Def {
	case tt.Load, tt.AtomicRMW, tt.AtomicCAS, tts.Load, tts.Gather: // pointers that were in memory
		return nil
	}
	return src
}

// stateOf returns the description of a tensor of integers or pointers, or of a scalar of those.
func (a *analysis) stateOf(v *ir.Value) *state {
	if s, ok := a.descs[v].(*state); ok {
		return s
	}
	if t, ok := v.Type.(*ir.IntegerType); ok && t.Width > 1 || v.Type == ir.Index {
		return newState(v.Type, a.value(v))
	}
	return a.sharing(a.selfState(v, nil))
}

// rooted returns the state of a scalar pointer that begins a source.
func (a *analysis) rooted(v *ir.Value) *state {
	src := a.sources[v]
	if src == nil {
		pointee, _, _ := tt.AsPtr(v.Type)
		src = &source{root: v, elem: memoryElem(pointee)}
		a.sources[v] = src
	}
	s := newState(v.Type, expr{})
	s.src = src
	return s
}

// memoryElem returns the element type of a memref of values of type t: booleans take a byte, and pointers are
// addresses.
func memoryElem(t ir.Type) ir.Type {
	switch {
	case t == ir.I1:
		return ir.I8
	case tt.IsPtr(t):
		return ir.I64
	}
	return t
}

// bitsInMemory returns the width of what pointers of a type point to.
func bitsInMemory(ptr ir.Type) int {
	pointee, _, _ := tt.AsPtr(ir.ElemOf(ptr))
	return ir.BitWidth(memoryElem(pointee))
}

// stateOps describe results in terms of operands. A nil result is left to the rules for all operations.
var stateOps = map[*ir.OpDef]func(a *analysis, op *ir.Op) *state{
	arith.Constant: stateConstant,
	ub.Poison:      statePoison,
	tt.MakeRange:   stateRange,
	tt.Splat:       stateSplat,
	tt.ExpandDims:  stateExpand,
	tt.Broadcast:   stateBroadcast,
	tt.Trans:       stateTrans,
	tt.Reshape:     stateReshape,
	arith.AddI:     func(a *analysis, op *ir.Op) *state { return a.sum(op, 1) },
	arith.SubI:     func(a *analysis, op *ir.Op) *state { return a.sum(op, -1) },
	tt.AddPtr:      func(a *analysis, op *ir.Op) *state { return a.sum(op, 1) },
	arith.MulI:     stateMul,
	arith.ShLI:     stateShift,
	arith.RemSI:    func(a *analysis, op *ir.Op) *state { return a.remainder(op, false) },
	arith.RemUI:    func(a *analysis, op *ir.Op) *state { return a.remainder(op, true) },
	arith.ExtSI:    stateSigned,
	arith.ExtUI:    stateUnsigned,
	arith.TruncI:   stateTrunc,
	arith.Select:   stateSelect,
	arith.MaxSI:    stateExtreme(true),
	arith.MinSI:    stateExtreme(false),
	tt.Bitcast:     stateBitcast,
	tt.IntToPtr:    stateRoot,
	tt.Load:        stateRoot,
	tt.AtomicRMW:   stateRoot,
	tt.AtomicCAS:   stateRoot,
	tt.Unsplat:     stateUnsplat,

	tts.MakeTPtr:              stateTPtr,
	tts.MakeGatherScatterTPtr: stateTPtr,
	tts.Gather:                stateRoot,
}

func stateConstant(a *analysis, op *ir.Op) *state {
	c, ok := constfold.Int(op.Attr("value"))
	if !ok {
		return nil
	}
	return newState(op.Result(0).Type, constant(c))
}

func statePoison(a *analysis, op *ir.Op) *state {
	s := newState(op.Result(0).Type, expr{})
	s.bottom = true
	return s
}

func stateRange(a *analysis, op *ir.Op) *state {
	s := newState(op.Result(0).Type, constant(op.IntOr("start", 0)))
	if s.shape[0] > 1 {
		s.dims[0].stride = constant(1)
	}
	return s
}

func stateSplat(a *analysis, op *ir.Op) *state {
	x := a.stateOf(op.Operand(0))
	if !x.known() {
		return nil
	}
	s := newState(op.Result(0).Type, x.off)
	s.src = x.src
	return s
}

func stateUnsplat(a *analysis, op *ir.Op) *state {
	x := a.stateOf(op.Operand(0))
	if !x.known() {
		return stateRoot(a, op)
	}
	s := newState(op.Result(0).Type, x.off)
	s.src = x.src
	return s
}

func stateExpand(a *analysis, op *ir.Op) *state {
	x := a.stateOf(op.Operand(0))
	if !x.known() {
		return nil
	}
	return x.expanded(ir.ShapeOf(op.Result(0).Type), int(op.IntOr("axis", 0)))
}

func stateBroadcast(a *analysis, op *ir.Op) *state {
	x := a.stateOf(op.Operand(0))
	if !x.known() {
		return nil
	}
	return x.spread(ir.ShapeOf(op.Result(0).Type))
}

func stateTrans(a *analysis, op *ir.Op) *state {
	x := a.stateOf(op.Operand(0))
	if !x.known() {
		return nil
	}
	return x.permuted(ir.ShapeOf(op.Result(0).Type), op.Attr("order").(*ir.DenseArrayAttr).Values)
}

func stateReshape(a *analysis, op *ir.Op) *state {
	return a.reshaped(a.stateOf(op.Operand(0)), ir.ShapeOf(op.Result(0).Type))
}

func (a *analysis) sum(op *ir.Op, k int64) *state {
	return a.addStates(a.stateOf(op.Operand(0)), a.stateOf(op.Operand(1)), k)
}

func stateMul(a *analysis, op *ir.Op) *state {
	x, y := a.stateOf(op.Operand(0)), a.stateOf(op.Operand(1))
	if x.uniform() {
		x, y = y, x
	}
	if !y.uniform() {
		return nil
	}
	s := a.scaled(x, y.off)
	if s != nil {
		s.loose = x.loose || y.loose
	}
	return s
}

func stateShift(a *analysis, op *ir.Op) *state {
	n, ok := constfold.IntOf(op.Operand(1))
	if !ok || n < 0 || n >= int64(ir.BitWidth(ir.ElemOf(op.Result(0).Type))-1) {
		return nil
	}
	return a.scaled(a.stateOf(op.Operand(0)), constant(1<<n))
}

func (a *analysis) remainder(op *ir.Op, unsigned bool) *state {
	y := a.stateOf(op.Operand(1))
	if !y.uniform() || y.off.is(0) || unsigned && !a.natural(op.Operand(0)) {
		return nil
	}
	mod := y.off
	if unsigned {
		mod = a.low(mod, ir.BitWidth(ir.ElemOf(op.Result(0).Type)))
	}
	return a.wrapped(a.stateOf(op.Operand(0)), mod, unsigned)
}

func stateSigned(a *analysis, op *ir.Op) *state {
	x := a.stateOf(op.Operand(0))
	if !x.known() {
		return nil
	}
	s := *x
	s.self, s.loose = nil, s.loose || !exactWhenWider(x)
	return &s
}

// exactWhenWider reports whether a state of 32-bit integers also describes them widened, whatever overflows:
// it is a scalar of the input, or all its elements are known to fit.
func exactWhenWider(x *state) bool {
	if x.uniform() && x.off.c == 0 && len(x.off.terms) == 1 {
		t := x.off.terms[0]
		return t.k == 1 && t.a.kind == atomValue
	}
	lo, hi := x.off.c, x.off.c
	if len(x.off.terms) > 0 {
		return false
	}
	for i, d := range x.dims {
		step, ok := d.stride.isConst()
		if !ok || !d.plain() || step > math.MaxInt32 || step < math.MinInt32 {
			return false
		}
		lo, hi = lo+min(0, step*(x.shape[i]-1)), hi+max(0, step*(x.shape[i]-1))
	}
	return lo >= math.MinInt32 && hi <= math.MaxInt32
}

// stateUnsigned: -1 is the largest number, and 0 comes after it, so that only elements from 0 on, or equal
// ones, are still evenly spaced.
func stateUnsigned(a *analysis, op *ir.Op) *state {
	x := a.stateOf(op.Operand(0))
	if !x.known() || slices.ContainsFunc(x.dims, func(d dim) bool {
		return d.index != nil || d.split != nil
	}) || !x.uniform() && !a.natural(op.Operand(0)) {
		return nil
	}
	s := *x
	s.self, s.loose = nil, true
	if c, ok := x.off.isConst(); !ok || c < 0 {
		s.off = a.low(x.off, ir.BitWidth(ir.ElemOf(op.Operand(0).Type)))
		s.dims = shared(x.dims, s.off)
	}
	return &s
}

func stateTrunc(a *analysis, op *ir.Op) *state {
	x := a.stateOf(op.Operand(0))
	if !x.known() || slices.ContainsFunc(x.dims, func(d dim) bool {
		return !d.plain()
	}) || ir.ElemOf(op.Result(0).Type) != ir.I32 {
		return nil
	}
	s := *x
	s.self, s.off = nil, a.int32(x.off)
	s.dims = shared(x.dims, s.off)
	for d := range s.dims {
		s.dims[d].stride = a.int32(s.dims[d].stride)
	}
	return &s
}

// stateSelect: a choice by a scalar is made once, for the source and each part; one by bounds splits a
// dimension.
func stateSelect(a *analysis, op *ir.Op) *state {
	c, x, y := op.Operand(0), a.stateOf(op.Operand(1)), a.stateOf(op.Operand(2))
	if _, tensor := c.Type.(*ir.TensorType); tensor {
		return a.chosen(a.maskOf(c), x, y)
	}
	switch {
	case x.bottom:
		return y
	case y.bottom:
		return x
	case !x.sameForm(y):
		return nil
	}
	src := x.src
	if x.src != y.src {
		src = a.rooted(op.Result(0)).src
	}
	var parts []expr
	for i, e := range x.exprs() {
		f := y.exprs()[i]
		if !e.equal(f) {
			e = a.other(atom{kind: atomSelect, v: c, x: e, y: f})
		}
		parts = append(parts, e)
	}
	s := x.rebuild(parts, nil, src).(*state)
	s.loose = x.loose || y.loose
	return s
}

// stateBitcast: pointers to elements of the same width keep their source. Of another width, the source begins
// anew at the pointers' common start, when steps can be counted in the new elements.
func stateBitcast(a *analysis, op *ir.Op) *state {
	v := op.Result(0)
	x := a.stateOf(op.Operand(0))
	if !tt.IsPtrLike(v.Type) || !x.known() || x.src == nil {
		return nil
	}
	from, to := int64(ir.BitWidth(x.src.elem)), int64(bitsInMemory(v.Type))
	if from == to {
		s := *x
		s.self = nil
		return &s
	}
	if len(x.shape) > 0 {
		return nil
	}
	return a.rooted(v)
}

// stateRoot describes a scalar pointer that was computed or loaded: it begins a source.
func stateRoot(a *analysis, op *ir.Op) *state {
	if v := op.Result(0); tt.IsPtr(v.Type) {
		return a.rooted(v)
	}
	return nil
}

// uniformOp computes an integer operation on tensors of equal elements once.
func (a *analysis) uniformOp(op *ir.Op, v *ir.Value) *state {
	if !op.Def.Has(ir.Elementwise) || !isInt(ir.ElemOf(v.Type)) || len(op.Regions()) > 0 ||
		op.NumResults() != 1 || op.NumOperands() == 0 {
		return nil
	}
	var args []expr
	for _, x := range op.Operands() {
		if !isInt(ir.ElemOf(x.Type)) {
			return nil
		}
		s := a.stateOf(x)
		if !s.uniform() || s.loose {
			return nil
		}
		args = append(args, s.off)
	}
	return newState(v.Type, a.other(atom{kind: atomOp, op: op, args: args}))
}
