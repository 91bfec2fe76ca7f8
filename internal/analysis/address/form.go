package address

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Symbol is an unknown number: a value of the program, the number of a loop's iteration, or of its
// iterations.
type Symbol struct {
	Value *ir.Value
	Loop  *ir.Op
	End   bool // how many iterations the loop had
}

// ChangesIn reports whether the symbol may be another number in another iteration of a loop.
func (s Symbol) ChangesIn(loop *ir.Op) bool {
	switch {
	case s.Value != nil:
		return s.Value.Block().IsInside(loop)
	case s.End:
		return s.Loop.Block().IsInside(loop)
	}
	return s.Loop == loop || s.Loop.Block().IsInside(loop)
}

// poly is a sum of products of symbols: from the symbols' numbers, in order and with dots between them, to
// the coefficient. "" is 1.
type poly map[string]int64

func number(n int64) poly {
	if n == 0 {
		return poly{}
	}
	return poly{"": n}
}

// plus returns p + f*q.
func (p poly) plus(f int64, q poly) poly {
	out := maps.Clone(p)
	for k, c := range q {
		if out[k] += f * c; out[k] == 0 {
			delete(out, k)
		}
	}
	return out
}

const maxFactors = 4

// times returns p*q, or nil where that would be large.
func (p poly) times(q poly) poly {
	out := poly{}
	for j, c := range p {
		for k, d := range q {
			m := product(j, k)
			if strings.Count(m, ".") >= maxFactors || len(out) > 64 {
				return nil
			}
			if out[m] += c * d; out[m] == 0 {
				delete(out, m)
			}
		}
	}
	return out
}

func product(j, k string) string {
	switch {
	case j == "":
		return k
	case k == "":
		return j
	}
	parts := append(strings.Split(j, "."), strings.Split(k, ".")...)
	slices.Sort(parts)
	return strings.Join(parts, ".")
}

// constant returns the polynomial's value if it has no symbols.
func (p poly) constant() (int64, bool) {
	for k := range p {
		if k != "" {
			return 0, false
		}
	}
	return p[""], true
}

// Form is a value of the program, in which element c has Uniform + Σ Strides[k]*c[k].
type Form struct {
	Uniform poly
	Strides []poly
}

func (f *Form) isUniform() bool {
	return !slices.ContainsFunc(f.Strides, func(p poly) bool { return len(p) > 0 })
}

// plus returns f + n*g.
func (f *Form) plus(n int64, g *Form) *Form {
	if f == nil || g == nil {
		return nil
	}
	out := &Form{Uniform: f.Uniform.plus(n, g.Uniform)}
	for k := range f.Strides {
		out.Strides = append(out.Strides, f.Strides[k].plus(n, g.Strides[k]))
	}
	return out
}

// times returns f*g, nil if both have strides.
func (f *Form) times(g *Form) *Form {
	if f == nil || g == nil {
		return nil
	}
	if f.isUniform() {
		f, g = g, f
	}
	if !g.isUniform() {
		return nil
	}
	return f.scaled(g.Uniform)
}

func (f *Form) scaled(by poly) *Form {
	out := &Form{Uniform: f.Uniform.times(by)}
	bad := out.Uniform == nil
	for _, s := range f.Strides {
		p := s.times(by)
		bad = bad || p == nil
		out.Strides = append(out.Strides, p)
	}
	if bad {
		return nil
	}
	return out
}

func rankOf(t ir.Type) int {
	if tensor, ok := t.(*ir.TensorType); ok {
		return len(tensor.Shape)
	}
	return 0
}

func constantForm(n int64, t ir.Type) *Form {
	f := &Form{Uniform: number(n)}
	for range rankOf(t) {
		f.Strides = append(f.Strides, poly{})
	}
	return f
}

func (a *Analysis) id(s Symbol) string {
	n, ok := a.ids[s]
	if !ok {
		n = len(a.syms)
		a.ids[s] = n
		a.syms = append(a.syms, s)
	}
	return strconv.Itoa(n)
}

// symbol returns the form of a value as it stands.
func (a *Analysis) symbol(v *ir.Value) *Form {
	f := constantForm(0, v.Type)
	f.Uniform[a.id(Symbol{Value: v})] = 1
	return f
}

// Form returns the form of a pointer, in bytes, or of an integer; nil if it has none.
func (a *Analysis) Form(v *ir.Value) *Form {
	f, ok := a.forms[v]
	if !ok {
		f = a.resolve(a.rawForm(v), 0)
		a.forms[v] = f
	}
	return f
}

// rawForm returns a form with symbols for the values that loops carry.
func (a *Analysis) rawForm(v *ir.Value) *Form {
	f, ok := a.raw[v]
	if !ok {
		f = a.compute(v)
		a.raw[v] = f
	}
	return f
}

func (a *Analysis) compute(v *ir.Value) *Form {
	if n, ok := constfold.IntOf(v); ok {
		return constantForm(n, v.Type)
	}
	op := v.Def()
	if op == nil {
		return a.argumentForm(v)
	}
	if rule := rules[op.Def]; rule != nil {
		if f := rule(a, op); f != nil {
			return f
		}
	}
	if op.Def == scf.For {
		if a.carry(Symbol{Value: v}, op, v.Index(), true) {
			return a.symbol(v)
		}
	}
	return a.opaque(v)
}

// opaque returns the form of an unknown scalar. There is no form for tensors whose elements differ in unknown
// ways.
func (a *Analysis) opaque(v *ir.Value) *Form {
	if rankOf(v.Type) > 0 {
		return nil
	}
	return a.symbol(v)
}

func (a *Analysis) argumentForm(v *ir.Value) *Form {
	loop := v.Block().Parent()
	if loop == nil || loop.Def != scf.For {
		return a.opaque(v)
	}
	if v.Index() == 0 {
		n := &Form{Uniform: poly{a.id(Symbol{Loop: loop}): 1}}
		return a.rawForm(scf.LowerBound(loop)).plus(1, n.times(a.rawForm(scf.Step(loop))))
	}
	a.carry(Symbol{Value: v}, loop, v.Index()-1, false)
	return a.symbol(v)
}

// carried is a value that a loop hands from one iteration to the next, or at last to those after it.
type carried struct {
	loop  *ir.Op
	index int
	end   bool
	done  bool
	form  *Form // when done
}

func (a *Analysis) carry(s Symbol, loop *ir.Op, index int, end bool) bool {
	a.placed[s] = &carried{loop: loop, index: index, end: end}
	return true
}

// carriedForm returns first value + iterations * increment, or nil if the loop does something else with it.
func (a *Analysis) carriedForm(c *carried) *Form {
	if c.done {
		return c.form
	}
	c.done = true // while it is computed it has no form
	arg := scf.IterArgs(c.loop)[c.index]
	next := a.rawForm(c.loop.Body(0).Terminator().Operand(c.index))
	if next == nil {
		return nil
	}
	inc := next.plus(-1, a.symbol(arg))
	if !inc.isUniform() {
		return nil
	}
	inc = a.resolve(inc, 1)
	if inc == nil || !inc.isUniform() || a.changesIn(inc.Uniform, c.loop) {
		return nil
	}
	count := poly{a.id(Symbol{Loop: c.loop, End: c.end}): 1}
	c.form = a.resolve(a.rawForm(scf.Inits(c.loop)[c.index]), 1).plus(1, inc.scaled(count))
	return c.form
}

func (a *Analysis) changesIn(p poly, loop *ir.Op) bool {
	for k := range p {
		for _, s := range a.symbols(k) {
			if s.ChangesIn(loop) {
				return true
			}
		}
	}
	return false
}

// symbols returns the symbols of a product.
func (a *Analysis) symbols(k string) []Symbol {
	if k == "" {
		return nil
	}
	var out []Symbol
	for _, n := range strings.Split(k, ".") {
		i, _ := strconv.Atoi(n)
		out = append(out, a.syms[i])
	}
	return out
}

// resolve puts forms in place of the symbols of values that loops carry. A tensor without such a form has
// none itself.
func (a *Analysis) resolve(f *Form, depth int) *Form {
	if f == nil || depth > 32 {
		return nil
	}
	out := &Form{Uniform: poly{}, Strides: make([]poly, len(f.Strides))}
	for k := range f.Strides {
		if out.Strides[k] = a.resolveScalar(f.Strides[k], depth); out.Strides[k] == nil {
			return nil
		}
	}
	for k, c := range f.Uniform {
		term := a.resolveTerm(k, len(f.Strides), depth)
		if term == nil {
			return nil
		}
		out = out.plus(c, term)
	}
	return out
}

// resolveScalar resolves a stride, in which there are no tensors.
func (a *Analysis) resolveScalar(p poly, depth int) poly {
	f := a.resolve(&Form{Uniform: p}, depth)
	if f == nil {
		return nil
	}
	return f.Uniform
}

// resolveTerm resolves a product.
func (a *Analysis) resolveTerm(k string, rank, depth int) *Form {
	out := &Form{Uniform: number(1), Strides: make([]poly, rank)}
	for i := range out.Strides {
		out.Strides[i] = poly{}
	}
	for _, s := range a.symbols(k) {
		f := &Form{Uniform: poly{a.id(s): 1}, Strides: make([]poly, rank)}
		for i := range f.Strides {
			f.Strides[i] = poly{}
		}
		if c := a.placed[s]; c != nil {
			g := a.carriedForm(c)
			switch {
			case g == nil && rankOf(s.Value.Type) > 0:
				return nil
			case g != nil && len(g.Strides) == rank:
				f = g
			case g != nil && len(g.Strides) == 0:
				f.Uniform = g.Uniform
			case g != nil:
				return nil
			}
		}
		if out = out.times(f); out == nil {
			return nil
		}
	}
	return out
}

// carriesTensor reports whether a form has the symbol of a tensor, whose dimensions are not seen yet.
func (a *Analysis) carriesTensor(f *Form) bool {
	for k := range f.Uniform {
		for _, s := range a.symbols(k) {
			if s.Value != nil && rankOf(s.Value.Type) > 0 {
				return true
			}
		}
	}
	return false
}

// rules has the operations about which something is known.
var rules map[*ir.OpDef]func(a *Analysis, op *ir.Op) *Form

func init() { // rules ask for the forms of operands
	same := func(a *Analysis, op *ir.Op) *Form { return a.rawForm(op.Operand(0)) }
	rules = map[*ir.OpDef]func(a *Analysis, op *ir.Op) *Form{
		arith.AddI: func(a *Analysis, op *ir.Op) *Form {
			return a.rawForm(op.Operand(0)).plus(1, a.rawForm(op.Operand(1)))
		},
		arith.SubI: func(a *Analysis, op *ir.Op) *Form {
			return a.rawForm(op.Operand(0)).plus(-1, a.rawForm(op.Operand(1)))
		},
		arith.MulI: func(a *Analysis, op *ir.Op) *Form {
			return a.rawForm(op.Operand(0)).times(a.rawForm(op.Operand(1)))
		},
		arith.ShLI:  shift,
		arith.ExtSI: widen, arith.ExtUI: widen, arith.IndexCast: widen, arith.TruncI: truncate,
		tt.Bitcast: pointerCast, ttg.ConvertLayout: same,
		tt.AddPtr: addPtr, tt.MakeRange: makeRange,
		tt.Splat: splat, tt.Broadcast: broadcast, tt.ExpandDims: expandDims, tt.Trans: transpose,
		tt.Reshape: reshape,
	}
}

func shift(a *Analysis, op *ir.Op) *Form {
	n, ok := constfold.IntOf(op.Operand(1))
	if !ok || n < 0 || n > 40 {
		return nil
	}
	return a.rawForm(op.Operand(0)).times(constantForm(1<<n, op.Result(0).Type))
}

// widen returns the form of the operand, as truncate does. Both are exact as far as addresses go: those of
// one argument are less than 4 Gi elements apart.
func widen(a *Analysis, op *ir.Op) *Form {
	if ir.BitWidth(ir.ElemOf(op.Operand(0).Type)) < 32 {
		return nil
	}
	return a.rawForm(op.Operand(0))
}

func truncate(a *Analysis, op *ir.Op) *Form {
	if ir.BitWidth(ir.ElemOf(op.Result(0).Type)) < 32 {
		return nil
	}
	return a.rawForm(op.Operand(0))
}

func pointerCast(a *Analysis, op *ir.Op) *Form {
	if !tt.IsPtr(ir.ElemOf(op.Result(0).Type)) {
		return nil
	}
	return a.rawForm(op.Operand(0))
}

// ElementBytes returns the size of a pointer's elements.
func ElementBytes(ptr ir.Type) int64 {
	e := tt.Pointee(ir.ElemOf(ptr))
	if tt.IsPtr(e) {
		return 8
	}
	return int64(max(8, ir.BitWidth(e)) / 8)
}

func addPtr(a *Analysis, op *ir.Op) *Form {
	return a.rawForm(op.Operand(0)).plus(ElementBytes(op.Result(0).Type), a.rawForm(op.Operand(1)))
}

func makeRange(_ *Analysis, op *ir.Op) *Form {
	return &Form{Uniform: number(op.IntOr("start", 0)), Strides: []poly{number(1)}}
}

func splat(a *Analysis, op *ir.Op) *Form {
	src := a.rawForm(op.Operand(0))
	if src == nil || len(src.Strides) > 0 {
		return nil
	}
	out := constantForm(0, op.Result(0).Type)
	out.Uniform = src.Uniform
	return out
}

func broadcast(a *Analysis, op *ir.Op) *Form {
	src := a.rawForm(op.Operand(0))
	if src == nil || a.carriesTensor(src) {
		return nil
	}
	from, to := op.Operand(0).Type.(*ir.TensorType).Shape, op.Result(0).Type.(*ir.TensorType).Shape
	out := &Form{Uniform: src.Uniform, Strides: slices.Clone(src.Strides)}
	for k := range out.Strides {
		if from[k] != to[k] {
			out.Strides[k] = poly{}
		}
	}
	return out
}

func expandDims(a *Analysis, op *ir.Op) *Form {
	src := a.rawForm(op.Operand(0))
	if src == nil || a.carriesTensor(src) {
		return nil
	}
	return &Form{Uniform: src.Uniform,
		Strides: slices.Insert(slices.Clone(src.Strides), int(op.IntOr("axis", 0)), poly{})}
}

func transpose(a *Analysis, op *ir.Op) *Form {
	src := a.rawForm(op.Operand(0))
	order, ok := op.Attr("order").(*ir.DenseArrayAttr)
	if src == nil || !ok || a.carriesTensor(src) {
		return nil
	}
	out := &Form{Uniform: src.Uniform}
	for _, k := range order.Values {
		out.Strides = append(out.Strides, src.Strides[k])
	}
	return out
}

// reshape returns the form of a tensor of one dimension that becomes several.
func reshape(a *Analysis, op *ir.Op) *Form {
	src := a.rawForm(op.Operand(0))
	if src == nil || a.carriesTensor(src) || op.HasAttr("allow_reorder") {
		return nil
	}
	shape := op.Result(0).Type.(*ir.TensorType).Shape
	if src.isUniform() {
		out := constantForm(0, op.Result(0).Type)
		out.Uniform = src.Uniform
		return out
	}
	if len(src.Strides) != 1 {
		return nil
	}
	out := &Form{Uniform: src.Uniform, Strides: make([]poly, len(shape))}
	n := int64(1)
	for k := len(shape) - 1; k >= 0; k-- {
		out.Strides[k] = poly{}.plus(n, src.Strides[0])
		n *= shape[k]
	}
	return out
}
