package address

import (
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/ir"
)

// Sum is a sum of products of symbols, as Uniform and Strides of a Form are. It belongs to an Analysis.
type Sum = poly

// Plus returns p + f*q.
func (p poly) Plus(f int64, q Sum) Sum { return p.plus(f, q) }

// Equal reports whether two sums of one Analysis are the same.
func (p poly) Equal(q Sum) bool { return len(p.plus(-1, q)) == 0 }

// Term is a product of symbols and a factor.
type Term struct {
	Factor int64
	Of     []Symbol
}

// Terms returns the terms of a sum, in an order that depends on the program alone.
func (a *Analysis) Terms(p Sum) []Term {
	type row struct {
		Term
		at []int
	}
	var rows []row
	for k, c := range p {
		r := row{Term: Term{Factor: c, Of: a.symbols(k)}}
		slices.SortFunc(r.Of, func(s, t Symbol) int { return a.place(s) - a.place(t) })
		for _, s := range r.Of {
			r.at = append(r.at, a.place(s))
		}
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(x, y row) int { return slices.Compare(x.at, y.at) })
	out := make([]Term, len(rows))
	for i, r := range rows {
		out[i] = r.Term
	}
	return out
}

// Sum returns the sum of terms.
func (a *Analysis) Sum(terms ...Term) Sum {
	out := poly{}
	for _, t := range terms {
		var ids []string
		for _, s := range t.Of {
			ids = append(ids, a.id(s))
		}
		slices.Sort(ids)
		out = out.plus(t.Factor, poly{strings.Join(ids, "."): 1})
	}
	return out
}

// Times returns the product of sums, nil where that would be large.
func (p poly) Times(q Sum) Sum { return p.times(q) }

// Suppose makes the analysis take an integer tensor for the scalar at plus the coordinate along a dimension.
// It must be called before anything is asked that depends on the tensor.
func (a *Analysis) Suppose(v, at *ir.Value, dim int) {
	f := constantForm(0, v.Type)
	f.Uniform = a.symbol(at).Uniform
	f.Strides[dim] = number(1)
	a.raw[v] = f
}

// place returns a number by which symbols are ordered: that of the value, or of the loop's variable.
func (a *Analysis) place(s Symbol) int {
	if a.places == nil {
		a.places = map[*ir.Value]int{}
		for op := range a.root.Ops() {
			for _, v := range op.Results() {
				a.places[v] = len(a.places)
			}
			for _, r := range op.Regions() {
				for b := range r.Blocks() {
					for _, v := range b.Args() {
						a.places[v] = len(a.places)
					}
				}
			}
		}
	}
	n, v := 0, s.Value
	if s.Loop != nil {
		n, v = 1, s.Loop.Body(0).Arg(0)
	}
	if s.End {
		n = 2
	}
	return 3*a.places[v] + n
}
