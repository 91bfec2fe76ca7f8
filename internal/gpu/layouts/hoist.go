package layouts

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
)

// widens reports whether a conversion of floats goes to a wider type.
func widens(op *ir.Op) bool {
	return ir.BitWidth(ir.ElemOf(op.Operand(0).Type)) < ir.BitWidth(ir.ElemOf(op.Result(0).Type))
}

// hoistOverGrowth moves a conversion above the op that makes its tensor large, if all ops between can be
// computed in the new layout and there is only one such op.
func (r *rematerializer) hoistOverGrowth(cvt *ir.Op) {
	if IsDotOperand(cvt.Result(0)) {
		return
	}
	s, ok := r.rematerializable(cvt.OperandUse(0), ttgir.EncodingOf(cvt.Result(0)), growsData)
	if !ok {
		return
	}
	grow, ok := r.onlyGrowth(s)
	if !ok || grow == nil {
		return
	}
	enc := s.layout[grow.Result(0)]
	src := inferSrc(grow, enc)
	if src == nil {
		return
	}
	b := ir.At(grow)
	small := ttgir.Convert(b, grow.Operand(0), src)
	big := b.Insert(grow.Clone(nil))
	big.SetOperand(0, small)
	ttgir.SetEncoding(big.Result(0), enc)
	m := ir.NewMapping()
	m.Map(grow.Result(0), big.Result(0))
	s.remove(grow.Result(0))
	r.rewrite(s, cvt, m)
}

// onlyGrowth returns the growing op of a slice that the conversion must stay above, nil for none; ok is false
// for several. Growing ops that can be computed in the new layout, with all ops above them, join the slice.
// A scan costs more than the conversion.
func (r *rematerializer) onlyGrowth(s *slice) (grow *ir.Op, ok bool) {
	for i := 0; i < len(s.values); i++ {
		v := s.values[i]
		op := v.Def()
		if op == nil || !growsData(op) || s.existing[v] != nil {
			continue
		}
		src := inferSrc(op, s.layout[v])
		if src == nil {
			return nil, false
		}
		if ttgir.EncodingOf(op.Operand(0)) == src {
			continue
		}
		if above, ok := r.rematerializable(op.OperandUse(0), src, nil); ok && !above.scans() &&
			s.merge(above) {
			continue
		}
		if grow != nil {
			return nil, false
		}
		grow = op
	}
	return grow, true
}

// scans reports whether the slice computes a scan again.
func (s *slice) scans() bool {
	return slices.ContainsFunc(s.values, func(v *ir.Value) bool {
		return v.DefBy(tt.Scan) != nil && s.existing[v] == nil
	})
}

// hoistIntoBranches moves a conversion of an scf.if's result, in a loop, into the one branch that needs it:
// the branch may not be taken in every iteration.
func (r *rematerializer) hoistIntoBranches(cvt *ir.Op) {
	isIf := func(op *ir.Op) bool { return op.Def == scf.If }
	s, ok := r.rematerializable(cvt.OperandUse(0), ttgir.EncodingOf(cvt.Result(0)), isIf)
	if !ok {
		return
	}
	h := branchHoist{r: r, s: s, isIf: isIf}
	for i := 0; i < len(s.values); i++ { // merging makes s.values longer
		if !h.visit(s.values[i]) {
			return
		}
	}
	if m, ok := h.conversions(); ok {
		r.rewrite(s, cvt, m)
	}
}

// branchHoist collects where a conversion goes that leaves the results of ifs.
type branchHoist struct {
	r     *rematerializer
	s     *slice
	isIf  func(*ir.Op) bool
	hoist []need      // operands of yields that are converted in their branch
	ends  []*ir.Value // results of ifs that are converted behind them
}

// visit looks at a value of the slice. It returns false if the slice wants a value in two layouts.
func (h *branchHoist) visit(v *ir.Value) bool {
	op := v.Def()
	if op == nil || op.Def != scf.If || h.s.existing[v] != nil {
		return true
	}
	enc := h.s.layout[v]
	uses := [2]*ir.Use{op.Body(0).Last().OperandUse(v.Index()), op.Body(1).Last().OperandUse(v.Index())}
	var parts [2]*slice
	var fine [2]bool
	for k, u := range uses {
		parts[k], fine[k] = h.r.branchSlice(u, enc, h.isIf)
	}
	switch {
	case fine[0] && fine[1]:
		return h.s.merge(parts[0]) && h.s.merge(parts[1])
	case !fine[0] && !fine[1], op.Parent().Def != scf.For:
		h.ends = append(h.ends, v)
		return true
	}
	good, bad := 0, 1
	if fine[1] {
		good, bad = 1, 0
	}
	h.hoist = append(h.hoist, need{uses[bad], enc})
	return h.s.merge(parts[good])
}

// conversions inserts the conversions and takes their values off the slice. ok is false if no branch takes
// one, or if a value is wanted in two layouts.
func (h *branchHoist) conversions() (m *ir.Mapping, ok bool) {
	if len(h.hoist) == 0 {
		return nil, false
	}
	m = ir.NewMapping()
	for _, v := range h.ends {
		m.Map(v, ttgir.Convert(ttgir.AfterValue(v), v, h.s.layout[v]))
		h.s.remove(v)
	}
	for _, e := range h.hoist {
		v := e.use.Value()
		if old, ok := h.s.layout[v]; ok && old != e.enc {
			return nil, false
		}
		m.Map(v, ttgir.Convert(ir.At(e.use.Owner()), v, e.enc))
		h.s.remove(v)
	}
	return m, true
}

// branchSlice returns the slice that a branch must compute anew, empty if its value has the layout.
func (r *rematerializer) branchSlice(u *ir.Use, enc ir.Attr, stop func(*ir.Op) bool) (*slice, bool) {
	if ttgir.EncodingOf(u.Value()) == enc {
		s := newSlice()
		s.layout[u.Value()] = enc
		return s, true
	}
	return r.rematerializable(u, enc, stop)
}

// hoistDotOperands moves the conversion to an operand of a tensor core's product up to the load, over ops
// that move no data between threads, so that the load can later go to shared memory and from there straight
// into the operand's layout.
func (r *rematerializer) hoistDotOperands(cvt *ir.Op) {
	if !feedsProduct(cvt) {
		return
	}
	still := func(op *ir.Op) bool {
		return op.Def.Has(ir.Elementwise) && op.IsPure() || op.Def == tt.Broadcast || op.Def == ttg.Fp4ToFp ||
			op.Def == ttg.ConvertLayout || IsView(op)
	}
	s, ok := r.backward(cvt.OperandUse(0), ttgir.EncodingOf(cvt.Result(0)), func(op *ir.Op) bool {
		return !still(op)
	})
	if !ok {
		return
	}
	var loads []*ir.Value
	inner := 0
	for _, v := range s.values {
		op := v.Def()
		switch {
		case op == nil:
			return
		case op.Def == tt.Load || op.Def == tt.DescLoad:
			loads = append(loads, v)
		case op.Def == arith.Constant || still(op):
			inner++
		default:
			return
		}
	}
	if inner == 0 {
		return
	}
	m := ir.NewMapping()
	for _, v := range loads {
		m.Map(v, ttgir.Convert(ttgir.AfterValue(v), v, s.layout[v]))
		s.remove(v)
	}
	r.rewrite(s, cvt, m)
}

// feedsProduct reports whether a product on tensor cores with its left operand in registers follows the
// conversion on every path.
func feedsProduct(cvt *ir.Op) bool {
	parent := cvt.Parent()
	if parent == nil {
		return false
	}
	for op := range parent.Ops() {
		if !IsProduct(op) {
			continue
		}
		if d, ok := ttg.As[ttg.DotOp](ttgir.EncodingOf(op.Operand(0))); ok && ttg.IsMma(d.Parent) &&
			follows(op, cvt) {
			return true
		}
	}
	return false
}

// follows reports whether a stands behind b, or behind an op around b, in the same block, so that it runs
// whenever b has run.
func follows(a, b *ir.Op) bool {
	for ; b != nil; b = b.Parent() {
		if b.Block() == a.Block() {
			return b != a && b.Before(a)
		}
	}
	return false
}
