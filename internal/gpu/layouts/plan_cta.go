package layouts

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
	"github.com/nereid-lang/nereid/internal/pass"
)

// PlanCTA decides how the blocks of a cluster share products and reductions, so that little data moves
// between blocks. It does nothing for programs of one block.
//
// Each block computes a tile of a product's result and needs the rows or columns of the operands that belong
// to the tile. Loads of operands get a layout in which each block loads its own rows or columns, even if
// another block loads the same; stores of the result get the tiles. A reduction along a dimension that blocks
// share gets a layout in which they share another, if the data can be loaded that way.
//
//	#blocked is blocked<CGALayout = [[1, 0]]>, #all has [[0, 0]], #tile has [[0, 1]]
//
//	%a = tt.load %p : #blocked                          %p1 = ttg.convert_layout %p : #blocked -> #all
//	%x = ttg.convert_layout %a : … -> #dot_op<0>   =>   %a = tt.load %p1 : #all
//	%d = tt.dot %x, %y, %c : #blocked                   %d = tt.dot %x1, %y1, %c1 : #tile
//
// tritongpu-remove-layout-conversions removes the conversions that it leaves.
var PlanCTA = pass.Pass{
	Name: "triton-nvidia-gpu-plan-cta",
	Doc:  "decide how the blocks of a cluster share the work",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		mach := ttgir.ThreadsOf(m.Op)
		if mach.NumCTAs <= 1 {
			return nil
		}
		p := &planner{Threads: mach, wishes: map[*ir.Op][][]int64{}, odds: map[*ir.Op]bool{}}
		dots := ttgir.OpsOf(m.Op, tt.Dot)
		p.rows = p.differ(dots)
		for _, op := range dots {
			ctx.At(op)
			p.dot(op)
		}
		for _, op := range ttgir.OpsOf(m.Op, tt.Reduce) {
			ctx.At(op)
			p.reduce(op)
		}
		for _, op := range ttgir.OpsOf(m.Op, tt.Store) {
			ctx.At(op)
			if d := productOf(op.Operand(1), map[*ir.Value]bool{}); d != nil {
				p.want(op, ttgir.CgaOf(d.Encoding))
			}
		}
		p.grant()
		return nil
	},
}

// planner collects how loads and stores should be shared.
type planner struct {
	ttgir.Threads
	ops    []*ir.Op // loads and stores that have an entry in wishes, in program order
	wishes map[*ir.Op][][]int64
	odds   map[*ir.Op]bool // accesses whose users want different shares
	rows   bool            // share products by rows only
}

// differ reports whether products would have different tiles but can all be shared by rows: then data that
// passes from one to the next stays in its block.
func (p *planner) differ(dots []*ir.Op) bool {
	var first [][]int64
	differ := false
	for i, op := range dots {
		shape := ttgir.TensorOf(op.Result(0)).Shape
		if shape[len(shape)-2] < 16*p.NumCTAs || len(shape) != 2 {
			return false
		}
		cga := p.tiles(shape)
		if i == 0 {
			first = cga
		}
		differ = differ || !sameShares(first, cga)
	}
	return differ
}

func sameShares(a, b [][]int64) bool {
	return slices.EqualFunc(a, b, func(x, y []int64) bool { return slices.Equal(x, y) })
}

// dot gives a product its tiles.
func (p *planner) dot(op *ir.Op) {
	t := ttgir.TensorOf(op.Result(0))
	old, ok := ttg.As[ttg.Blocked](t.Encoding)
	if !ok {
		return
	}
	cga := p.tiles(t.Shape)
	enc := p.Blocked(t.Shape, old.SizePerThread, old.Order, cga).Attr()
	k := []int{t.Rank() - 1, t.Rank() - 2} // the dimension of each operand that is summed over
	for i := range 2 {
		p.wish(op.Operand(i), without(cga, k[i]))
		Operand(op, i, DotOperand(i, enc, 0))
	}
	Operand(op, 2, enc)
	ttgir.SetResults(op, enc)
}

// tiles returns how the blocks of a cluster divide a product's result: batches first, then rows as long as
// each block has 128 or 64, then columns as long as there are 64. Small products are split into 16 rows,
// which an instruction takes, then into columns.
func (p *planner) tiles(shape []int64) [][]int64 {
	rank := len(shape)
	split := slices.Repeat([]int64{1}, rank)
	left := p.NumCTAs
	if rank > 2 {
		split[0] = ttgir.Clamp(shape[0], 1, left)
		left /= split[0]
	}
	rows, cols := shape[rank-2], shape[rank-1]
	m, n := int64(0), int64(0)
	for chunk := int64(128); chunk >= 64; chunk /= 2 {
		m = ttgir.Clamp(rows/chunk, 1, left)
		if n = left / m; cols/n >= 64 {
			break
		}
	}
	if cols/n < 64 || p.rows {
		m = ttgir.Clamp(rows/16, 1, left)
		n = ttgir.Clamp(cols/16, 1, left/m)
	}
	split[rank-2], split[rank-1] = m, n
	return p.shares(split)
}

// shares returns the bases of a split, the last dimension first. Blocks that are left over hold copies.
func (p *planner) shares(split []int64) [][]int64 {
	var out [][]int64
	for d := len(split) - 1; d >= 0; d-- {
		for n := int64(1); n < split[d]; n *= 2 {
			v := make([]int64, len(split))
			v[d] = n
			out = append(out, v)
		}
	}
	for len(out) < ttgir.Log2(p.NumCTAs) {
		out = append(out, make([]int64, len(split)))
	}
	return out
}

// without returns cga without a split of dimension dim.
func without(cga [][]int64, dim int) [][]int64 {
	out := make([][]int64, len(cga))
	for i, v := range cga {
		out[i] = slices.Clone(v)
		out[i][dim] = 0
	}
	return out
}

// reduce makes blocks share other dimensions than the reduced one if those are large enough and the operands
// come straight from memory. Otherwise the blocks exchange their partial results, which are small.
func (p *planner) reduce(op *ir.Op) {
	t, axis := ttgir.TensorOf(op.Operand(0)), int(op.IntOr("axis", 0))
	old, ok := ttg.As[ttg.Blocked](t.Encoding)
	if !ok || !splits(old.CGALayout, axis) {
		return
	}
	split, left := slices.Repeat([]int64{1}, t.Rank()), p.NumCTAs
	for _, d := range slices.Backward(old.Order) {
		if int(d) != axis {
			split[d] = ttgir.Clamp(t.Shape[d]/old.SizePerThread[d], 1, left)
			left /= split[d]
		}
	}
	loaded := ir.Once(fromLoads)
	if left > 1 || slices.ContainsFunc(op.Operands(), func(v *ir.Value) bool { return !loaded(v) }) {
		return
	}
	cga := p.shares(split)
	enc := p.Blocked(t.Shape, old.SizePerThread, old.Order, cga).Attr()
	for i, v := range op.Operands() {
		p.wish(v, cga)
		Operand(op, i, enc)
	}
	ttgir.SetResults(op, ttg.Slice{Dim: int64(axis), Parent: enc}.Attr())
}

// fromLoads reports whether v is computed elementwise from loads, constants and scalars alone; loaded says so
// of its operands.
func fromLoads(v *ir.Value, loaded func(*ir.Value) bool) bool {
	op := v.Def()
	if op == nil {
		return false
	}
	switch op.Def {
	case tt.Load, tt.Splat, tt.MakeRange, tt.Broadcast, tt.ExpandDims:
		return true
	case ttg.ConvertLayout:
		return loaded(op.Operand(0))
	}
	if op.NumOperands() == 0 {
		return true
	}
	return op.Def.Has(ir.Elementwise) && op.IsPure() && !slices.ContainsFunc(op.Operands(),
		func(o *ir.Value) bool {
			return ttgir.TensorOf(o) != nil && !loaded(o)
		})
}

// wish requests a share for the loads from which v is computed elementwise.
func (p *planner) wish(v *ir.Value, cga [][]int64) {
	p.wishOnce(v, cga, map[string]bool{})
}

// wishOnce is wish without the values that were visited for the same share.
func (p *planner) wishOnce(v *ir.Value, cga [][]int64, seen map[string]bool) {
	key := fmt.Sprintf("%p %v", v, cga)
	if seen[key] {
		return
	}
	seen[key] = true
	op := v.Def()
	switch {
	case op == nil:
	case op.Def == tt.Load:
		p.want(op, cga)
	case op.Def.Has(ir.Permutes):
		order := op.Attr("order").(*ir.DenseArrayAttr).Values
		back := make([][]int64, len(cga))
		for i, b := range cga {
			back[i] = make([]int64, len(b))
			for k, d := range order {
				back[i][d] = b[k]
			}
		}
		p.wishOnce(op.Operand(0), back, seen)
	case op.Def == ttg.ConvertLayout || op.Def.Has(ir.Elementwise) && op.IsPure():
		for _, o := range op.Operands() {
			if ttgir.TensorOf(o) != nil {
				p.wishOnce(o, cga, seen)
			}
		}
	}
}

// productOf returns the type of a product from which v is computed elementwise, also through loops, or nil.
func productOf(v *ir.Value, seen map[*ir.Value]bool) *ir.TensorType {
	if ttgir.TensorOf(v) == nil || seen[v] {
		return nil
	}
	seen[v] = true
	op := v.Def()
	if op == nil {
		return nil
	}
	var from []*ir.Value
	switch {
	case op.Def == tt.Dot:
		return ttgir.TensorOf(v)
	case op.Def == scf.For:
		i := slices.Index(op.Results(), v)
		from = []*ir.Value{op.Body(0).Terminator().Operand(i)}
	case op.Def == ttg.ConvertLayout || op.Def.Has(ir.Elementwise):
		from = op.Operands()
	}
	for _, o := range from {
		if d := productOf(o, seen); d != nil && slices.Equal(d.Shape, ttgir.TensorOf(v).Shape) {
			return d
		}
	}
	return nil
}

// want records the share that an access to memory should have.
func (p *planner) want(op *ir.Op, cga [][]int64) {
	have, ok := p.wishes[op]
	if !ok {
		p.ops = append(p.ops, op)
		p.wishes[op] = cga
		return
	}
	if !sameShares(have, cga) {
		p.odds[op] = true
	}
}

// grant gives accesses to memory the shares on which all users agree.
func (p *planner) grant() {
	for _, op := range p.ops {
		t, cga := ttgir.TensorOf(op.Operand(0)), p.wishes[op]
		if t == nil {
			continue
		}
		old, ok := ttg.As[ttg.Blocked](t.Encoding)
		if !ok || p.odds[op] || len(cga) == 0 || len(cga[0]) != t.Rank() {
			continue
		}
		enc := p.Blocked(t.Shape, old.SizePerThread, old.Order, cga).Attr()
		if ttglayout.Equivalent(enc, t.Encoding, t.Shape) {
			continue
		}
		for i, o := range op.Operands() {
			if ttgir.TensorOf(o) != nil {
				Operand(op, i, enc)
			}
		}
		ttgir.SetResults(op, enc)
	}
}
