package address

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/ir"
)

// Relation says how the places of two accesses lie to each other.
type Relation int

const (
	Unknown Relation = iota
	Apart            // they have no byte in common
	Same             // where they have a byte in common, it is the same element of both tensors
)

// Place is the place of an access.
type Place struct {
	Ptr *ir.Value
	// Changed reports whether a symbol is another number now than it was at the access, since iterations lie
	// between.
	Changed func(Symbol) bool
	// Loop is the loop of which iterations lie between, if it is the only one.
	Loop *ir.Op
}

// span is a stride and the number of its steps.
type span struct{ stride, n int64 }

func (s span) size() int64 {
	if s.stride < 0 {
		return -s.stride
	}
	return s.stride
}

// Relate compares an access with one that comes now. The difference of two addresses is
//
//	d + g*z + Σ strides*(differences of coordinates)
//
// with constants d and g, and a number z that nothing is known of. They are apart if that cannot be less than
// an element. Coordinates are equal, where addresses are, if each stride is larger than all that the smaller
// ones can add up to, and g larger than all.
func (a *Analysis) Relate(old Place, now *ir.Value) Relation {
	p, q := a.Form(old.Ptr), a.Form(now)
	if p == nil || q == nil {
		return Unknown
	}
	d, g := a.difference(old, p, q)
	ps, qs := a.spansOf(old.Ptr, p), a.spansOf(now, q)
	if ps == nil || qs == nil {
		return Unknown
	}
	pBytes, qBytes := ElementBytes(old.Ptr.Type), ElementBytes(now.Type)
	if apart(d, g, ps, qs, pBytes, qBytes) {
		return Apart
	}
	if pBytes == qBytes && sameShape(old.Ptr.Type, now.Type) && slices.Equal(ps, qs) && d == 0 &&
		oneToOne(g, ps, pBytes) {
		return Same
	}
	return Unknown
}

// Condition is a property of numbers that never change: that Scale times the product of Factors is, without
// its sign, larger than Reach.
type Condition struct {
	Factors      []*ir.Value
	Scale, Reach int64
}

// Equal reports whether two conditions are the same.
func (c Condition) Equal(d Condition) bool {
	return c.Scale == d.Scale && c.Reach == d.Reach && slices.Equal(c.Factors, d.Factors)
}

// ApartIf returns a condition under which an access is apart from one that comes now, in a later iteration of
// a loop: that each iteration moves the access further than it reaches. fixed says which values never change.
func (a *Analysis) ApartIf(old Place, now *ir.Value, fixed func(Symbol) bool) (c Condition, ok bool) {
	p, q := a.Form(old.Ptr), a.Form(now)
	if old.Loop == nil || p == nil || q == nil {
		return c, false
	}
	for k := range q.Uniform {
		if _, both := p.Uniform[k]; !both && k != "" {
			return c, false
		}
	}
	for k, n := range p.Uniform {
		switch {
		case k == "":
		case q.Uniform[k] != n:
			return c, false
		case a.changed(old, k):
			if c.Scale != 0 || !a.step(&c, k, old.Loop, fixed) {
				return c, false
			}
			c.Scale = n
		}
	}
	d := q.Uniform[""] - p.Uniform[""]
	ps, qs := a.spansOf(old.Ptr, p), a.spansOf(now, q)
	if c.Scale == 0 || ps == nil || qs == nil {
		return c, false
	}
	c.Reach = reach(d, ps, qs, max(ElementBytes(old.Ptr.Type), ElementBytes(now.Type)))
	return c, true
}

// step takes the factors of a product of the loop's number of iterations and numbers that never change.
func (a *Analysis) step(c *Condition, k string, loop *ir.Op, fixed func(Symbol) bool) bool {
	counters := 0
	for _, s := range a.symbols(k) {
		switch {
		case s.Value == nil && s.Loop == loop && !s.End:
			counters++
		case s.Value != nil && fixed(s):
			c.Factors = append(c.Factors, s.Value)
		default:
			return false
		}
	}
	return counters == 1
}

// reach returns how many bytes two accesses can be apart and still touch each other, d being the difference
// of their first elements.
func reach(d int64, ps, qs []span, bytes int64) int64 {
	sum := max(d, -d) + bytes
	for _, s := range slices.Concat(ps, qs) {
		sum += s.size() * (s.n - 1)
	}
	return sum
}

// difference returns now's uniform part less the old one: a constant, and a number that all the rest is a
// multiple of.
func (a *Analysis) difference(old Place, p, q *Form) (d, g int64) {
	add := func(k string, c int64) {
		if k == "" {
			d += c
		} else {
			g = gcd(g, c)
		}
	}
	for k, c := range p.Uniform {
		switch n := q.Uniform[k]; {
		case a.changed(old, k): // other numbers, whatever they are called
			add(k, -c)
			add(k, n)
		case n != c:
			add(k, n-c)
		}
	}
	for k, c := range q.Uniform {
		if _, ok := p.Uniform[k]; !ok {
			add(k, c)
		}
	}
	if g != 0 {
		d %= g
	}
	return d, g
}

func (a *Analysis) changed(old Place, k string) bool {
	return old.Changed != nil && slices.ContainsFunc(a.symbols(k), old.Changed)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// spansOf returns the strides of a form, for each dimension of more than one element; nil if they are not
// known numbers.
func (a *Analysis) spansOf(v *ir.Value, f *Form) []span {
	if s, ok := a.spans[v]; ok {
		return s
	}
	out := []span{}
	for k, s := range f.Strides {
		n := v.Type.(*ir.TensorType).Shape[k]
		if n == 1 {
			continue
		}
		c, ok := s.constant()
		if !ok {
			out = nil
			break
		}
		out = append(out, span{c, n})
	}
	a.spans[v] = out
	return out
}

func sameShape(p, q ir.Type) bool {
	a, ok := p.(*ir.TensorType)
	b, ok2 := q.(*ir.TensorType)
	return ok == ok2 && (!ok || slices.Equal(a.Shape, b.Shape))
}

// apart tries all ways to take the larger strides for numbers of which nothing is known but what they are
// multiples of, and the smaller ones for the interval that they span.
func apart(d, g int64, ps, qs []span, pBytes, qBytes int64) bool {
	var all []span
	for _, s := range ps {
		all = append(all, span{-s.stride, s.n})
	}
	all = append(all, qs...)
	slices.SortFunc(all, func(x, y span) int { return int(min(max(x.size()-y.size(), -1), 1)) })
	for inner := range len(all) + 1 {
		lo, hi, step := d, d, g
		for i, s := range all {
			switch reach := s.stride * (s.n - 1); {
			case i >= inner:
				step = gcd(step, s.stride)
			case reach < 0:
				lo += reach
			default:
				hi += reach
			}
		}
		if !hits(lo-pBytes+1, hi+qBytes-1, step) {
			return true
		}
	}
	return false
}

// hits reports whether a multiple of step lies in an interval; only 0 is one of 0.
func hits(lo, hi, step int64) bool {
	if lo <= 0 && hi >= 0 {
		return true
	}
	if step == 0 {
		return false
	}
	if hi < 0 {
		lo, hi = -hi, -lo
	}
	return hi/step*step >= lo
}

// oneToOne reports whether different elements have different addresses, also those a multiple of g away.
func oneToOne(g int64, strides []span, bytes int64) bool {
	sorted := slices.Clone(strides)
	slices.SortFunc(sorted, func(x, y span) int { return int(min(max(x.size()-y.size(), -1), 1)) })
	reach := bytes - 1
	for _, s := range sorted {
		if s.size() <= reach {
			return false
		}
		reach += s.size() * (s.n - 1)
	}
	return g == 0 || g > reach
}
