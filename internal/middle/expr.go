package middle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/ir"
)

// expr is a scalar of type index: a constant plus multiples of atoms. Two that are equal as sums have the
// same form, so a loop's step shows when the start is taken off.
type expr struct {
	c     int64
	terms []term // by id of the atom; no factor is zero
}

type term struct {
	k int64
	a *atom
}

type atomKind uint8

const (
	atomValue    atomKind = iota // a scalar integer of the input, with its sign
	atomSymbol                   // what a loop or branch carries
	atomFirst                    // the only element of a tensor
	atomMul                      // x * y
	atomRem                      // x % y, with the sign of x
	atomCeil                     // x / y, rounded up, y constant
	atomLow                      // the low y bits of x, zero-extended; y constant
	atomInt32                    // the low 32 bits of x, sign-extended
	atomSelect                   // x where the condition v holds, else y
	atomOp                       // an integer operation on tensors of equal elements, done once on args
	atomQuotient                 // x / y, which divides it, or x where y is zero
	atomTurn                     // the same of a place to wrap around at: where x is zero, beyond all memory
)

// atom is what a sum cannot be made of. There is one for each meaning.
type atom struct {
	kind atomKind
	id   int
	v    *ir.Value
	sym  *symbol
	op   *ir.Op
	x, y expr
	args []expr
}

// symbol is a value of the output that the input does not have: a part of a description that changes in a
// loop, or that depends on which branch was taken.
type symbol struct {
	block *ir.Block // block of the input, in which the symbol can be used
	owner *carry
}

// atoms hands out the atoms of a function.
type atoms struct {
	n      int
	values map[*ir.Value]*atom
	syms   map[*symbol]*atom
	others map[string]*atom
}

func newAtoms() atoms {
	return atoms{values: map[*ir.Value]*atom{}, syms: map[*symbol]*atom{}, others: map[string]*atom{}}
}

func constant(c int64) expr { return expr{c: c} }

func (t *atoms) add(a *atom) *atom {
	a.id = t.n
	t.n++
	return a
}

func single(a *atom) expr { return expr{terms: []term{{1, a}}} }

// value returns a scalar integer of the input.
func (t *atoms) value(v *ir.Value) expr {
	if c, ok := constfold.IntOf(v); ok {
		return constant(c)
	}
	a := t.values[v]
	if a == nil {
		a = t.add(&atom{kind: atomValue, v: v})
		t.values[v] = a
	}
	return single(a)
}

func (t *atoms) symbol(s *symbol) expr {
	a := t.syms[s]
	if a == nil {
		a = t.add(&atom{kind: atomSymbol, sym: s})
		t.syms[s] = a
	}
	return single(a)
}

// other returns the atom of a kind made of the given parts.
func (t *atoms) other(a atom) expr {
	k := a.key()
	p := t.others[k]
	if p == nil {
		p = t.add(&a)
		t.others[k] = p
	}
	return single(p)
}

func (a *atom) key() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %p %p ", a.kind, a.v, a.op)
	for _, e := range append([]expr{a.x, a.y}, a.args...) {
		b.WriteString(e.key())
		b.WriteByte(';')
	}
	return b.String()
}

// key tells sums apart.
func (e expr) key() string {
	var b strings.Builder
	fmt.Fprint(&b, e.c)
	for _, t := range e.terms {
		fmt.Fprintf(&b, "+%d*%d", t.k, t.a.id)
	}
	return b.String()
}

// isConst reports whether e is a constant, and which.
func (e expr) isConst() (int64, bool) { return e.c, len(e.terms) == 0 }

func (e expr) is(c int64) bool { return len(e.terms) == 0 && e.c == c }

func (e expr) equal(f expr) bool { return e.c == f.c && slices.Equal(e.terms, f.terms) }

// plus returns e + k*f.
func (e expr) plus(f expr, k int64) expr {
	out := expr{c: e.c + k*f.c}
	i, j := 0, 0
	for i < len(e.terms) || j < len(f.terms) {
		switch {
		case j == len(f.terms) || i < len(e.terms) && e.terms[i].a.id < f.terms[j].a.id:
			out.terms = append(out.terms, e.terms[i])
			i++
		case i == len(e.terms) || f.terms[j].a.id < e.terms[i].a.id:
			out.terms = append(out.terms, term{k * f.terms[j].k, f.terms[j].a})
			j++
		default:
			if s := e.terms[i].k + k*f.terms[j].k; s != 0 {
				out.terms = append(out.terms, term{s, e.terms[i].a})
			}
			i, j = i+1, j+1
		}
	}
	if k == 0 {
		out.terms = slices.DeleteFunc(out.terms, func(t term) bool { return t.k == 0 })
	}
	return out
}

func (e expr) add(f expr) expr      { return e.plus(f, 1) }
func (e expr) sub(f expr) expr      { return e.plus(f, -1) }
func (e expr) scale(k int64) expr   { return constant(0).plus(e, k) }
func (e expr) offset(c int64) expr  { return e.add(constant(c)) }
func (t *atoms) mul(e, f expr) expr { return t.product(e, f) }

// product multiplies; constants go into the factors, and anything else is an atom.
func (t *atoms) product(e, f expr) expr {
	if c, ok := e.isConst(); ok {
		return f.scale(c)
	}
	if c, ok := f.isConst(); ok {
		return e.scale(c)
	}
	k := int64(1)
	for _, p := range []*expr{&e, &f} { // 64*x * y is 64 * (x*y)
		if p.c == 0 && len(p.terms) == 1 {
			k *= p.terms[0].k
			*p = single(p.terms[0].a)
		}
	}
	if strings.Compare(e.key(), f.key()) > 0 {
		e, f = f, e
	}
	return t.other(atom{kind: atomMul, x: e, y: f}).scale(k)
}

// rem returns the remainder of e by f.
func (t *atoms) rem(e, f expr) expr {
	a, ok1 := e.isConst()
	b, ok2 := f.isConst()
	if ok1 && ok2 && b != 0 {
		return constant(a % b)
	}
	return t.other(atom{kind: atomRem, x: e, y: f})
}

// ceilDiv returns e divided by a positive constant, rounded up.
func (t *atoms) ceilDiv(e expr, by int64) expr {
	if by == 1 {
		return e
	}
	exact := e.c%by == 0
	for _, x := range e.terms {
		exact = exact && x.k%by == 0
	}
	if exact {
		return e.over(by)
	}
	if len(e.terms) == 0 {
		q := e.c / by
		if e.c%by > 0 {
			q++
		}
		return constant(q)
	}
	return t.other(atom{kind: atomCeil, x: e, y: constant(by)})
}

// over divides by what all factors are a multiple of.
func (e expr) over(by int64) expr {
	out := expr{c: e.c / by}
	for _, t := range e.terms {
		out.terms = append(out.terms, term{t.k / by, t.a})
	}
	return out
}

// low returns e as an unsigned number of the given width.
func (t *atoms) low(e expr, bits int) expr {
	if c, ok := e.isConst(); ok {
		if bits < 64 {
			c &= 1<<bits - 1
		}
		return constant(c)
	}
	return t.other(atom{kind: atomLow, x: e, y: constant(int64(bits))})
}

// int32 returns e as a signed number of 32 bits.
func (t *atoms) int32(e expr) expr {
	if c, ok := e.isConst(); ok {
		return constant(int64(int32(c)))
	}
	return t.other(atom{kind: atomInt32, x: e})
}

// leaves calls f for each value, symbol and operation that e is made of.
func (e expr) leaves(f func(*atom)) {
	for _, t := range e.terms {
		f(t.a)
		t.a.x.leaves(f)
		t.a.y.leaves(f)
		for _, a := range t.a.args {
			a.leaves(f)
		}
	}
}

// inside reports whether e depends on something defined inside op.
func (e expr) inside(op *ir.Op) bool {
	found := false
	e.leaves(func(a *atom) {
		switch {
		case a.v != nil:
			found = found || a.v.Block().IsInside(op)
		case a.sym != nil:
			found = found || a.sym.block.IsInside(op)
		}
	})
	return found
}
