package ttg

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/nereid-lang/nereid/internal/ir"
)

// identityBases are the basis vectors that count through a shape, the dimensions in the given order.
func identityBases(shape, order []int64) [][]int64 {
	var out [][]int64
	for _, d := range order {
		for bit := int64(1); bit < shape[d]; bit *= 2 {
			v := make([]int64, len(shape))
			v[d] = bit
			out = append(out, v)
		}
	}
	return out
}

// Shape is the size of the tensor that the layout maps to.
func (l Padded) Shape() []int64 {
	shape := slices.Repeat([]int64{1}, l.Rank())
	for _, v := range slices.Concat(l.Offset, l.Block) {
		for d, x := range v {
			if x > 0 {
				shape[d] = max(shape[d], 1<<bits.Len64(uint64(x)))
			}
		}
	}
	return shape
}

// Order lists the dimensions from the fastest; those that the offset does not move come last.
func (l Padded) Order() []int64 {
	var order []int64
	add := func(d int64) {
		if !slices.Contains(order, d) {
			order = append(order, d)
		}
	}
	for _, v := range l.Offset {
		for d, x := range v {
			if x != 0 {
				add(int64(d))
			}
		}
	}
	for d := l.Rank() - 1; d >= 0; d-- {
		add(int64(d))
	}
	return order
}

// PaddedIdentity is the padded layout that counts through a shape, the dimensions in the given order.
func PaddedIdentity(intervals, paddings, order, shape []int64) Padded {
	return Padded{Intervals: intervals, Paddings: paddings, Dims: int64(len(shape)),
		Offset: identityBases(shape, order)}
}

func (l Padded) print(d *dict) {
	shape, order := l.Shape(), l.Order()
	if len(l.Block) == 0 && slices.EqualFunc(l.Offset, identityBases(shape, order), slices.Equal) {
		d.ints("order", order)
		d.ints("shape", shape)
		return
	}
	d.bases("offset", l.Offset)
	d.bases("block", l.Block)
}

func printPadded(p *ir.Printer, a *ir.DialectAttr) {
	l := Decode(a).(Padded)
	p.Text("<[")
	for i, n := range l.Intervals {
		if i > 0 {
			p.Text(", ")
		}
		p.Textf("%d:+%d", n, l.Paddings[i])
	}
	p.Text("] {")
	l.print(&dict{p: p})
	p.Text("}>")
}

func parsePadded(p *ir.Parser) (ir.Attr, bool) {
	if !p.Literal("<") {
		return nil, false
	}
	var l Padded
	ok := p.List("[", "]", func() bool {
		n, ok := p.Int()
		if !ok || !p.Literal(":") || !p.Literal("+") {
			return false
		}
		pad, ok := p.Int()
		l.Intervals, l.Paddings = append(l.Intervals, n), append(l.Paddings, pad)
		return ok
	})
	if !ok {
		return nil, false
	}
	f, ok := readDict(p)
	if !ok || !p.Literal(">") {
		return nil, false
	}
	if f.has("offset") || f.has("block") {
		l.Offset, l.Block = f.bases("offset", false), f.bases("block", false)
		l.Dims = int64(basisRank(l.Offset, l.Block))
		return f.finish(l)
	}
	order, shape := f.ints("order"), f.ints("shape")
	if err := checkPaddedShape(order, shape); err != nil {
		f.fail("%s", err)
		return f.finish(l)
	}
	return f.finish(PaddedIdentity(l.Intervals, l.Paddings, order, shape))
}

func checkPaddedShape(order, shape []int64) error {
	if len(order) != len(shape) {
		return fmt.Errorf("shape %v and order %v of a padded layout have different lengths", shape, order)
	}
	if err := permutation(order); err != nil {
		return err
	}
	return powersOfTwo(shape)
}

func (l SharedLinear) print(d *dict) {
	d.bases("offset", l.Offset)
	if len(l.Block) > 0 {
		d.bases("block", l.Block)
	}
}

func printSharedLinear(p *ir.Printer, a *ir.DialectAttr) {
	l := Decode(a).(SharedLinear)
	p.Text("<{")
	l.print(&dict{p: p})
	p.Textf("}, alignment = %d>", l.Alignment)
}

func parseSharedLinear(p *ir.Parser) (ir.Attr, bool) {
	f, ok := readFields(p)
	if !ok || !p.Literal(",") || !p.Literal("alignment") || !p.Literal("=") {
		return nil, false
	}
	align, ok := p.Int()
	if !ok || !p.Literal(">") {
		return nil, false
	}
	return f.finish(SharedLinear{f.bases("offset", false), f.bases("block", true), align})
}
