package target

import (
	"slices"
	"strconv"
	"strings"
)

// This file reads MLIR's pretty form, in which operations have a syntax of their own:
//
//	%x_2 = tt.addptr %in_ptr, %x_1 : !tt.ptr<f32>, i32
//
// Its result is that of the generic form. Operations that are printed in generic form among them are read by
// Parse as ever.

// syntax reads an operation behind its name and returns the types of its results.
type syntax func(p *parser, op *Op) []Type

// syntaxes returns how operations are written, by name. It is no variable, since regions have operations,
// whose syntax is found here.
func syntaxes(name string) syntax {
	switch name {
	case "module":
		return (*parser).module
	case "tt.func":
		return (*parser).function
	case "arith.constant":
		return (*parser).constant
	case "arith.cmpi":
		return comparison(cmpiNames)
	case "arith.cmpf":
		return comparison(cmpfNames)
	case "arith.select":
		return last
	case "tt.get_program_id", "tt.get_num_programs":
		return ofAxis
	case "tt.splat", "tt.broadcast", "tt.expand_dims", "tt.trans", "tt.reshape", "ttg.convert_layout":
		return arrow
	case "tt.addptr":
		return first
	case "tt.load":
		return load
	case "tt.store", "tt.return", "tt.reduce.return", "scf.yield":
		return nothing
	case "scf.condition":
		return (*parser).condition
	case "scf.for":
		return (*parser).forLoop
	case "scf.if":
		return (*parser).ifElse
	case "scf.while":
		return (*parser).whileLoop
	}
	if strings.HasPrefix(name, "arith.") || strings.HasPrefix(name, "math.") || name == "tt.make_range" {
		return last
	}
	return nil
}

// The predicates of comparisons, in the order of their numbers.
var (
	cmpiNames = []string{"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"}
	cmpfNames = []string{"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult",
		"ule", "une", "uno", "true"}
)

// pretty reads an operation of the pretty form.
func (p *parser) pretty(op *Op, names []string) {
	op.Name = p.word()
	read := syntaxes(op.Name)
	if read == nil {
		p.fail("%s: this back end does not read its pretty form", op.Name)
	}
	types := read(p, op)
	if len(names) > len(types) {
		p.fail("%s has %d results, and %d names", op.Name, len(types), len(names))
	}
	for i, t := range types {
		name := "%"
		if i < len(names) {
			name = names[i]
		}
		op.Results = append(op.Results, p.define(name, t))
	}
}

// uses reads "%a, %b", which may be empty.
func (p *parser) uses() (list []*Value) {
	for p.peek("%") {
		list = append(list, p.use())
		if !p.take(",") {
			break
		}
	}
	return list
}

// operands reads operands, flags such as "cacheModifier = ca" or "overflow<nsw>", and attributes.
func (p *parser) operands(op *Op) {
	op.Operands = append(op.Operands, p.uses()...)
	for p.skip(); p.pos < len(p.src) && isWord(p.src[p.pos]) && !p.atNewLine(); p.skip() {
		p.word()
		switch {
		case p.take("="):
			p.word()
		case p.take("<"):
			p.balanced(">")
			p.expect(">")
		}
	}
	if p.take("{") {
		p.attrs(op.Attrs, "}")
	}
}

// atNewLine reports whether the next word begins a line, and so another operation.
func (p *parser) atNewLine() bool {
	return strings.TrimLeft(p.src[strings.LastIndexByte(p.src[:p.pos], '\n')+1:p.pos], " \t") == ""
}

// types reads ": T, U", which may be absent.
func (p *parser) types() (list []Type) {
	if !p.take(":") {
		return nil
	}
	for {
		list = append(list, p.typ())
		if !p.take(",") {
			return list
		}
	}
}

// first is "%a, %b : T, U", whose result is a T; last has a U.
func first(p *parser, op *Op) []Type {
	p.operands(op)
	list := p.types()
	if list == nil {
		p.fail("%s: expected a type", op.Name)
	}
	return list[:1]
}

// last is also "%a : T to U".
func last(p *parser, op *Op) []Type {
	p.operands(op)
	list := p.types()
	if list == nil {
		p.fail("%s: expected a type", op.Name)
	}
	if p.take("to ") {
		list = append(list, p.typ())
	}
	return list[len(list)-1:]
}

// nothing has no results.
func nothing(p *parser, op *Op) []Type {
	p.operands(op)
	p.types()
	return nil
}

// arrow is "%a : T -> U".
func arrow(p *parser, op *Op) []Type {
	p.operands(op)
	p.types()
	p.expect("->")
	return []Type{p.typ()}
}

// load is "%pointers, %mask, %other : T"; the result has what T points to.
func load(p *parser, op *Op) []Type {
	t := first(p, op)[0]
	t.Elem = pointee(t.Elem)
	return []Type{t}
}

// ofAxis is "x : i32".
func ofAxis(p *parser, op *Op) []Type {
	op.Attrs["axis"] = strconv.Itoa(strings.Index("xyz", p.word()))
	return p.types()
}

// comparison is "slt, %a, %b : T"; the result has an i1 for each element.
func comparison(predicates []string) syntax {
	return func(p *parser, op *Op) []Type {
		op.Attrs["predicate"] = strconv.Itoa(slices.Index(predicates, p.word()))
		p.expect(",")
		t := first(p, op)[0]
		t.Elem = "i1"
		return []Type{t}
	}
}

// constant is "dense<0> : T", "1.0 : f32", or "true".
func (p *parser) constant(op *Op) []Type {
	if p.take("{") {
		p.attrs(op.Attrs, "}")
	}
	op.Attrs["value"] = p.balanced(":\n")
	if list := p.types(); list != nil {
		return list
	}
	return []Type{{Elem: "i1"}}
}

// module is "attributes {…} {…}".
func (p *parser) module(op *Op) []Type {
	if p.take("attributes") {
		p.expect("{")
		p.attrs(op.Attrs, "}")
	}
	op.Regions = [][]*Block{p.region()}
	return nil
}

// function is "public @name(%a: T {…}, %b: U) attributes {…} {…}".
func (p *parser) function(op *Op) []Type {
	if !p.peek("@") {
		p.word()
	}
	p.expect("@")
	op.Attrs["sym_name"] = strconv.Quote(p.word())
	p.enter()
	defer p.leave()
	var args []*Value
	p.expect("(")
	p.list(")", func() {
		args = append(args, p.blockArg())
		if p.take("{") {
			p.attrs(map[string]string{}, "}")
		}
	})
	if p.take("attributes") {
		p.expect("{")
		p.attrs(op.Attrs, "}")
	}
	p.body(op, args, "")
	return nil
}

// body reads a region whose arguments stand before it. Where its terminator may be left out, it is end.
func (p *parser) body(op *Op, args []*Value, end string) {
	blocks := p.region()
	if len(blocks) == 0 {
		blocks = []*Block{{}}
	}
	b := blocks[0]
	b.Args = append(args, b.Args...)
	if end != "" && (len(b.Ops) == 0 || !slices.Contains([]string{"scf.yield", "scf.condition"},
		b.Ops[len(b.Ops)-1].Name)) {
		b.Ops = append(b.Ops, &Op{Name: end, Attrs: map[string]string{}, Line: p.line()})
	}
	op.Regions = append(op.Regions, blocks)
}

// enter opens a scope of names, leave closes it.
func (p *parser) enter() { p.scopes = append(p.scopes, map[string]*Value{}) }
func (p *parser) leave() { p.scopes = p.scopes[:len(p.scopes)-1] }

// name reads the name of a value that is defined here.
func (p *parser) name() string {
	p.expect("%")
	return "%" + p.word()
}

// carried reads "%x = %init, …)", and returns the names and adds the inits to the operands.
func (p *parser) carried(op *Op) (names []string) {
	p.list(")", func() {
		names = append(names, p.name())
		p.expect("=")
		op.Operands = append(op.Operands, p.use())
	})
	return names
}

// results reads "-> (T, U)" or "-> T", which may be absent.
func (p *parser) results() (list []Type) {
	switch {
	case !p.take("->"):
	case p.take("("):
		p.list(")", func() { list = append(list, p.typ()) })
	default:
		list = append(list, p.typ())
	}
	return list
}

// forLoop is "%i = %low to %high step %step iter_args(%x = %init) -> (T) : i32 {…}".
func (p *parser) forLoop(op *Op) []Type {
	counter := p.name()
	for _, before := range []string{"=", "to", "step"} {
		p.expect(before)
		op.Operands = append(op.Operands, p.use())
	}
	var names []string
	if p.take("iter_args(") {
		names = p.carried(op)
	}
	types := p.results()
	count := Type{Elem: "index"}
	if list := p.types(); list != nil {
		count = list[0]
	}
	if len(names) != len(types) {
		p.fail("scf.for carries %d values of %d types", len(names), len(types))
	}
	p.enter()
	defer p.leave()
	args := []*Value{p.define(counter, count)}
	for i, n := range names {
		args = append(args, p.define(n, types[i]))
	}
	p.body(op, args, "scf.yield")
	if p.take("{") {
		p.attrs(op.Attrs, "}")
	}
	return types
}

// ifElse is "%c -> (T) {…} else {…}".
func (p *parser) ifElse(op *Op) []Type {
	op.Operands = []*Value{p.use()}
	types := p.results()
	p.body(op, nil, "scf.yield")
	if p.take("else") {
		p.body(op, nil, "scf.yield")
	} else {
		op.Regions = append(op.Regions, nil)
	}
	return types
}

// whileLoop is "(%x = %init) : (T) -> U {…} do {…}".
func (p *parser) whileLoop(op *Op) []Type {
	var names []string
	if p.take("(") {
		names = p.carried(op)
	}
	var in []Type
	p.expect(":")
	p.expect("(")
	p.list(")", func() { in = append(in, p.typ()) })
	out := p.results()
	if len(in) != len(names) {
		p.fail("scf.while carries %d values of %d types", len(names), len(in))
	}
	p.enter()
	defer p.leave()
	var args []*Value
	for i, n := range names {
		args = append(args, p.define(n, in[i]))
	}
	p.body(op, args, "scf.condition")
	p.expect("do")
	p.body(op, nil, "scf.yield")
	return out
}

// condition is "(%c) %a, %b : T, U".
func (p *parser) condition(op *Op) []Type {
	p.expect("(")
	op.Operands = []*Value{p.use()}
	p.expect(")")
	return nothing(p, op)
}

// pointee returns the type of the elements behind a pointer's, "f32" for "!tt.ptr<f32>".
func pointee(elem string) string {
	return strings.TrimSuffix(strings.TrimPrefix(elem, pointer), ">")
}

// pointer begins the types of pointers.
const pointer = "!tt.ptr<"
