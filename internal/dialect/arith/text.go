package arith

import "github.com/nereid-lang/nereid/internal/ir"

// printConstant writes the value with its type, from which the reader knows the result's.
func printConstant(p *ir.Printer, op *ir.Op) {
	p.AttrDict(op, "value")
	p.Text(" ")
	p.Attr(op.Attr("value"))
}

func parseConstant(p *ir.Parser, s *ir.State) bool {
	if !p.AttrDict(s) {
		return false
	}
	pos := p.Pos()
	a, ok := p.Attr(nil)
	if !ok {
		return false
	}
	t := ValueType(a)
	if t == nil {
		return p.Errorf(pos, "a constant's value has a type; %s has none", a)
	}
	s.Attrs = append(s.Attrs, ir.A("value", a))
	s.Results = append(s.Results, t)
	return true
}

// printSelect names the type of the condition only when that is no plain i1.
func printSelect(p *ir.Printer, op *ir.Op) {
	p.Text(" ")
	p.Values(op.Operands())
	p.AttrDict(op)
	p.Text(" : ")
	if cond := op.Operand(0).Type; cond != ir.I1 {
		p.Type(cond)
		p.Text(", ")
	}
	p.Type(op.Result(0).Type)
}

func parseSelect(p *ir.Parser, s *ir.State) bool {
	pos := p.Pos()
	operands, ok := p.Operands()
	if !ok {
		return false
	}
	if len(operands) != 3 {
		return p.Errorf(pos, "expected 3 operands, found %d", len(operands))
	}
	if !p.AttrDict(s) || !p.Literal(":") {
		return false
	}
	var cond ir.Type = ir.I1
	result, ok := p.Type()
	if !ok {
		return false
	}
	if p.Try(",") {
		cond = result
		if result, ok = p.Type(); !ok {
			return false
		}
	}
	s.Results = append(s.Results, result)
	return p.ResolveAll(s, operands, []ir.Type{cond, result, result})
}
