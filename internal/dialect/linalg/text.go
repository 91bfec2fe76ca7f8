package linalg

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
)

func typesOf(vs []*ir.Value) []ir.Type {
	ts := make([]ir.Type, len(vs))
	for i, v := range vs {
		ts[i] = v.Type
	}
	return ts
}

// printGroup writes ` ins(%a, %b : t, t)`, or nothing for no values.
func printGroup(p *ir.Printer, word string, vs []*ir.Value) {
	if len(vs) == 0 {
		return
	}
	p.Text(" " + word + "(")
	p.Values(vs)
	p.Text(" : ")
	p.Types(typesOf(vs))
	p.Text(")")
}

func printOperands(p *ir.Printer, op *ir.Op) {
	printGroup(p, "ins", op.Group(0))
	printGroup(p, "outs", op.Group(1))
}

// parseGroup reads what printGroup writes.
func parseGroup(p *ir.Parser, s *ir.State, word string) (n int, ok bool) {
	if !p.Try(word) {
		return 0, true
	}
	if !p.Literal("(") {
		return 0, false
	}
	operands, ok := p.Operands()
	if !ok || !p.Literal(":") {
		return 0, false
	}
	types, ok := p.Types()
	return len(operands), ok && p.ResolveAll(s, operands, types) && p.Literal(")")
}

// parseOperands reads the inputs and outputs, and sets the segments where the op has them.
func parseOperands(p *ir.Parser, s *ir.State) bool {
	ins, ok := parseGroup(p, s, "ins")
	if !ok {
		return false
	}
	outs, ok := parseGroup(p, s, "outs")
	if s.Def.Has(ir.SegmentedOperands) {
		s.Segments = []int{ins, outs}
	}
	return ok
}

// tensorOutputs gives the op a result for each output that is a tensor.
func tensorOutputs(s *ir.State, outs []*ir.Value) {
	for _, v := range outs {
		if _, ok := v.Type.(*ir.TensorType); ok {
			s.Results = append(s.Results, v.Type)
		}
	}
}

// printArrow writes ` -> t` or ` -> (t, u)`, or nothing without results.
func printArrow(p *ir.Printer, ts []ir.Type) {
	switch len(ts) {
	case 0:
	case 1:
		p.Text(" -> ")
		p.Type(ts[0])
	default:
		p.Text(" -> (")
		p.Types(ts)
		p.Text(")")
	}
}

func parseArrow(p *ir.Parser, s *ir.State) bool {
	if !p.Try("->") {
		return true
	}
	read := func() bool {
		t, ok := p.Type()
		s.Results = append(s.Results, t)
		return ok
	}
	if p.Peek("(") {
		return p.List("(", ")", read)
	}
	return read()
}

// genericAttrs are the attributes that a generic has in front of its operands.
var genericAttrs = []string{"doc", "indexing_maps", "iterator_types", "library_call"}

func printGeneric(p *ir.Printer, op *ir.Op) {
	p.Text(" {")
	sep := ""
	for _, name := range genericAttrs {
		a := op.Attr(name)
		if a == nil {
			continue
		}
		if name == "iterator_types" {
			a = iteratorWords(op)
		}
		p.Text(sep + name + " = ")
		p.Attr(a)
		sep = ", "
	}
	p.Text("}")
	printOperands(p, op)
	if slices.ContainsFunc(op.Attrs(), func(a ir.NamedAttr) bool {
		return !slices.Contains(genericAttrs, a.Name)
	}) {
		p.Text(" attrs =")
		p.AttrDict(op, genericAttrs...)
	}
	p.Text(" ")
	p.Region(op.Region(0), true, true)
	printArrow(p, op.ResultTypes())
}

// iteratorWords is the loops as strings, the form they have in the text.
func iteratorWords(op *ir.Op) ir.Attr {
	var list []ir.Attr
	for _, w := range Iterators(op) {
		list = append(list, ir.Str(w))
	}
	return ir.Array(list...)
}

func parseGeneric(p *ir.Parser, s *ir.State) bool {
	pos := p.Pos()
	if !p.AttrDict(s) {
		return false
	}
	for i, a := range s.Attrs {
		if a.Name != "iterator_types" {
			continue
		}
		words, ok := readIterators(a.Attr)
		if !ok {
			return p.Errorf(pos, "iterator_types is a list of parallel, reduction and window")
		}
		s.Attrs[i].Attr = IteratorTypes(words...)
	}
	if !parseOperands(p, s) {
		return false
	}
	if p.Try("attrs") && !(p.Literal("=") && p.AttrDict(s)) {
		return false
	}
	return p.Region(s, nil) && parseArrow(p, s)
}

// readIterators takes loops as strings or as attributes.
func readIterators(a ir.Attr) (words []string, ok bool) {
	list, ok := a.(*ir.ArrayAttr)
	if !ok {
		return nil, false
	}
	for _, e := range list.Elems {
		word := iteratorType.word(e)
		if s, ok := e.(*ir.StringAttr); ok {
			word = s.Value
		}
		if !slices.Contains(iteratorType.words, word) {
			return nil, false
		}
		words = append(words, word)
	}
	return words, true
}

// printNamed writes `{attrs} ins(…) outs(…) -> …`, with kind and maps before the rest as MLIR has them.
func printNamed(p *ir.Printer, op *ir.Op) {
	for _, name := range []string{"kind", "indexing_maps"} {
		if a := op.Attr(name); a != nil {
			p.Text(map[string]string{"kind": " kind=", "indexing_maps": " indexing_maps = "}[name])
			p.Attr(a)
		}
	}
	p.AttrDict(op, "kind", "indexing_maps")
	printOperands(p, op)
	printArrow(p, op.ResultTypes())
}

func parseNamed(p *ir.Parser, s *ir.State) bool {
	for _, name := range []string{"kind", "indexing_maps"} {
		if s.Def.AttrSlot(name) == nil || !p.Try(name) {
			continue
		}
		if !p.Literal("=") {
			return false
		}
		a, ok := p.Attr(nil)
		if !ok {
			return false
		}
		s.Attrs = append(s.Attrs, ir.A(name, a))
	}
	return p.AttrDict(s) && parseOperands(p, s) && parseArrow(p, s)
}

func printSoftmax(p *ir.Printer, op *ir.Op) {
	p.AttrDict(op, "dimension")
	p.Textf(" dimension(%d)", op.IntOr("dimension", 0))
	printOperands(p, op)
	printArrow(p, op.ResultTypes())
}

func parseSoftmax(p *ir.Parser, s *ir.State) bool {
	if !p.AttrDict(s) || !p.Literal("dimension") || !p.Literal("(") {
		return false
	}
	dim, ok := p.Int()
	s.Attrs = append(s.Attrs, ir.A("dimension", ir.I64Attr(dim)))
	return ok && p.Literal(")") && parseOperands(p, s) && parseArrow(p, s)
}

// printDims writes the list of dimensions, the first attribute of the row.
func printDims(p *ir.Printer, op *ir.Op) {
	name := op.Def.Attrs[0].Name
	p.Text(" " + name + " = ")
	p.Ints(op.Attr(name).(*ir.DenseArrayAttr).Values)
	p.AttrDict(op, name)
}

func parseDims(p *ir.Parser, s *ir.State) bool {
	name := s.Def.Attrs[0].Name
	if !p.Literal(name) || !p.Literal("=") {
		return false
	}
	dims, ok := p.IntList()
	s.Attrs = append(s.Attrs, ir.A(name, ir.DenseArray(ir.I64, dims...)))
	return ok && p.AttrDict(s)
}

func printMove(p *ir.Printer, op *ir.Op) {
	printOperands(p, op)
	printDims(p, op)
}

func parseMove(p *ir.Parser, s *ir.State) bool {
	if !parseOperands(p, s) || !parseDims(p, s) {
		return false
	}
	tensorOutputs(s, s.Operands[min(1, len(s.Operands)):])
	return true
}

// printBody writes the arguments of a region and the region, on lines of their own.
func printBody(p *ir.Printer, op *ir.Op) {
	p.Newline()
	p.Text("  (")
	for i, a := range op.Body(0).Args() {
		if i > 0 {
			p.Text(", ")
		}
		p.Arg(a, nil)
	}
	p.Text(") ")
	p.Region(op.Region(0), false, true)
}

func parseBody(p *ir.Parser, s *ir.State) bool {
	var args []ir.Arg
	ok := p.List("(", ")", func() bool {
		a, ok := p.Arg(true)
		args = append(args, a)
		return ok
	})
	return ok && p.Region(s, args)
}

func printMap(p *ir.Printer, op *ir.Op) {
	short := printPayload(p, op, false)
	printOperands(p, op)
	p.AttrDict(op)
	if !short {
		printBody(p, op)
	}
}

func parseMap(p *ir.Parser, s *ir.State) bool {
	payload, ok := parsePayload(p)
	if !ok || !parseOperands(p, s) || !p.AttrDict(s) {
		return false
	}
	n := max(0, len(s.Operands)-1)
	tensorOutputs(s, s.Operands[n:])
	if payload != nil {
		return payload.build(p, s, n, false)
	}
	return parseBody(p, s)
}

func printReduce(p *ir.Printer, op *ir.Op) {
	short := printPayload(p, op, true)
	printOperands(p, op)
	printDims(p, op)
	if !short {
		printBody(p, op)
	}
}

func parseReduce(p *ir.Parser, s *ir.State) bool {
	payload, ok := parsePayload(p)
	if !ok || !parseOperands(p, s) || !parseDims(p, s) {
		return false
	}
	n := len(s.Operands) / 2
	tensorOutputs(s, s.Operands[n:])
	if payload != nil {
		return payload.build(p, s, n, true)
	}
	return parseBody(p, s)
}

// printPayload writes the short form of a region that is one op, and reports whether there is one.
func printPayload(p *ir.Printer, op *ir.Op, initFirst bool) bool {
	body := op.Body(0)
	x := body.First()
	if x == nil || x.Next() == nil || x.Next().Def != Yield || len(x.Regions()) > 0 || x.Def.Unregistered {
		return false
	}
	if !slices.Equal(x.Operands(), payloadArgs(body, len(Inputs(op)), initFirst)) ||
		!slices.Equal(x.Results(), x.Next().Operands()) {
		return false
	}
	p.Text(" { " + x.Name())
	p.AttrDict(x)
	p.Text(" }")
	return true
}

// payloadArgs are the operands of such an op: the elements of the inputs, those of the outputs before them
// where they take part.
func payloadArgs(body *ir.Block, ins int, initFirst bool) []*ir.Value {
	if initFirst {
		return slices.Concat(body.Args()[ins:], body.Args()[:ins])
	}
	return slices.Clone(body.Args()[:ins])
}

// payload is the short form of a region that is one op: `{ arith.addf }`.
type payload struct {
	state ir.State
	pos   diag.Pos
}

func parsePayload(p *ir.Parser) (*payload, bool) {
	if !p.Try("{") {
		return nil, true
	}
	x := &payload{pos: p.Pos()}
	name, ok := p.Keyword()
	if !ok {
		return nil, false
	}
	if x.state.Def = ir.LookupOp(name); x.state.Def == nil {
		return nil, p.Errorf(x.pos, "no op is called %s", name)
	}
	return x, p.AttrDict(&x.state) && p.Literal("}")
}

// build makes the region.
func (x *payload) build(p *ir.Parser, s *ir.State, ins int, initFirst bool) bool {
	body := ir.NewBlock()
	for _, v := range s.Operands {
		body.AddArg(ir.ElemOf(v.Type), nil)
	}
	x.state.Loc = s.Loc
	x.state.Operands = payloadArgs(body, ins, initFirst)
	types, err := x.state.Def.Infer(&x.state)
	if err != nil {
		return p.Errorf(x.pos, "%s", err)
	}
	x.state.Results = types
	op := ir.NewOp(x.state)
	body.Append(op)
	body.Append(ir.NewOp(ir.State{Def: Yield, Loc: s.Loc, Operands: slices.Clone(op.Results())}))
	s.Regions = append(s.Regions, ir.NewRegion(body))
	return true
}
