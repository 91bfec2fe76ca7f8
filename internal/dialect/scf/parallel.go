package scf

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/indexlist"
	"github.com/nereid-lang/nereid/internal/ir"
)

// printList writes ` word (…)`.
func printList(p *ir.Printer, word string, vs []*ir.Value) {
	p.Text(word + "(")
	p.Values(vs)
	p.Text(")")
}

func printParallel(p *ir.Printer, op *ir.Op) {
	for i, word := range []string{" = ", " to ", " step "} {
		if i == 0 {
			printList(p, " ", op.Body(0).Args())
		}
		printList(p, word, op.Group(i))
	}
	if inits := op.Group(3); len(inits) > 0 {
		printList(p, " init ", inits)
	}
	printArrow(p, op.ResultTypes())
	p.Text(" ")
	p.Region(op.Region(0), false, true)
	p.AttrDict(op)
}

func parseParallel(p *ir.Parser, s *ir.State) bool {
	args, ok := parseNames(p)
	if !ok {
		return false
	}
	for i := range args {
		args[i].Type = ir.Index
	}
	for _, word := range []string{"=", "to", "step"} {
		if !p.Literal(word) || !parseIndices(p, s) {
			return false
		}
	}
	var inits []ir.Operand
	if p.Try("init") {
		if !p.Literal("(") {
			return false
		}
		if inits, ok = p.Operands(); !ok || !p.Literal(")") {
			return false
		}
	}
	if s.Results, ok = parseArrow(p); !ok || !p.ResolveAll(s, inits, s.Results) {
		return false
	}
	s.Segments = append(s.Segments, len(inits))
	return p.Region(s, args) && p.AttrDict(s)
}

// parseNames reads (%i, %j): arguments whose type is known from elsewhere.
func parseNames(p *ir.Parser) (args []ir.Arg, ok bool) {
	ok = p.List("(", ")", func() bool {
		o, ok := p.Operand()
		args = append(args, ir.Arg{Operand: o})
		return ok
	})
	return args, ok
}

// parseIndices reads (%a, %b) as a segment of index operands.
func parseIndices(p *ir.Parser, s *ir.State) bool {
	n := len(s.Operands)
	ok := p.List("(", ")", func() bool {
		o, ok := p.Operand()
		return ok && p.Resolve(s, o, ir.Index)
	})
	s.Segments = append(s.Segments, len(s.Operands)-n)
	return ok
}

func printReduce(p *ir.Printer, op *ir.Op) {
	if op.NumOperands() > 0 {
		p.Text("(")
		p.Values(op.Operands())
		p.Text(" : ")
		p.Types(typesOf(op.Operands()))
		p.Text(")")
	}
	for i, r := range op.Regions() {
		if i > 0 {
			p.Text(",")
		}
		p.Text(" ")
		p.Region(r, true, true)
	}
	p.AttrDict(op)
}

func parseReduce(p *ir.Parser, s *ir.State) bool {
	if !p.Try("(") {
		return p.AttrDict(s)
	}
	operands, ok := p.Operands()
	if !ok || !p.Literal(":") {
		return false
	}
	types, ok := p.Types()
	if !ok || !p.Literal(")") || !p.ResolveAll(s, operands, types) {
		return false
	}
	for i := range operands {
		if i > 0 && !p.Literal(",") || !p.Region(s, nil) {
			return false
		}
	}
	return p.AttrDict(s)
}

func printInParallel(p *ir.Printer, op *ir.Op) {
	p.Text(" ")
	p.Region(op.Region(0), false, false)
	p.AttrDict(op)
}

func parseInParallel(p *ir.Parser, s *ir.State) bool { return p.Region(s, nil) && p.AttrDict(s) }

// Bounds are the lower or upper bounds or the steps of a forall, for 0, 1 and 2.
func Bounds(op *ir.Op, which int) []indexlist.Entry {
	return indexlist.Of(op, which, forallBounds[which])
}

var forallBounds = []string{"staticLowerBound", "staticUpperBound", "staticStep"}

// isNormalized reports whether all lower bounds are zero and all steps one. Such a loop prints as `in (…)`.
func isNormalized(op *ir.Op) bool {
	other := func(c int64) func(indexlist.Entry) bool {
		return func(e indexlist.Entry) bool { return !e.IsConst(c) }
	}
	return !slices.ContainsFunc(Bounds(op, 0), other(0)) && !slices.ContainsFunc(Bounds(op, 2), other(1))
}

func printForall(p *ir.Printer, op *ir.Op) {
	upper := Bounds(op, 1)
	args := op.Body(0).Args()
	printList(p, " ", args[:len(upper)])
	if isNormalized(op) {
		indexlist.Print(p, " in (", upper, ")")
	} else {
		for i, word := range []string{" = ", " to ", " step "} {
			indexlist.Print(p, word+"(", Bounds(op, i), ")")
		}
	}
	printInits(p, " shared_outs", args[len(upper):], op.Group(3))
	printArrowList(p, op.ResultTypes())
	p.Text(" ")
	p.Region(op.Region(0), false, op.NumResults() > 0)
	p.AttrDict(op, forallBounds...)
}

func parseForall(p *ir.Parser, s *ir.State) bool {
	args, ok := parseNames(p)
	if !ok {
		return false
	}
	for i := range args {
		args[i].Type = ir.Index
	}
	if !parseForallBounds(p, s, len(args)) {
		return false
	}
	outs := 0
	if p.Try("shared_outs") {
		shared, inits, ok := parseInits(p)
		if !ok {
			return false
		}
		if s.Results, ok = parseArrow(p); !ok || !setTypes(p, shared, s.Results) ||
			!p.ResolveAll(s, inits, s.Results) {
			return false
		}
		args, outs = append(args, shared...), len(inits)
	}
	s.Segments = append(s.Segments, outs)
	return p.Region(s, args) && p.AttrDict(s)
}

func parseForallBounds(p *ir.Parser, s *ir.State, n int) bool {
	if p.Try("in") {
		constBounds(s, 0, make([]int64, n))
		if !parseBounds(p, s, 1, n) {
			return false
		}
		constBounds(s, 2, slices.Repeat([]int64{1}, n))
		return true
	}
	for i, word := range []string{"=", "to", "step"} {
		if !p.Literal(word) || !parseBounds(p, s, i, n) {
			return false
		}
	}
	return true
}

func constBounds(s *ir.State, which int, static []int64) {
	s.Segments = append(s.Segments, 0)
	s.Attrs = append(s.Attrs, ir.A(forallBounds[which], ir.DenseArray(ir.I64, static...)))
}

func parseBounds(p *ir.Parser, s *ir.State, which, n int) bool {
	pos := p.Pos()
	dynamic, static, ok := indexlist.Parse(p, "(", ")")
	if !ok {
		return false
	}
	if len(static) != n {
		return p.Errorf(pos, "expected %d bounds, found %d", n, len(static))
	}
	for _, o := range dynamic {
		if !p.Resolve(s, o, ir.Index) {
			return false
		}
	}
	s.Segments = append(s.Segments, len(dynamic))
	s.Attrs = append(s.Attrs, ir.A(forallBounds[which], ir.DenseArray(ir.I64, static...)))
	return true
}
