package codegen

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/bufferization"
	"github.com/nereid-lang/nereid/internal/dialect/funcd"
	"github.com/nereid-lang/nereid/internal/dialect/linalg"
	"github.com/nereid-lang/nereid/internal/dialect/math"
	"github.com/nereid-lang/nereid/internal/dialect/memref"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tensor"
	"github.com/nereid-lang/nereid/internal/ir"
)

// walker follows formulas down to the tensors and scalars they read.
type walker struct {
	p       *planner
	d       *dependence
	seen    map[*ir.Value]sight
	scalars map[*ir.Value]bool
	top     *ir.Value // followed even if it becomes a buffer
	visit   func(v *ir.Value, same bool)
	capture func(v *ir.Value)
}

// sight says how a formula was met so far.
type sight uint8

const (
	unseen  sight = iota
	inPlace       // read at the computed index
	moved         // read elsewhere too
)

// see records that a formula was met and reports whether it was met before and whether following it finds
// more. Its cost counts once.
func (w *walker) see(v *ir.Value, same bool) (again, more bool) {
	old, now := w.seen[v], moved
	if same {
		now = inPlace
	}
	w.seen[v] = max(old, now)
	return old != unseen, now > old
}

func (w *walker) tensor(v *ir.Value, same bool) {
	if t := ir.ElemOf(v.Type); t != ir.Type(ir.I1) {
		w.d.size = max(w.d.size, elemSize(t))
	}
	if w.visit != nil {
		w.visit(v, same)
	}
	if !w.p.g.isFormula(v) || w.p.forced[v] && v != w.top || w.p.g.lookupView(v) != nil {
		if same {
			w.d.same[v] = true
		} else {
			w.d.apart[v] = true
		}
		w.value(v)
		return
	}
	again, more := w.see(v, same)
	if !more {
		return
	}
	if again {
		defer func(cost int) { w.d.cost = cost }(w.d.cost)
	}
	op := v.Def()
	switch op.Def {
	case linalg.Fill, tensor.Splat:
		w.captured(op.Operand(0))
	case tensor.FromElements:
		w.captured(op.Operands()...)
	case linalg.Generic:
		maps := linalg.Maps(op)
		for i, x := range op.Operands() {
			if _, ok := x.Type.(*ir.TensorType); ok && op.Body(0).Arg(i).HasUses() {
				w.tensor(x, same && maps[i].IsIdentity())
			} else if !ok {
				w.captured(x)
			}
		}
		w.region(op.Body(0))
	case bufferization.ToTensor:
		w.load(op, same)
	case tensor.ExtractSlice:
		w.captured(op.Operands()[1:]...)
		w.tensor(op.Operand(0), false)
	case tensor.InsertSlice:
		w.tensor(op.Operand(0), false)
		w.tensor(op.Operand(1), same)
	case linalg.Broadcast, linalg.Transpose, tensor.CollapseShape, tensor.ExpandShape:
		w.tensor(op.Operand(0), false)
	case tensor.Empty, arith.Constant:
	default: // elementwise
		w.d.cost += costOf(op)
		for _, x := range op.Operands() {
			if _, ok := x.Type.(*ir.TensorType); ok {
				w.tensor(x, same)
			} else {
				w.captured(x)
			}
		}
	}
}

func (w *walker) load(op *ir.Op, same bool) {
	l := w.p.g.loadOf(op)
	if !slices.Contains(w.d.loads, op) {
		w.d.loads = append(w.d.loads, op)
	}
	if !same {
		w.d.moved[op] = true
	}
	w.d.cost += 2
	w.captured(l.src)
	for _, e := range slices.Concat(l.lo, l.n) {
		if e.Value != nil {
			w.captured(e.Value)
		}
	}
	if l.when != nil {
		w.captured(l.when)
	}
	if l.other != nil {
		if _, ok := l.other.Type.(*ir.TensorType); ok {
			w.tensor(l.other, same)
		} else {
			w.captured(l.other)
		}
	}
}

// region finds the values from outside that the operations of a region use.
func (w *walker) region(b *ir.Block) { w.within(b, []*ir.Block{b}) }

// within walks like region, for a block nested in others; around ends with the block itself.
func (w *walker) within(b *ir.Block, around []*ir.Block) {
	for op := range b.Ops() {
		w.d.cost += costOf(op)
		if op.Def == scf.For || op.Def == scf.While {
			w.d.regions = true
		}
		for _, x := range op.Operands() {
			if slices.Contains(around, x.Block()) {
				continue
			}
			if _, ok := x.Type.(*ir.TensorType); ok {
				w.tensor(x, false)
			} else {
				w.captured(x)
			}
		}
		for _, r := range op.Regions() {
			for inner := range r.Blocks() {
				w.within(inner, append(around[:len(around):len(around)], inner))
			}
		}
	}
}

// captured records scalars and views that are used.
func (w *walker) captured(vs ...*ir.Value) {
	for _, v := range vs {
		w.value(v)
		if w.capture != nil {
			w.capture(v)
		}
	}
}

// value records the position from which a value of the block exists: a pure scalar exists once its operands
// do.
func (w *walker) value(v *ir.Value) {
	if w.scalars == nil {
		w.scalars = map[*ir.Value]bool{}
	}
	if w.scalars[v] {
		return
	}
	w.scalars[v] = true
	op := v.Def()
	if op == nil {
		return
	}
	if op.Block() != w.p.b {
		if p := w.p.outermost(op); p.Block() == w.p.b && p != op { // inside a branch that a load absorbed
			for _, x := range op.Operands() {
				w.value(x)
			}
		}
		return
	}
	if _, ok := v.Type.(*ir.TensorType); !ok && isPure(op) {
		for _, x := range op.Operands() {
			w.value(x)
		}
		return
	}
	at := w.p.pos[op]
	if s, ok := w.p.start[v]; ok {
		at = s
	}
	w.d.need = max(w.d.need, at)
}

// isPure reports whether a scalar or view can be computed at any time after its operands.
func isPure(op *ir.Op) bool {
	switch op.Def {
	case memref.ReinterpretCast, memref.SubView, memref.Cast, memref.GetGlobal, memref.ExtractAlignedPointer,
		memref.Alloc, tensor.Empty:
		return true
	case funcd.Call:
		return isMemoryAt(op)
	case tensor.Extract:
		return false
	}
	return op.Def.Has(ir.Elementwise) || op.Def == arith.Constant
}

var costs = map[*ir.OpDef]int{
	arith.DivF: 4, arith.DivSI: 8, arith.DivUI: 8, arith.RemSI: 8, arith.RemUI: 8, arith.FloorDivSI: 8,
	arith.CeilDivSI: 8, arith.RemF: 16, math.Sqrt: 4, math.Fma: 1, math.AbsF: 1, math.Floor: 1, math.Ceil: 1,
	math.Trunc: 1, math.RoundEven: 1, math.AbsI: 1, math.CtPop: 1, math.CtLZ: 1, math.CtTZ: 1,
	arith.Constant: 0, linalg.Index: 0, linalg.Yield: 0, arith.IndexCast: 0, tensor.Extract: 3,
}

func costOf(op *ir.Op) int {
	if c, ok := costs[op.Def]; ok {
		return c
	}
	switch op.Def.Dialect {
	case math.Dialect:
		return 10
	}
	return 1
}
