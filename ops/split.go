package ops

import (
	"slices"

	"github.com/nereid-lang/nereid"
)

// A reduction to few values would keep few programs busy. It is split: a first kernel reduces parts of the
// rows, a second one the results of the parts.

// splitPrograms is how many programs of a GPU share a reduction in parts, at most; acrossPrograms how many of
// one whose operands are contiguous along rows.
const splitPrograms, acrossPrograms = 4096, 8 * 132

// splits reports whether a reduction can be made in parts.
func (x *fusion) splits() bool {
	list := reductions(x.f.roots)
	return len(list) == 1 && len(x.f.roots) == 1 && !list[0].fn.index && x.f.rows[0] && x.c.n == 1
}

// parts returns into how many parts the columns are split; 1: they are not.
func (x *fusion) parts() int {
	t, cols := x.tile(), count(x.cols.sizes)
	if !x.splits() || !t.loop {
		return 1
	}
	want, turns := splitPrograms, 1
	switch {
	case x.c.s.chip != gpuChip:
		want, turns = 8, 4
	case x.alongRows():
		want, turns = acrossPrograms, 2
	}
	programs := nereid.Cdiv(count(x.rows.sizes), t.r)
	return max(1, min(want/programs, cols/(turns*t.c)))
}

// split returns the launches of a reduction in parts, which leave the results of parts in scratch.
func (x *fusion) split(parts int) (steps []step, scratch []result, err error) {
	r := reductions(x.f.roots)[0]
	w := writer{form: x.form}
	dt := w.reducedType(r)
	first := *x
	first.f = x.f.part(r)
	first.outs, first.inParts = []result{{dt, nil}}, parts
	first.form.f, first.form.outs = first.f, []nereid.DType{dt}
	first.form.parts, first.form.inPlace = true, false
	rows := count(x.rows.sizes)
	first.rows = x.rows.with(1, scaled(contiguous(x.rows.sizes), parts))
	first.form.uses[1] = walked(first.rows.strides[1], first.cols.strides[1])
	second := &fusion{f: x.f.rest(r), c: x.c, outs: x.outs}
	second.rows = x.rows.with(0, scaled(contiguous(x.rows.sizes), parts))
	second.cols = space{sizes: []int{parts}, strides: [][]int{{1}, {0}}}
	second.size = count(x.cols.sizes)
	second.form = form{f: second.f, inputs: []nereid.DType{dt}, numbers: []*number{nil}, outs: x.form.outs,
		rows: len(second.rows.sizes), cols: 1, wide: x.form.wide}
	for i := range 2 {
		second.form.uses = append(second.form.uses, walked(second.rows.strides[i], second.cols.strides[i]))
	}
	if second.form.ty, err = infer(second.f.roots, second.form.inputs, second.form.numbers); err != nil {
		return nil, nil, err
	}
	second.form.loop = second.tile().loop
	// The second kernel may begin before the end of the first, and waits for that, not for its own launch.
	first.form.leads, second.form.follows = x.c.s.overlap, x.c.s.overlap
	for _, s := range []*fusion{&first, second} {
		k, err := x.c.s.lib.generated(s.f.kernelName(), s.form.text())
		if err != nil {
			return nil, nil, err
		}
		steps = append(steps, s.step(k))
	}
	steps[0].slots[1].operand = x.c.n + 1
	steps[1].slots[0].operand, steps[1].slots[1].operand = x.c.n+1, x.c.n
	return steps, []result{{dt, []int{rows, parts}}}, nil
}

// walked reports which dimensions have a stride.
func walked(rows, cols []int) (use []bool) {
	for _, n := range slices.Concat(rows, cols) {
		use = append(use, n != 0)
	}
	return use
}

// with returns the space with other strides of an operand; a dimension of size 1 has none.
func (s space) with(operand int, strides []int) space {
	out := space{sizes: s.sizes, strides: slices.Clone(s.strides)}
	for d, n := range s.sizes {
		if n == 1 {
			strides[d] = 0
		}
	}
	out.strides[operand] = strides
	return out
}

func scaled(list []int, by int) []int {
	for i := range list {
		list[i] *= by
	}
	return list
}

// part returns the op that is a reduction of f alone, rest the op that follows it: the same reduction of its
// results, and what f does with it.
func (f *Fused) part(r *node) *Fused { return newFused(f.name+"Part", f.params, r) }

func (f *Fused) rest(r *node) *Fused {
	again := &node{fn: r.fn, args: []*node{{input: 0}}}
	return newFused(f.name+"Rest", f.params, replaced(f.roots[0], r, again))
}

// replaced returns a formula with a node in place of another.
func replaced(n, old, by *node) *node {
	if n == old {
		return by
	}
	c := *n
	c.args = nil
	for _, a := range n.args {
		c.args = append(c.args, replaced(a, old, by))
	}
	return &c
}
