package scf

import "github.com/nereid-lang/nereid/internal/ir"

// printInits writes `(%a = %x, %b = %y)`, or nothing when there is none.
func printInits(p *ir.Printer, keyword string, args, inits []*ir.Value) {
	if len(inits) == 0 {
		return
	}
	p.Text(keyword + "(")
	for i, v := range inits {
		if i > 0 {
			p.Text(", ")
		}
		p.Value(args[i])
		p.Text(" = ")
		p.Value(v)
	}
	p.Text(")")
}

// parseInits reads what printInits writes, after the keyword.
func parseInits(p *ir.Parser) (args []ir.Arg, inits []ir.Operand, ok bool) {
	ok = p.List("(", ")", func() bool {
		a, ok := p.Operand()
		if !ok || !p.Literal("=") {
			return false
		}
		v, ok := p.Operand()
		args, inits = append(args, ir.Arg{Operand: a}), append(inits, v)
		return ok
	})
	return args, inits, ok
}

// printArrow writes ` -> t` or ` -> (t, u)`, or nothing without results.
func printArrow(p *ir.Printer, ts []ir.Type) {
	if len(ts) == 0 {
		return
	}
	_, function := ts[0].(*ir.FunctionType)
	if len(ts) == 1 && !function {
		p.Text(" -> ")
		p.Type(ts[0])
		return
	}
	printArrowList(p, ts)
}

// printArrowList is printArrow with parentheses always.
func printArrowList(p *ir.Printer, ts []ir.Type) {
	if len(ts) == 0 {
		return
	}
	p.Text(" -> (")
	p.Types(ts)
	p.Text(")")
}

// parseArrow reads an optional arrow and types, in parentheses unless there is one.
func parseArrow(p *ir.Parser) ([]ir.Type, bool) {
	if !p.Try("->") {
		return nil, true
	}
	if !p.Peek("(") {
		t, ok := p.Type()
		return []ir.Type{t}, ok
	}
	var ts []ir.Type
	ok := p.List("(", ")", func() bool {
		t, ok := p.Type()
		ts = append(ts, t)
		return ok
	})
	return ts, ok
}

// setTypes gives each argument the type in its place; the counts must agree.
func setTypes(p *ir.Parser, args []ir.Arg, ts []ir.Type) bool {
	if len(args) != len(ts) {
		return p.Errorf(p.Pos(), "mismatch in number of loop-carried values (%d) and defined values (%d)",
			len(args), len(ts))
	}
	for i := range args {
		args[i].Type = ts[i]
	}
	return true
}

func printFor(p *ir.Printer, op *ir.Op) {
	body := op.Body(0)
	if op.HasAttr("unsignedCmp") {
		p.Text(" unsigned")
	}
	p.Text(" ")
	p.Value(body.Arg(0))
	for i, word := range []string{" = ", " to ", " step "} {
		p.Text(word)
		p.Value(op.Operand(i))
	}
	printInits(p, " iter_args", body.Args()[1:], Inits(op))
	printArrowList(p, op.ResultTypes())
	p.Text(" ")
	if t := body.Arg(0).Type; t != ir.Index {
		p.Text(" : ")
		p.Type(t)
		p.Text(" ")
	}
	p.Region(op.Region(0), false, op.NumResults() > 0)
	p.AttrDict(op, "unsignedCmp")
}

func parseFor(p *ir.Parser, s *ir.State) bool {
	if p.Try("unsigned") {
		s.Attrs = append(s.Attrs, ir.A("unsignedCmp", ir.Unit))
	}
	iv, ok := p.Operand()
	if !ok {
		return false
	}
	bounds := make([]ir.Operand, 3)
	for i, word := range []string{"=", "to", "step"} {
		if !p.Literal(word) {
			return false
		}
		if bounds[i], ok = p.Operand(); !ok {
			return false
		}
	}
	var carried []ir.Arg
	var inits []ir.Operand
	if p.Try("iter_args") {
		if carried, inits, ok = parseInits(p); !ok {
			return false
		}
		if s.Results, ok = parseArrow(p); !ok || !setTypes(p, carried, s.Results) {
			return false
		}
	}
	t := ir.Index
	if p.Try(":") {
		if t, ok = p.Type(); !ok {
			return false
		}
	}
	for _, b := range bounds {
		if !p.Resolve(s, b, t) {
			return false
		}
	}
	args := append([]ir.Arg{{Operand: iv, Type: t}}, carried...)
	return p.ResolveAll(s, inits, s.Results) && p.Region(s, args) && p.AttrDict(s)
}

func printWhile(p *ir.Printer, op *ir.Op) {
	inits := op.Operands()
	printInits(p, " ", op.Body(0).Args(), inits)
	p.Text(" : ")
	p.FuncType(typesOf(inits), op.ResultTypes())
	p.Text(" ")
	p.Region(op.Region(0), false, true)
	p.Text(" do ")
	p.Region(op.Region(1), true, true)
	p.AttrDictKeyword(op)
}

func parseWhile(p *ir.Parser, s *ir.State) bool {
	var args []ir.Arg
	var inits []ir.Operand
	ok := true
	if p.Peek("(") {
		if args, inits, ok = parseInits(p); !ok {
			return false
		}
	}
	if !p.Literal(":") {
		return false
	}
	t, ok := p.FuncType()
	if !ok || !setTypes(p, args, t.Ins) {
		return false
	}
	s.Results = t.Outs
	return p.ResolveAll(s, inits, t.Ins) && p.Region(s, args) && p.Literal("do") && p.Region(s, nil) &&
		p.AttrDictKeyword(s)
}

func printIf(p *ir.Printer, op *ir.Op) {
	p.Text(" ")
	p.Value(op.Operand(0))
	printArrowList(p, op.ResultTypes())
	p.Text(" ")
	p.Region(op.Region(0), false, op.NumResults() > 0)
	if !op.Region(1).Empty() {
		p.Text(" else ")
		p.Region(op.Region(1), false, op.NumResults() > 0)
	}
	p.AttrDict(op)
}

func parseIf(p *ir.Parser, s *ir.State) bool {
	cond, ok := p.Operand()
	if !ok || !p.Resolve(s, cond, ir.I1) {
		return false
	}
	if s.Results, ok = parseArrow(p); !ok || !p.Region(s, nil) {
		return false
	}
	if p.Try("else") {
		if !p.Region(s, nil) {
			return false
		}
	} else {
		s.Regions = append(s.Regions, ir.NewRegion())
	}
	return p.AttrDict(s)
}

func printIndexSwitch(p *ir.Printer, op *ir.Op) {
	p.Text(" ")
	p.Value(op.Operand(0))
	p.AttrDict(op, "cases")
	printArrow(p, op.ResultTypes())
	cases := op.Attr("cases").(*ir.DenseArrayAttr).Values
	for i, r := range op.Regions()[1:] {
		p.Newline()
		p.Textf("case %d ", cases[i])
		p.Region(r, false, true)
	}
	p.Newline()
	p.Text("default ")
	p.Region(op.Region(0), false, false)
}

func parseIndexSwitch(p *ir.Parser, s *ir.State) bool {
	arg, ok := p.Operand()
	if !ok || !p.Resolve(s, arg, ir.Index) || !p.AttrDict(s) {
		return false
	}
	if s.Results, ok = parseArrow(p); !ok {
		return false
	}
	var cases []int64
	for p.Try("case") {
		v, ok := p.Int()
		if !ok || !p.Region(s, nil) {
			return false
		}
		cases = append(cases, v)
	}
	if !p.Literal("default") || !p.Region(s, nil) {
		return false
	}
	n := len(s.Regions) - 1 // the default is read last and comes first
	s.Regions = append([]*ir.Region{s.Regions[n]}, s.Regions[:n]...)
	s.Attrs = append(s.Attrs, ir.A("cases", ir.DenseArray(ir.I64, cases...)))
	return true
}

func printExecute(p *ir.Printer, op *ir.Op) {
	printArrow(p, op.ResultTypes())
	if op.HasAttr("no_inline") {
		p.Text(" no_inline")
	}
	p.Text(" ")
	p.Region(op.Region(0), false, true)
	p.AttrDict(op, "no_inline")
}

func parseExecute(p *ir.Parser, s *ir.State) bool {
	var ok bool
	if s.Results, ok = parseArrow(p); !ok {
		return false
	}
	if p.Try("no_inline") {
		s.Attrs = append(s.Attrs, ir.A("no_inline", ir.Unit))
	}
	return p.Region(s, nil) && p.AttrDict(s)
}

func typesOf(vs []*ir.Value) []ir.Type {
	ts := make([]ir.Type, len(vs))
	for i, v := range vs {
		ts[i] = v.Type
	}
	return ts
}
