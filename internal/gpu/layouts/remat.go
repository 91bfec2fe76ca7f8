package layouts

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

// rematerializer removes conversions by computing the converted value, and the values it depends on, in the
// wanted layout from the start.
type rematerializer struct {
	fn     *ir.Op
	dom    *ir.Dominance
	known  map[conversion]*ir.Value // values that exist in another layout
	erased map[*ir.Op]bool

	// Slices of one function have most operations in common, and layouts of views are dear to compute.
	srcs    map[srcKey]ir.Attr
	renames map[[2]ir.Type]bool // whether a conversion between two types moves no element to another thread
}

// srcKey asks for the layout of an operation's operands, given that of its results. The answer depends on the
// operation's kind, attributes and shapes, which no rematerialization changes.
type srcKey struct {
	op  *ir.Op
	enc ir.Attr
}

// inferSrc returns the result of the function inferSrc, computed once.
func (r *rematerializer) inferSrc(op *ir.Op, enc ir.Attr) ir.Attr {
	k := srcKey{op, enc}
	src, ok := r.srcs[k]
	if !ok {
		src = inferSrc(op, enc)
		r.srcs[k] = src
	}
	return src
}

// onlyRenames reports whether a conversion moves no element to another thread.
func (r *rematerializer) onlyRenames(cvt *ir.Op) bool {
	k := [2]ir.Type{cvt.Operand(0).Type, cvt.Result(0).Type}
	yes, ok := r.renames[k]
	if !ok {
		yes = ttglayout.RegisterConversion(k[0], k[1])
		r.renames[k] = yes
	}
	return yes
}

func NewRematerializer(fn *ir.Op) *rematerializer {
	return &rematerializer{fn: fn, dom: ir.NewDominance(), known: map[conversion]*ir.Value{},
		erased: map[*ir.Op]bool{}, srcs: map[srcKey]ir.Attr{}, renames: map[[2]ir.Type]bool{}}
}

// conversions returns the conversions inside a function, in order.
func conversions(fn *ir.Op) []*ir.Op {
	var out []*ir.Op
	for op := range fn.Ops() {
		if op.Def == ttg.ConvertLayout {
			out = append(out, op)
		}
	}
	return out
}

// each calls f for every conversion, which may replace it, and reports whether it replaced any. A conversion
// that is not replaced is recorded in known, where later ones find its result.
func (r *rematerializer) each(f func(cvt *ir.Op)) (changed bool) {
	for _, cvt := range conversions(r.fn) {
		if r.erased[cvt] {
			continue
		}
		f(cvt)
		if r.erased[cvt] {
			changed = true
		} else {
			r.known[conversion{cvt.Operand(0), ttgir.EncodingOf(cvt.Result(0))}] = cvt.Result(0)
		}
	}
	return changed
}

// replace replaces a conversion by v.
func (r *rematerializer) replace(cvt *ir.Op, v *ir.Value) {
	r.erased[cvt] = true
	for key, k := range r.known {
		if k == cvt.Result(0) {
			r.known[key] = v
		}
	}
	cvt.ReplaceWith(v)
}

// slice is a set of values to be computed anew, each in a layout.
type slice struct {
	values   []*ir.Value // in the order found
	layout   map[*ir.Value]ir.Attr
	existing map[*ir.Value]*ir.Value // values that already exist in that layout
}

func newSlice() *slice {
	return &slice{layout: map[*ir.Value]ir.Attr{}, existing: map[*ir.Value]*ir.Value{}}
}

// want records that v is needed in a layout and reports whether that contradicts no earlier one.
func (s *slice) want(v *ir.Value, enc ir.Attr) bool {
	old, ok := s.layout[v]
	if !ok {
		s.layout[v] = enc
		s.values = append(s.values, v)
	}
	return !ok || old == enc
}

func (s *slice) remove(v *ir.Value) {
	s.values = slices.DeleteFunc(s.values, func(w *ir.Value) bool { return w == v })
}

// merge adds another slice and reports whether they agree.
func (s *slice) merge(t *slice) bool {
	for _, v := range t.values {
		if old, ok := s.layout[v]; ok && old != t.layout[v] {
			return false
		}
	}
	for v, enc := range t.layout {
		if old, ok := s.layout[v]; ok && old != enc {
			return false
		}
	}
	for _, v := range t.values {
		s.want(v, t.layout[v])
	}
	for v, enc := range t.layout {
		s.layout[v] = enc
	}
	for v, w := range t.existing {
		s.existing[v] = w
	}
	return true
}

// backward collects the values to be computed anew so that the value of a use has layout enc. It goes up
// through operands, loops and branches and ends at values that have the layout, exist in it, or are defined
// by ops that can produce any. stop ends it at other ops too. It fails where no layout follows or two layouts
// contradict each other.
func (r *rematerializer) backward(root *ir.Use, enc ir.Attr, stop func(*ir.Op) bool) (*slice, bool) {
	s := newSlice()
	first := need{root, enc}
	seen, stack := map[need]bool{first: true}, []need{first}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if ttgir.TensorOf(n.use.Value()) == nil {
			continue
		}
		if n.use != root && ttgir.EncodingOf(n.use.Value()) == n.enc {
			if !s.has(n) {
				return nil, false
			}
			continue
		}
		next, ok := r.above(s, n, stop)
		if !ok {
			return nil, false
		}
		for _, n := range next {
			if !seen[n] {
				seen[n] = true
				stack = append(stack, n)
			}
		}
	}
	return s, true
}

// has records that the value of n already has the layout. It returns false if the value is needed in another
// layout too: a clone could not tell them apart.
func (s *slice) has(n need) bool {
	v := n.use.Value()
	if old, ok := s.layout[v]; ok && old != n.enc {
		return false
	}
	s.layout[v] = n.enc
	return true
}

// above adds the value of n to s and returns what computing it in the layout needs. It fails at results of
// loops.
func (r *rematerializer) above(s *slice, n need, stop func(*ir.Op) bool) ([]need, bool) {
	v := n.use.Value()
	if def := v.Def(); def != nil && (def.Def == scf.For || def.Def == scf.While) {
		return nil, false
	}
	if !s.want(v, n.enc) {
		return nil, false
	}
	if r.exists(s, v, n.use) {
		return nil, true
	}
	return r.sources(s, v, n.enc, stop)
}

// exists reports whether v exists in its layout where a use needs it.
func (r *rematerializer) exists(s *slice, v *ir.Value, use *ir.Use) bool {
	k := r.known[conversion{v, s.layout[v]}]
	if k != nil && r.dom.Dominates(k, use.Owner()) {
		s.existing[v] = k
		return true
	}
	delete(s.existing, v) // not for this use, so for none
	return false
}

// need is a use that needs its value in a layout.
type need struct {
	use *ir.Use
	enc ir.Attr
}

// sources returns the uses, with their layouts, that v's definition needs for v to have layout enc.
func (r *rematerializer) sources(s *slice, v *ir.Value, enc ir.Attr, stop func(*ir.Op) bool) ([]need, bool) {
	def := v.Def()
	if def == nil {
		return argSources(v, enc)
	}
	if def.Def == scf.If {
		if stop != nil && stop(def) {
			return nil, true
		}
		i := v.Index()
		return []need{{def.Body(0).Last().OperandUse(i), enc}, {def.Body(1).Last().OperandUse(i), enc}}, true
	}
	for _, other := range def.Results() {
		if other != v && ttgir.TensorOf(other) != nil && !s.want(other, enc) {
			return nil, false
		}
	}
	switch {
	case def.Def == ttg.ConvertLayout && r.onlyRenames(def):
		return []need{{def.OperandUse(0), enc}}, true // this conversion only renames registers
	case canFoldConversion(def, enc), stop != nil && stop(def):
		return nil, true
	case def.Def == tt.Cat:
		return nil, false
	}
	src := r.inferSrc(def, enc)
	if src == nil {
		return nil, false
	}
	if def.Def == tt.Gather {
		return []need{{def.OperandUse(1), src}}, true
	}
	var out []need
	for i := range def.NumOperands() {
		out = append(out, need{def.OperandUse(i), src})
	}
	return out, true
}

// argSources returns the sources of a loop's argument: its initial value and the yield.
func argSources(v *ir.Value, enc ir.Attr) ([]need, bool) {
	loop := v.Block().Parent()
	if loop == nil || loop.Def != scf.For || v.Index() == 0 {
		return nil, false
	}
	i := v.Index() - 1
	return []need{{loop.OperandUse(3 + i), enc}, {loop.Body(0).Last().OperandUse(i), enc}}, true
}

// rematerializable finds a slice like backward, but fails if an op of the slice must not be computed twice.
func (r *rematerializer) rematerializable(root *ir.Use, enc ir.Attr, stop func(*ir.Op) bool) (*slice, bool) {
	s, ok := r.backward(root, enc, stop)
	if !ok || len(s.values) == 0 {
		return nil, false
	}
	for _, v := range s.values {
		if def := v.Def(); def != nil && s.existing[v] == nil && !canRemat(def) {
			return nil, false
		}
	}
	return s, true
}

// rewrite computes the slice in its layouts, beside the original, and replaces the conversion by the result.
// given holds values that the caller has already made.
func (r *rematerializer) rewrite(s *slice, cvt *ir.Op, given *ir.Mapping) {
	m := ir.NewMapping()
	if given != nil {
		m = given
	}
	w := rewriter{r: r, s: s, m: m, args: map[*ir.Op][]int{}, results: map[*ir.Op][]int{}}
	w.collect()
	for _, op := range programOrder(r.fn, w.ops) {
		w.op(op)
	}
	w.yields()
	r.replace(cvt, m.Get(cvt.Operand(0)))
}

type rewriter struct {
	r       *rematerializer
	s       *slice
	m       *ir.Mapping
	ops     map[*ir.Op]bool
	args    map[*ir.Op][]int // loop arguments that were duplicated, one in each layout
	results map[*ir.Op][]int // branch results that were duplicated, likewise
	order   []*ir.Op         // keys of args and results
}

// collect finds the ops to clone and the loops and branches to widen.
func (w *rewriter) collect() {
	w.ops = map[*ir.Op]bool{}
	for _, v := range w.s.values {
		if _, given := w.m.Values[v]; given {
			continue
		}
		if k := w.s.existing[v]; k != nil {
			w.m.Map(v, k)
			continue
		}
		def := v.Def()
		if def == nil {
			loop := v.Block().Parent()
			w.widen(w.args, loop, v.Index()-1)
			continue
		}
		if def.Def == scf.If {
			w.widen(w.results, def, v.Index())
			continue
		}
		w.ops[def] = true
	}
}

func (w *rewriter) widen(which map[*ir.Op][]int, op *ir.Op, i int) {
	if which[op] == nil {
		w.order = append(w.order, op)
	}
	which[op] = append(which[op], i)
	w.ops[op] = true
}

// programOrder returns the ops of a set in program order, each before the ops inside it.
func programOrder(fn *ir.Op, set map[*ir.Op]bool) []*ir.Op {
	var out []*ir.Op
	for op := range fn.Ops() {
		if set[op] {
			out = append(out, op)
		}
	}
	return out
}

func (w *rewriter) op(op *ir.Op) {
	switch op.Def {
	case scf.For:
		w.loop(op)
		return
	case scf.If:
		slices.Sort(w.results[op])
		for _, i := range w.results[op] {
			old := op.Result(i)
			w.learn(old, op.AddResult(ttgir.TensorOf(old).WithEncoding(w.s.layout[old])))
		}
		return
	}
	c := op.Clone(w.m)
	b := ir.At(op)
	b.Insert(c)
	for i, old := range op.Results() {
		if enc, ok := w.s.layout[old]; ok {
			ttgir.SetEncoding(c.Result(i), enc)
			w.learn(old, c.Result(i))
		}
	}
}

// learn records that old exists as v in its layout.
func (w *rewriter) learn(old, v *ir.Value) {
	w.m.Map(old, v)
	w.r.known[conversion{old, w.s.layout[old]}] = v
}

// loop adds arguments and results to a loop. yields adds the operands of its yield when the body is complete.
func (w *rewriter) loop(op *ir.Op) {
	slices.Sort(w.args[op])
	operands, body := op.Operands(), op.Body(0)
	for _, i := range w.args[op] {
		old := body.Arg(1 + i)
		init := w.m.Get(operands[3+i])
		operands = append(operands, init)
		arg := body.AddArg(init.Type, old.Loc)
		arg.Name = old.Name
		w.learn(old, arg)
		result := op.AddResult(init.Type)
		w.r.known[conversion{op.Result(i), w.s.layout[old]}] = result
	}
	op.SetOperands(operands, nil)
}

// yields passes the new values to the widened loops and branches.
func (w *rewriter) yields() {
	for _, op := range w.order {
		which := w.args[op]
		if op.Def == scf.If {
			which = w.results[op]
		}
		for _, region := range op.Regions() {
			yield := region.First().Last()
			vs := yield.Operands()
			for _, i := range which {
				vs = append(vs, w.m.Get(yield.Operand(i)))
			}
			yield.SetOperands(vs, nil)
		}
	}
}
