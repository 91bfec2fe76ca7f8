package memref

import "github.com/nereid-lang/nereid/internal/ir"

// custom<GlobalMemref>($type, $initial_value): `memref<2xf32> = dense<...>`, `= uninitialized`, or nothing
// for a declaration.
var _ = ir.CustomDirective("GlobalMemref", ir.Directive{
	Print: func(p *ir.Printer, op *ir.Op, args []*ir.FormatArg) {
		p.Type(args[0].Attr.(*ir.TypeAttr).Type)
		switch a := args[1].Attr.(type) {
		case nil:
		case *ir.UnitAttr:
			p.Text(" = uninitialized")
		default:
			p.Text(" = ")
			p.BareAttr(a)
		}
	},
	Parse: func(p *ir.Parser, s *ir.State, args []*ir.FormatArg) bool {
		pos := p.Pos()
		t, ok := p.Type()
		if !ok {
			return false
		}
		m, ok := t.(*ir.MemRefType)
		if !ok || m.Unranked {
			return p.Errorf(pos, "expected a ranked memref type, found %s", t)
		}
		args[0].Attr = ir.TypeOf(t)
		if !p.Try("=") {
			return true
		}
		if p.Try("uninitialized") {
			args[1].Attr = ir.Unit
			return true
		}
		args[1].Attr, ok = p.Attr(ir.Tensor(m.Shape, m.Elem, nil))
		return ok
	},
})

func printAllocaScope(p *ir.Printer, op *ir.Op) {
	if op.NumResults() > 0 {
		p.Text(" -> (")
		p.Types(op.ResultTypes())
		p.Text(")")
	}
	p.Text(" ")
	p.Region(op.Region(0), false, op.NumResults() > 0)
	p.AttrDict(op)
}

func parseAllocaScope(p *ir.Parser, s *ir.State) bool {
	if p.Try("->") {
		ok := p.List("(", ")", func() bool {
			t, ok := p.Type()
			s.Results = append(s.Results, t)
			return ok
		})
		if !ok {
			return false
		}
	}
	return p.Region(s, nil) && p.AttrDict(s)
}

func printTranspose(p *ir.Printer, op *ir.Op) {
	p.Text(" ")
	p.Value(op.Operand(0))
	p.Text(" " + op.Attr("permutation").(*ir.AffineMapAttr).Map.String())
	p.AttrDict(op, "permutation")
	p.Text(" : ")
	p.Type(op.Operand(0).Type)
	p.Text(" to ")
	p.Type(op.Result(0).Type)
}

func parseTranspose(p *ir.Parser, s *ir.State) bool {
	in, ok := p.Operand()
	if !ok {
		return false
	}
	m, ok := p.AffineMap()
	if !ok {
		return false
	}
	s.Attrs = append(s.Attrs, ir.A("permutation", ir.AffineMapOf(m)))
	if !p.AttrDict(s) || !p.Literal(":") {
		return false
	}
	from, ok := p.Type()
	if !ok || !p.Literal("to") {
		return false
	}
	to, ok := p.Type()
	s.Results = append(s.Results, to)
	return ok && p.Resolve(s, in, from)
}

// The words of a prefetch, by what its flags say.
var (
	writeWords = []string{"read", "write"}
	cacheWords = []string{"instr", "data"}
)

func printPrefetch(p *ir.Printer, op *ir.Op) {
	p.Text(" ")
	p.Value(op.Operand(0))
	p.Text("[")
	p.Values(op.Operands()[1:])
	p.Textf("], %s, locality<%d>, %s", writeWords[op.IntOr("isWrite", 0)], op.IntOr("localityHint", 0),
		cacheWords[op.IntOr("isDataCache", 0)])
	p.AttrDict(op, "isWrite", "localityHint", "isDataCache")
	p.Text(" : ")
	p.Type(op.Operand(0).Type)
}

func parsePrefetch(p *ir.Parser, s *ir.State) bool {
	buf, ok := p.Operand()
	if !ok {
		return false
	}
	var indices []ir.Operand
	ok = p.List("[", "]", func() bool {
		o, ok := p.Operand()
		indices = append(indices, o)
		return ok
	})
	if !ok || !p.Literal(",") || !parseFlag(p, s, "isWrite", writeWords) || !p.Literal(",") ||
		!p.Literal("locality") || !p.Literal("<") {
		return false
	}
	hint, ok := p.Int()
	if !ok || !p.Literal(">") || !p.Literal(",") || !parseFlag(p, s, "isDataCache", cacheWords) ||
		!p.AttrDict(s) || !p.Literal(":") {
		return false
	}
	s.Attrs = append(s.Attrs, ir.A("localityHint", ir.I32Attr(hint)))
	t, ok := p.Type()
	if !ok || !p.Resolve(s, buf, t) {
		return false
	}
	for _, o := range indices {
		if !p.Resolve(s, o, ir.Index) {
			return false
		}
	}
	return true
}

func parseFlag(p *ir.Parser, s *ir.State, name string, words []string) bool {
	set := p.Try(words[1])
	s.Attrs = append(s.Attrs, ir.A(name, ir.BoolAttr(set)))
	return set || p.Literal(words[0])
}
