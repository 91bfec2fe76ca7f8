package ttng

import (
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
)

func typesOf(vs []*ir.Value) []ir.Type {
	ts := make([]ir.Type, len(vs))
	for i, v := range vs {
		ts[i] = v.Type
	}
	return ts
}

func printDotWait(p *ir.Printer, op *ir.Op) {
	p.Text(" ")
	p.Values(op.Operands())
	p.AttrDict(op)
	p.Text(" : ")
	p.Types(typesOf(op.Operands()))
}

func parseDotWait(p *ir.Parser, s *ir.State) bool {
	operands, ok := p.Operands()
	if !ok || !p.AttrDict(s) || !p.Literal(":") {
		return false
	}
	types, ok := p.Types()
	s.Results = append(s.Results, types...)
	return ok && p.ResolveAll(s, operands, types)
}

// printToken writes the token of an op that has one as a result, `[%dep]` or `[]`.
func printToken(p *ir.Printer, dep *ir.Value, hasToken bool) {
	if !hasToken {
		return
	}
	p.Text("[")
	if dep != nil {
		p.Value(dep)
	}
	p.Text("]")
}

// parsed is what the token ops read before their types.
type parsed struct {
	p        *ir.Parser
	operands []ir.Operand
	types    []ir.Type
	segments []int
	hasToken bool
}

// one reads an operand; its type is t, or comes later when that is nil.
func (r *parsed) one(t ir.Type) bool {
	o, ok := r.p.Operand()
	r.operands, r.types, r.segments = append(r.operands, o), append(r.types, t), append(r.segments, 1)
	return ok
}

// token reads an optional [%dep].
func (r *parsed) token() bool {
	r.segments = append(r.segments, 0)
	if r.hasToken = r.p.Try("["); !r.hasToken {
		return true
	}
	if o, ok := r.p.TryOperand(); ok {
		r.operands, r.types = append(r.operands, o), append(r.types, ttg.Token)
		r.segments[len(r.segments)-1] = 1
	}
	return r.p.Literal("]")
}

// barriers reads `, %barrier[%pred]` any number of times.
func (r *parsed) barriers() bool {
	var preds []ir.Operand
	n := 0
	for r.p.Try(",") {
		b, ok := r.p.Operand()
		if !ok || !r.p.Literal("[") {
			return false
		}
		c, ok := r.p.Operand()
		if !ok || !r.p.Literal("]") {
			return false
		}
		r.operands, r.types, preds = append(r.operands, b), append(r.types, nil), append(preds, c)
		n++
	}
	r.segments = append(r.segments, n, n)
	for _, c := range preds {
		r.operands, r.types = append(r.operands, c), append(r.types, ir.I1)
	}
	return true
}

// readTypes reads a comma-separated type for each operand that lacks one.
func (r *parsed) readTypes() bool {
	first := true
	for i, t := range r.types {
		if t != nil {
			continue
		}
		if !first && !r.p.Literal(",") {
			return false
		}
		first = false
		var ok bool
		if r.types[i], ok = r.p.Type(); !ok {
			return false
		}
	}
	return true
}

// finish resolves the operands and gives the op its token.
func (r *parsed) finish(s *ir.State) bool {
	if r.hasToken {
		s.Results = append(s.Results, ttg.Token)
	}
	if s.Def.Has(ir.SegmentedOperands) {
		s.Segments = r.segments
	}
	return r.p.ResolveAll(s, r.operands, r.types)
}

// printArrow writes the types of an access, ` : from -> to`.
func printArrow(p *ir.Printer, op *ir.Op, from, to ir.Type) {
	p.AttrDict(op)
	p.Text(" : ")
	p.Type(from)
	p.Text(" -> ")
	p.Type(to)
}

func printTMEMLoad(p *ir.Printer, op *ir.Op) {
	p.Text(" ")
	p.Value(op.Operand(0))
	printToken(p, op.Slot(1), op.NumResults() > 1)
	printArrow(p, op, op.Operand(0).Type, op.Result(0).Type)
}

func parseTMEMLoad(p *ir.Parser, s *ir.State) bool {
	r := &parsed{p: p}
	if !r.one(nil) || !r.token() || !p.AttrDict(s) || !p.Literal(":") {
		return false
	}
	var ok bool
	if r.types[0], ok = p.Type(); !ok || !p.Literal("->") {
		return false
	}
	t, ok := p.Type()
	s.Results = append(s.Results, t)
	return ok && r.finish(s)
}

func printTMEMStore(p *ir.Printer, op *ir.Op) {
	p.Text(" ")
	p.Value(op.Slot(2))
	p.Text(", ")
	p.Value(op.Slot(0))
	printToken(p, op.Slot(1), op.NumResults() > 0)
	p.Text(", ")
	p.Value(op.Slot(3))
	printArrow(p, op, op.Slot(2).Type, op.Slot(0).Type)
}

func parseTMEMStore(p *ir.Parser, s *ir.State) bool {
	src, ok := p.Operand()
	r := &parsed{p: p}
	if !ok || !p.Literal(",") || !r.one(nil) || !r.token() || !p.Literal(",") {
		return false
	}
	pred, ok := p.Operand()
	if !ok || !p.AttrDict(s) || !p.Literal(":") {
		return false
	}
	from, ok := p.Type()
	if !ok || !p.Literal("->") {
		return false
	}
	if r.types[0], ok = p.Type(); !ok {
		return false
	}
	r.operands, r.types = append(r.operands, src, pred), append(r.types, from, ir.I1)
	return r.finish(s)
}

// printSlots writes the operands of some slots, comma-separated.
func printSlots(p *ir.Printer, op *ir.Op, slots ...int) {
	for i, slot := range slots {
		if i > 0 {
			p.Text(", ")
		}
		p.Value(op.Slot(slot))
	}
}

func printBarriers(p *ir.Printer, barriers, preds []*ir.Value) {
	for i, b := range barriers {
		p.Text(", ")
		p.Value(b)
		p.Text("[")
		p.Value(preds[i])
		p.Text("]")
	}
}

func printSlotTypes(p *ir.Printer, op *ir.Op, slots ...int) {
	p.Text(" : ")
	first := true
	for _, slot := range slots {
		for _, v := range op.Group(slot) {
			if !first {
				p.Text(", ")
			}
			first = false
			p.Type(v.Type)
		}
	}
}

func printMMA(p *ir.Printer, op *ir.Op) {
	p.Text(" ")
	printSlots(p, op, 0, 1, 2)
	printToken(p, op.Slot(3), op.NumResults() > 0)
	p.Text(", ")
	printSlots(p, op, 4, 5)
	printBarriers(p, op.Group(6), op.Group(7))
	p.AttrDict(op)
	printSlotTypes(p, op, 0, 1, 2, 6)
}

func parseMMA(p *ir.Parser, s *ir.State) bool {
	r := &parsed{p: p}
	return r.one(nil) && p.Literal(",") && r.one(nil) && p.Literal(",") && r.one(nil) && r.token() &&
		p.Literal(",") &&
		r.one(ir.I1) && p.Literal(",") && r.one(ir.I1) && r.barriers() && p.AttrDict(s) && p.Literal(":") &&
		r.readTypes() && r.finish(s)
}

func printMMAScaled(p *ir.Printer, op *ir.Op) {
	p.Text(" ")
	printSlots(p, op, 0, 1, 2)
	printToken(p, op.Slot(3), op.NumResults() > 0)
	p.Text(", ")
	printSlots(p, op, 4, 5, 6, 7)
	for i, name := range []string{"a_type", "b_type"} {
		word, _ := op.Def.AttrSlot(name).Kind.Enum.Word(op.IntOr(name, 0))
		p.Text([]string{" lhs = ", " rhs = "}[i] + word)
	}
	printBarriers(p, op.Group(8), op.Group(9))
	p.AttrDict(op, "a_type", "b_type")
	printSlotTypes(p, op, 0, 1, 2, 4, 5, 8)
}

func parseMMAScaled(p *ir.Parser, s *ir.State) bool {
	r := &parsed{p: p}
	return r.one(nil) && p.Literal(",") && r.one(nil) && p.Literal(",") && r.one(nil) && r.token() &&
		p.Literal(",") &&
		r.one(nil) && p.Literal(",") && r.one(nil) && p.Literal(",") && r.one(ir.I1) && p.Literal(",") &&
		r.one(ir.I1) &&
		parseElem(p, s, "lhs", "a_type") && parseElem(p, s, "rhs", "b_type") &&
		r.barriers() && p.AttrDict(s) && p.Literal(":") && r.readTypes() && r.finish(s)
}

func parseElem(p *ir.Parser, s *ir.State, word, name string) bool {
	if !p.Literal(word) || !p.Literal("=") {
		return false
	}
	pos := p.Pos()
	elem, ok := p.Keyword()
	if !ok {
		return false
	}
	v, ok := s.Def.AttrSlot(name).Kind.Enum.Value(elem)
	if !ok {
		return p.Errorf(pos, "no element format is called %s", elem)
	}
	s.Attrs = append(s.Attrs, ir.A(name, ir.I32Attr(v)))
	return true
}
