package cf

import (
	"strconv"

	"github.com/nereid-lang/nereid/internal/ir"
)

// printSwitch writes `%flag : i32, [default: ^bb1, 1: ^bb2(%x : f32)]`, a case to a line.
func printSwitch(p *ir.Printer, op *ir.Op) {
	p.Text(" ")
	p.Value(op.Operand(0))
	p.Text(" : ")
	p.Type(op.Operand(0).Type)
	p.Text(", [")
	caseLine(p, "default")
	printTarget(p, op.Successors()[0], op.Group(1))
	for i, c := range Cases(op) {
		p.Text(",")
		caseLine(p, strconv.FormatUint(unsigned(c.Value, op.Operand(0).Type), 10))
		printTarget(p, op.Successors()[1+i], c.Operands)
	}
	if len(op.Successors()) > 1 {
		p.Newline()
	}
	p.Text("]")
	p.AttrDict(op, "case_values", "case_operand_segments", "operandSegmentSizes")
}

// unsigned is a case as MLIR writes it.
func unsigned(v int64, t ir.Type) uint64 {
	if w := ir.BitWidth(t); w < 64 {
		return uint64(v) & (1<<w - 1)
	}
	return uint64(v)
}

func caseLine(p *ir.Printer, label string) {
	p.Newline()
	p.Text("  " + label + ": ")
}

func printTarget(p *ir.Printer, b *ir.Block, args []*ir.Value) {
	p.Block(b)
	if len(args) == 0 {
		return
	}
	p.Text("(")
	p.Values(args)
	p.Text(" : ")
	for i, a := range args {
		if i > 0 {
			p.Text(", ")
		}
		p.Type(a.Type)
	}
	p.Text(")")
}

// Case is one case of a switch.
type Case struct {
	Value    int64
	Block    *ir.Block
	Operands []*ir.Value
}

// Cases are the cases of a switch, without the default.
func Cases(op *ir.Op) []Case {
	values, _ := op.Attr("case_values").(*ir.DenseAttr)
	segs, _ := op.Attr("case_operand_segments").(*ir.DenseArrayAttr)
	operands := op.Group(2)
	blocks := op.Successors()[1:]
	cases := make([]Case, len(blocks))
	for i, b := range blocks {
		cases[i].Block = b
		if values != nil && i < values.Len() {
			cases[i].Value = values.Elem(i).(*ir.IntegerAttr).Value
		}
		if segs != nil && i < len(segs.Values) {
			n := min(max(0, int(segs.Values[i])), len(operands))
			cases[i].Operands, operands = operands[:n], operands[n:]
		}
	}
	return cases
}

func parseSwitch(p *ir.Parser, s *ir.State) bool {
	flag, ok := p.Operand()
	if !ok || !p.Literal(":") {
		return false
	}
	t, ok := p.Type()
	if !ok || !p.Literal(",") || !p.Resolve(s, flag, t) {
		return false
	}
	var values []uint64
	var segs []int64
	n, first := 0, true
	ok = p.List("[", "]", func() bool {
		if first {
			if !p.Literal("default") {
				return false
			}
		} else {
			v, ok := p.Int()
			if !ok {
				return false
			}
			values = append(values, uint64(v))
		}
		before := len(s.Operands)
		if !p.Literal(":") || !parseTarget(p, s) {
			return false
		}
		if first {
			n = len(s.Operands) - before
		} else {
			segs = append(segs, int64(len(s.Operands)-before))
		}
		first = false
		return true
	})
	if !ok {
		return false
	}
	if first {
		return p.Errorf(p.Pos(), "a switch has a default")
	}
	s.Segments = []int{1, n, len(s.Operands) - 1 - n}
	s.Attrs = append(s.Attrs, ir.A("case_operand_segments", ir.DenseArray(ir.I32, segs...)))
	if len(values) > 0 {
		s.Attrs = append(s.Attrs, ir.A("case_values",
			ir.DenseOf(ir.Vector([]int64{int64(len(values))}, nil, t), values)))
	}
	return p.AttrDict(s)
}

func parseTarget(p *ir.Parser, s *ir.State) bool {
	b, ok := p.Block()
	if !ok {
		return false
	}
	s.Successors = append(s.Successors, b)
	if !p.Try("(") {
		return true
	}
	operands, ok := p.Operands()
	if !ok || !p.Literal(":") {
		return false
	}
	types, ok := p.Types()
	return ok && p.ResolveAll(s, operands, types) && p.Literal(")")
}
