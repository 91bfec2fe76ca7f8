package ops

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid"
)

// identityText returns the neutral value of a reduction in a type, as Python writes it.
func identityText(id identity, dt nereid.DType) string {
	switch {
	case id == zeroIdentity:
		return "0"
	case id == oneIdentity:
		return "1"
	case dt.IsFloat() && id == lowest:
		return "float(\"-inf\")"
	case dt.IsFloat():
		return "float(\"inf\")"
	}
	bits := 8 * dt.Size()
	switch {
	case id == lowest && signed(dt):
		return fmt.Sprintf("-%d", uint64(1)<<(bits-1))
	case id == lowest:
		return "0"
	case signed(dt):
		return fmt.Sprintf("%d", uint64(1)<<(bits-1)-1)
	}
	return fmt.Sprintf("%d", ^uint64(0)>>(64-bits))
}

// reducedType returns the type in which a reduction combines.
func (w *writer) reducedType(n *node) nereid.DType {
	operand, _, _ := n.types(w.ty.common(n, w.numbers))
	return computed(operand)
}

// filled returns the text of a reduction's operand with the identity outside of the tensor.
func (w *writer) filled(n *node) string {
	dt := w.reducedType(n)
	return fmt.Sprintf("tl.where(inside, %s, tl.full([], %s, %s))", w.as(n.args[0], dt),
		identityText(n.fn.identity, dt), tlNames[dt])
}

// reduced returns the text of a reduction of one tile.
func (w *writer) reduced(n *node) string {
	x := w.filled(n)
	if n.fn.index {
		return fmt.Sprintf("tl.reduce((%s, tl.broadcast_to(col[None, :], [R, C])), 1, functions.%s, "+
			"keep_dims=True)[1].to(tl.int64)", x, n.fn.text)
	}
	return fmt.Sprintf("tl.reduce(%s, 1, functions.%s, keep_dims=True)", x, n.fn.text)
}

// passes writes loops over the tiles of rows: for reductions of tensors, for reductions of values that need
// their results, and so on, and then for outputs.
func (w *writer) passes() {
	list := reductions(w.f.roots)
	for _, n := range list {
		n.depth(w.depths)
	}
	for depth := 1; ; depth++ {
		var level []*node
		for _, n := range list {
			if w.depths[n] == depth {
				level = append(level, n)
			}
		}
		if level == nil {
			break
		}
		w.reduceLevel(level)
	}
	for i, root := range w.f.roots {
		if !slices.Contains(w.uses[len(w.inputs)+i][w.rows:], true) {
			w.rowValues(root)
			w.store(i, root)
		}
	}
	w.storePass()
}

// reduceLevel writes a loop that computes some reductions of equal depth.
func (w *writer) reduceLevel(level []*node) {
	for _, n := range level {
		w.rowValues(n.args[0])
		dt := w.reducedType(n)
		w.line("acc%d = tl.full([R, C], %s, %s)", w.position(n), identityText(n.fn.identity, dt), tlNames[dt])
		if n.fn.index {
			w.line("at%d = tl.full([R, C], 0, tl.int64)", w.position(n))
		}
	}
	w.loopOver(func() {
		for _, n := range level {
			w.accumulate(n)
		}
	})
	for _, n := range level {
		i := w.position(n)
		if n.fn.index {
			w.keep(n, fmt.Sprintf("tl.reduce((acc%d, at%d), 1, functions.%s, keep_dims=True)[1]", i, i,
				n.fn.text))
		} else {
			w.keep(n, fmt.Sprintf("tl.reduce(acc%d, 1, functions.%s, keep_dims=True)", i, n.fn.text))
		}
	}
}

// position returns the place of a reduction among all.
func (w *writer) position(n *node) int { return slices.Index(reductions(w.f.roots), n) }

// accumulate writes the step that takes a tile into the accumulators of a reduction.
func (w *writer) accumulate(n *node) {
	i, x := w.position(n), w.filled(n)
	if n.fn.index {
		w.line("acc%d, at%d = functions.%s(acc%d, at%d, %s, col[None, :].to(tl.int64))", i, i, n.fn.text,
			i, i, x)
		return
	}
	w.line("acc%d = functions.%s(acc%d, %s)", i, n.fn.text, i, x)
}

// loopOver writes a loop over the tiles of the rows. Variables that differ from column to column end with it.
func (w *writer) loopOver(body func()) {
	if w.parts {
		w.line("first = tl.program_id(1) * span")
		w.line("for start in range(first, tl.minimum(first + span, cols), C):")
	} else {
		w.line("for start in range(0, cols, C):")
	}
	w.indent += "    "
	w.columns("start + ")
	body()
	w.indent = w.indent[4:]
	for n := range w.names {
		if w.columnwise(n) {
			delete(w.names, n)
		}
	}
}

// rowValues writes everything below a node that is the same in all columns, so that loops find it done.
func (w *writer) rowValues(n *node) {
	if n.fn != nil && n.fn.reduces {
		return // its own loop computes it
	}
	if !w.columnwise(n) {
		if n.value(w.numbers) == nil {
			w.value(n)
		}
		return
	}
	for _, a := range n.args {
		w.rowValues(a)
	}
}

// storePass writes the loop that stores outputs which differ from column to column.
func (w *writer) storePass() {
	var wide []int
	for i := range w.f.roots {
		if slices.Contains(w.uses[len(w.inputs)+i][w.rows:], true) {
			wide = append(wide, i)
			w.rowValues(w.f.roots[i])
		}
	}
	if wide == nil {
		return
	}
	w.loopOver(func() {
		for _, i := range wide {
			w.store(i, w.f.roots[i])
		}
	})
}
