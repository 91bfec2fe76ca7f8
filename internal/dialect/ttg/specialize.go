package ttg

import (
	"strconv"

	"github.com/nereid-lang/nereid/internal/ir"
)

// Partitions are the regions of a warp_specialize other than the default one, nil when the op is malformed.
func Partitions(op *ir.Op) []*ir.Region {
	if b := op.Body(1); b != nil && b.First() != nil && b.First().Def == WarpSpecializePartitions {
		return b.First().Regions()
	}
	return nil
}

func printWarpSpecialize(p *ir.Printer, op *ir.Op) {
	p.Text("(")
	p.Values(op.Operands())
	p.Text(")")
	p.AttrDictKeyword(op, "partitionNumWarps")
	p.Newline()
	p.Text("default ")
	p.Region(op.Region(0), false, true)
	warps := op.Attr("partitionNumWarps").(*ir.DenseArrayAttr).Values
	for i, r := range Partitions(op) {
		p.Newline()
		p.Textf("partition%d(", i)
		for j, a := range r.First().Args() {
			if j > 0 {
				p.Text(", ")
			}
			p.Arg(a, nil)
		}
		p.Textf(") num_warps(%d) ", warps[i])
		p.Region(r, false, true)
	}
	p.Text(" : ")
	p.FuncType(typesOf(op.Operands()), op.ResultTypes())
}

func typesOf(vs []*ir.Value) []ir.Type {
	ts := make([]ir.Type, len(vs))
	for i, v := range vs {
		ts[i] = v.Type
	}
	return ts
}

func parseWarpSpecialize(p *ir.Parser, s *ir.State) bool {
	if !p.Literal("(") {
		return false
	}
	captures, ok := p.Operands()
	if !ok || !p.Literal(")") || !p.AttrDictKeyword(s) || !p.Literal("default") || !p.Region(s, nil) {
		return false
	}
	parts := ir.State{Def: WarpSpecializePartitions, Loc: s.Loc}
	warps, ok := parsePartitions(p, &parts)
	if !ok || !p.Literal(":") {
		return false
	}
	t, ok := p.FuncType()
	if !ok || !p.ResolveAll(s, captures, t.Ins) {
		return false
	}
	s.Results = append(s.Results, t.Outs...)
	s.Attrs = append(s.Attrs, ir.A("partitionNumWarps", ir.DenseArray(ir.I32, warps...)))
	holder := ir.NewBlock()
	holder.Append(ir.NewOp(parts))
	s.Regions = append(s.Regions, ir.NewRegion(holder))
	return true
}

// parsePartitions reads `partitionN(args) num_warps(n) {…}`, any number of them.
func parsePartitions(p *ir.Parser, parts *ir.State) (warps []int64, ok bool) {
	for p.Try(partitionWord(len(warps))) {
		var args []ir.Arg
		ok := p.List("(", ")", func() bool {
			a, ok := p.Arg(true)
			args = append(args, a)
			return ok
		})
		if !ok || !p.Literal("num_warps") || !p.Literal("(") {
			return nil, false
		}
		n, ok := p.Int()
		if !ok || !p.Literal(")") || !p.Region(parts, args) {
			return nil, false
		}
		warps = append(warps, n)
	}
	return warps, true
}

func partitionWord(i int) string { return "partition" + strconv.Itoa(i) }
