package gomlx

import (
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid"
	"github.com/pkg/errors"
)

// mapLaunch is the launch of a kernel that computes a node element by element.
type mapLaunch struct {
	launch
	elsewhere map[int]bool // blocks that it reads elsewhere than where it writes
}

// tileElements is how many elements a program computes.
func (b *Backend) tileElements() int {
	if b.gpu {
		return 1024
	}
	return 4096
}

// lowerMap makes the kernel of a node and of all that it computes on the way.
func (l *lowering) lowerMap(n *node) error {
	if n.shape.DType.Bits() < 8 {
		return l.lowerPacked(n)
	}
	dims := n.shape.Dimensions
	size := n.shape.Size()
	k := l.flatText(n)
	inner := 1
	if len(dims) > 0 {
		inner = dims[len(dims)-1]
	}
	if k.splits == 0 || inner < 16 {
		return l.finishMap(n, k, source(kernelName(k, n), k, 1, "n", "C: tl.constexpr"),
			func(c int) (nereid.Grid, []any) { return nereid.Grid{nereid.Cdiv(size, c)}, []any{size, c} },
			min(l.b.tileElements(), max(16, pow2(size))))
	}
	k = l.rowsText(n, inner)
	c := min(pow2(inner), l.b.tileElements())
	r := max(1, min(pow2(size/inner), l.b.tileElements()/c))
	return l.finishMap(n, k, source(kernelName(k, n), k, 1, "R: tl.constexpr", "C: tl.constexpr"),
		func(int) (nereid.Grid, []any) {
			return nereid.Grid{nereid.Cdiv(size/inner, r), nereid.Cdiv(inner, c)}, []any{r, c}
		}, 0)
}

func (l *lowering) finishMap(n *node, k *kernelText, text string, launching func(c int) (nereid.Grid,
	[]any), c int) error {
	name := kernelName(k, n)
	kernel, err := l.b.kernels.kernel(name, text)
	if err != nil {
		return errors.Wrapf(err, "%s", text)
	}
	out := l.newSlot(tempBlock, n.shape)
	l.slotOf[n] = out
	m := &mapLaunch{elsewhere: map[int]bool{}}
	for _, x := range k.leaves {
		s := l.slotOf[x]
		m.slots = append(m.slots, s)
		if k.shared[x] || x.shape.DType.Bits() != n.shape.DType.Bits() {
			m.elsewhere[l.slots[s].block] = true
		}
	}
	m.slots = append(m.slots, out)
	grid, rest := launching(c)
	m.kernel, m.grid, m.text = kernel, grid, text
	m.args = append(make([]any, len(m.slots)), rest...)
	l.step(m, m.slots...)
	return nil
}

// reads returns the test by which a kernel of a node tells what is in memory.
func (l *lowering) reads(root *node) func(*node) bool {
	return func(n *node) bool { return n != root && l.inMemory[n] }
}

// flatText writes the kernel in which an element's index is its place in the order of all.
func (l *lowering) flatText(n *node) *kernelText {
	k := newKernelText(l.reads(n))
	k.wide = l.wide(n)
	wide := ""
	if k.wide {
		wide = ".to(tl.int64)"
	}
	k.line("i = tl.program_id(0)%s * C + tl.arange(0, C)", wide)
	k.line("inside = i < n")
	k.colIn = expr{"inside", false, true}
	k.home = "i"
	v := k.eval(n, index{flat: expr{"i", false, true}})
	k.line("tl.store(out0 + i, %s, mask=inside)", storedText(v, n.shape.DType))
	for i, s := range k.lines {
		k.lines[i] = strings.ReplaceAll(s, "+ col * 0", "+ i * 0")
	}
	return k
}

// rowsText writes the kernel in tiles of rows, the last axis being the columns.
func (l *lowering) rowsText(n *node, inner int) *kernelText {
	dims := n.shape.Dimensions
	rows := n.shape.Size() / inner
	k := newKernelText(l.reads(n))
	k.wide = l.wide(n)
	k.tile(rows, inner, "tl.program_id(1) * C + ")
	ix := index{lazy: func() []expr {
		return append(k.split(expr{"row", true, false}, dims[:len(dims)-1]), expr{"col", false, true})
	}}
	ix.flat = k.add(k.mul(expr{"row", true, false}, inner), expr{"col", false, true})
	k.home = ix.flat.s
	v := k.eval(n, ix)
	k.line("tl.store(out0 + %s, %s, mask=row_in & col_in)", ix.flat.s, storedText(v, n.shape.DType))
	return k
}

// tile writes the rows and columns of a tile.
func (k *kernelText) tile(rows, cols int, first string) {
	wide := ""
	if k.wide {
		wide = ".to(tl.int64)"
	}
	k.line("row = (tl.program_id(0)%s * R + tl.arange(0, R))[:, None]", wide)
	k.line("row_in = row < %d", rows)
	k.rowIn = expr{"row_in", true, false}
	if first != "" {
		k.columns(cols, first)
	}
}

func (k *kernelText) columns(cols int, first string) {
	k.line("col = (%stl.arange(0, C))[None, :]", first)
	k.line("col_in = col < %d", cols)
	k.colIn = expr{"col_in", false, true}
}

// wide reports whether indices of a kernel need 64 bits.
func (l *lowering) wide(n *node) bool {
	if n.shape.Size() > 1<<31-1<<13 {
		return true
	}
	for _, in := range n.inputs {
		if in.shape.Size() > 1<<31-1<<13 || !l.inMemory[in] && l.wide(in) {
			return true
		}
	}
	return false
}

// kernelName returns a name that tells what a kernel computes.
func kernelName(k *kernelText, n *node) string {
	name := strings.ToLower(opName(n))
	if k.nodes > 1 {
		name += fmt.Sprintf("_of_%d", k.nodes)
	}
	return name
}

// lowerPacked makes the kernel of a node whose elements have less than a byte: an element of the result
// is a byte, with several of them.
func (l *lowering) lowerPacked(n *node) error {
	bits := n.shape.DType.Bits()
	per, size := 8/bits, n.shape.Size()
	k := newKernelText(l.reads(n))
	k.line("i = tl.program_id(0) * C + tl.arange(0, C)")
	k.line("inside = i < n")
	k.colIn = expr{"inside", false, true}
	k.line("byte = tl.full([C], 0, tl.uint8)")
	for j := range per {
		at := k.add(k.mul(expr{"i", false, true}, per), number(j))
		mask := expr{}
		if size%per != 0 {
			mask = k.let(expr{fmt.Sprintf("%s < %d", at.s, size), false, true})
		}
		v := k.eval(n, index{flat: at, mask: mask})
		part := fmt.Sprintf("((%s.to(tl.uint8) & %d) << %d)", v.s, 1<<bits-1, j*bits)
		if mask.s != "" {
			part = fmt.Sprintf("tl.where(%s, %s, 0).to(tl.uint8)", mask.s, part)
		}
		k.line("byte = byte | %s", part)
	}
	k.line("tl.store(out0 + i, byte, mask=inside)")
	bytes := bytesOf(n.shape.DType, size)
	for x := range k.leaves {
		k.shared[k.leaves[x]] = true
	}
	return l.finishMap(n, k, source(kernelName(k, n), k, 1, "n", "C: tl.constexpr"),
		func(c int) (nereid.Grid, []any) { return nereid.Grid{nereid.Cdiv(bytes, c)}, []any{bytes, c} },
		min(l.b.tileElements(), max(16, pow2(bytes))))
}
