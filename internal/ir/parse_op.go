package ir

import (
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
)

// topLevel reads aliases and operations to the end of the text. The operations are the module's, unless there
// is exactly one and it is a module.
func (p *Parser) topLevel() *Module {
	m := NewModule(nil)
	for p.tok.kind != tokEOF && !p.full() {
		switch {
		case p.tok.kind == tokHash || p.tok.kind == tokBang:
			if start := p.tok.start; !p.aliasDef() {
				p.recover(start, 0)
			}
		case p.Peek("{") && strings.HasPrefix(p.src[p.tok.end:], "-#"):
			p.Errorf(p.Pos(), "external resources are not supported")
			p.tok = token{tokEOF, len(p.src), len(p.src)}
		default:
			p.operation(m.Block())
		}
	}
	p.undefined(p.scope())
	if op := m.Block().First(); op != nil && op == m.Block().Last() && op.Def == ModuleOp {
		op.Remove()
		return &Module{op}
	}
	return m
}

// resultName is %a or %a:2 on the left of an operation.
type resultName struct {
	name  string
	count int
	pos   diag.Pos
}

// operation reads one operation into b. After an error it goes on at the next one.
func (p *Parser) operation(b *Block) {
	braces, scopes, labels, dialects, implicit := p.braces, len(p.scopes), len(p.labels), len(p.dialects),
		len(p.implicit)
	depth, regions, start := p.depth, len(p.scope().regions), p.tok.start
	names, ok := p.resultNames()
	if ok {
		ok = p.enter() && p.namedOperation(b, names)
		p.leave()
	}
	if ok {
		return
	}
	p.scopes, p.labels, p.dialects, p.implicit, p.depth = p.scopes[:scopes], p.labels[:labels],
		p.dialects[:dialects], p.implicit[:implicit], depth
	s := p.scope()
	for len(s.regions) > regions {
		p.closeScope(false)
	}
	p.poison(names)
	p.recover(start, braces)
}

// recover skips from an operation in error, which began at start, to the next one, or to the end of its
// block: to a line that begins outside of its brackets, or no further right than itself, where a bracket
// without its fellow must not hide the rest.
func (p *Parser) recover(start, braces int) {
	column := p.column(start)
	for p.tok.kind != tokEOF {
		newLine := p.tok.start > start && strings.IndexByte(p.src[min(p.last, p.tok.start):p.tok.start],
			'\n') >= 0
		end := braces > 0 && p.Peek("}")
		if newLine && p.column(p.tok.start) <= column && (end || p.startsOp()) {
			p.braces = braces
			return
		}
		if p.braces <= braces && (newLine && p.startsOp() || end) {
			return
		}
		p.advance()
	}
}

// column returns the distance of an offset from the start of its line.
func (p *Parser) column(at int) int { return at - 1 - strings.LastIndexByte(p.src[:at], '\n') }

func (p *Parser) startsOp() bool {
	switch p.tok.kind {
	case tokPercent, tokString, tokWord, tokCaret, tokHash, tokBang:
		return true
	}
	return false
}

// resultNames reads `%a, %b:2 =`, or nothing.
func (p *Parser) resultNames() ([]resultName, bool) {
	var names []resultName
	if p.tok.kind != tokPercent {
		return nil, true
	}
	for {
		if p.tok.kind != tokPercent {
			return names, p.expected("a value name")
		}
		n := resultName{p.text()[1:], 1, p.Pos()}
		p.advance()
		if p.Try(":") {
			c, err := strconv.Atoi(p.text())
			if p.tok.kind != tokInt || err != nil || c < 1 || c > 1<<16 {
				return names, p.expected("a number of results")
			}
			p.advance()
			n.count = c
		}
		names = append(names, n)
		if !p.Try(",") {
			return names, p.Literal("=")
		}
	}
}

// namedOperation reads an operation from its name on, and gives its results their names.
func (p *Parser) namedOperation(b *Block, names []resultName) bool {
	pos, start := p.Pos(), p.tok.start
	s := &State{}
	var ok bool
	switch p.tok.kind {
	case tokString:
		ok = p.genericOp(s)
	case tokWord:
		ok = p.customOp(s)
	default:
		return p.expected("an operation")
	}
	if !ok {
		return false
	}
	hasLoc := p.Peek("loc")
	if s.Loc, ok = p.Loc(); !ok {
		return false
	}
	if !hasLoc && p.textLocs {
		line, col := p.file.LineCol(start)
		s.Loc = FileLine(p.file.Name, line, col+1)
	}
	if !p.checkState(s, pos) {
		return false
	}
	op := NewOp(*s)
	p.placeImplicit(op)
	b.Append(op)
	return p.nameResults(op, names, pos)
}

func (p *Parser) nameResults(op *Op, names []resultName, pos diag.Pos) bool {
	n := 0
	for _, r := range names {
		n += r.count
	}
	if len(names) > 0 && n != op.NumResults() {
		if op.NumResults() == 0 {
			return p.Errorf(pos, "cannot name an operation with no results")
		}
		return p.Errorf(pos, "operation defines %s but %d are named",
			plural(op.NumResults(), op.NumResults(), "result"), n)
	}
	at := 0
	for _, r := range names {
		for i := range r.count {
			if !p.define(r.name, i, r.pos, op.Result(at)) {
				return false
			}
			at++
		}
	}
	return true
}

// placeImplicit gives the terminators that op's text left out op's location.
func (p *Parser) placeImplicit(op *Op) {
	for len(p.implicit) > 0 {
		last := len(p.implicit) - 1
		t := p.implicit[last]
		if t.Parent() != op {
			return
		}
		t.Loc = op.Loc
		p.implicit = p.implicit[:last]
	}
}

// checkState refuses what no operation of the kind can look like, so that the accessors of slots are safe.
func (p *Parser) checkState(s *State, pos diag.Pos) bool {
	d := s.Def
	if d.Unregistered {
		return true
	}
	return p.checkSegments(d, "operand", d.Has(SegmentedOperands), d.Operands, s.Segments, len(s.Operands),
		pos) &&
		p.checkSegments(d, "result", d.Has(SegmentedResults), d.Results, s.ResultSegs, len(s.Results), pos) &&
		p.checkRegions(s, pos)
}

func (p *Parser) checkSegments(d *OpDef, what string, segmented bool, slots []Slot, segs []int, total int,
	pos diag.Pos) bool {
	if !segmented {
		least, most := 0, 0
		for _, s := range slots {
			if s.Arity == One {
				least, most = least+1, most+1
			} else {
				most = 1 << 30
			}
		}
		if total < least || total > most {
			return p.Errorf(pos, "'%s' expected %s, found %d", d.fullName, plural(least, most, what), total)
		}
		return true
	}
	sum := 0
	for _, n := range segs {
		sum += n
	}
	if len(segs) != len(slots) {
		return p.Errorf(pos, "'%s' needs %sSegmentSizes with %d elements, found %d", d.fullName, what,
			len(slots), len(segs))
	}
	if sum != total {
		return p.Errorf(pos, "'%s' has %d %ss but %sSegmentSizes that add up to %d", d.fullName, total, what,
			what, sum)
	}
	for i, n := range segs {
		if n < 0 || slots[i].Arity == One && n != 1 || slots[i].Arity == Opt && n > 1 {
			return p.Errorf(pos, "'%s' cannot have %d %ss for '%s'", d.fullName, n, what, slots[i].Name)
		}
	}
	return true
}

func plural(least, most int, what string) string {
	n := strconv.Itoa(least)
	if most > least {
		n += " or more"
	}
	if least == 1 && most == 1 {
		return n + " " + what
	}
	return n + " " + what + "s"
}

func (p *Parser) checkRegions(s *State, pos diag.Pos) bool {
	want, any := nameCount(s.Def.Regions)
	if n := len(s.Regions); n < want || n > want && !any {
		return p.Errorf(pos, "'%s' expected %s, found %d", s.Def.fullName,
			plural(want, atMost(want, any), "region"), n)
	}
	want, any = nameCount(s.Def.Successors)
	if n := len(s.Successors); n < want || n > want && !any {
		return p.Errorf(pos, "'%s' expected %s, found %d", s.Def.fullName,
			plural(want, atMost(want, any), "successor"), n)
	}
	return true
}

func atMost(n int, more bool) int {
	if more {
		return n + 1
	}
	return n
}

// nameCount returns the number of regions or successors that a row names, and whether there may be more.
func nameCount(names []string) (n int, more bool) {
	if len(names) > 0 && strings.HasSuffix(names[len(names)-1], "...") {
		return len(names) - 1, true
	}
	return len(names), false
}

// customOp reads an operation in the syntax of its own.
func (p *Parser) customOp(s *State) bool {
	name := p.text()
	def := p.opDef(name)
	if def == nil {
		return p.unknownOp(name)
	}
	s.Def = def
	pos := p.Pos()
	p.advance()
	switch {
	case def.ParseFn != nil:
		return def.ParseFn(p, s)
	case def.Format != "":
		return p.parseFormat(s, pos)
	}
	return p.Errorf(pos, "'%s' has no syntax of its own; write it as \"%s\"(...)", def.fullName, def.fullName)
}

// opDef finds an op by the name in the text, which may leave out the dialect of the op around it.
func (p *Parser) opDef(name string) *OpDef {
	if strings.IndexByte(name, '.') >= 0 {
		if def := LookupOp(name); def != nil {
			return def
		}
	}
	if d := p.dialects[len(p.dialects)-1]; d != "" {
		return LookupOp(d + "." + name)
	}
	return nil
}

func (p *Parser) unknownOp(name string) bool {
	dialect, _, ok := cutDialect(name)
	switch {
	case !ok:
		return p.expected("an operation")
	case LookupDialect(dialect) == nil:
		return p.Errorf(p.Pos(),
			"unknown dialect '%s': operations of other dialects are read in generic form only, \"%s\"(...)",
			dialect, name)
	}
	return p.noSuchOp(name)
}

// noSuchOp reports an operation, at hand, that its dialect does not have.
func (p *Parser) noSuchOp(name string) bool {
	dialect, rest, _ := cutDialect(name)
	d := LookupDialect(dialect)
	known := make([]string, len(d.order))
	for i, op := range d.order {
		known[i] = op.Name
	}
	p.Errorf(p.Pos(), "dialect '%s' has no operation '%s'", dialect, rest)
	if near := diag.Nearest(rest, known); near != "" {
		p.diags.Diags[len(p.diags.Diags)-1].Hint = "did you mean " + dialect + "." + near + "?"
	}
	return false
}

// genericOp reads "dialect.op"(%a)[^bb1] <{props}> ({...}) {attrs} : (types) -> types.
func (p *Parser) genericOp(s *State) bool {
	start := p.Pos()
	name := unquote(p.text())
	if name == "" {
		return p.Errorf(p.Pos(), "empty operation name is invalid")
	}
	if s.Def = LookupOp(name); s.Def == nil {
		if dialect, _, ok := cutDialect(name); ok && LookupDialect(dialect) != nil {
			return p.noSuchOp(name)
		}
		s.Def = UnknownOp(name)
	}
	p.advance()
	if !p.Literal("(") {
		return false
	}
	operands, ok := p.Operands()
	if !ok || !p.Literal(")") || !p.successorList(s) || !p.properties(s) || !p.regionList(s) ||
		!p.AttrDict(s) || !p.segmentAttrs(s) {
		return false
	}
	if !p.Literal(":") {
		return false
	}
	pos := p.Pos()
	ft, ok := p.FuncType()
	if !ok {
		return false
	}
	if len(ft.Ins) != len(operands) {
		return p.Errorf(pos, "expected %d operand types but had %d", len(operands), len(ft.Ins))
	}
	s.Results = ft.Outs
	if s.Def == ModuleOp && len(s.Regions) == 1 && s.Regions[0].Empty() {
		s.Regions[0].Append(&Block{})
	}
	if !p.ResolveAll(s, operands, ft.Ins) {
		return false
	}
	if s.Def.generic.Hide == nil {
		return true
	}
	if err := s.Def.generic.Hide(s); err != nil {
		return p.Errorf(start, "'%s' op %s", name, err)
	}
	return true
}

func (p *Parser) successorList(s *State) bool {
	if !p.Peek("[") {
		return true
	}
	return p.List("[", "]", func() bool {
		b, ok := p.Block()
		s.Successors = append(s.Successors, b)
		return ok
	})
}

// propertiesName is the attribute that holds the properties of an operation that nobody declared: which of
// its attributes are inherent, only the text can tell.
const propertiesName = "<{}>"

// properties reads an optional <{...}>.
func (p *Parser) properties(s *State) bool {
	if !p.Peek("<") {
		return true
	}
	p.advance()
	if s.Def.Unregistered {
		a, ok := p.Attr(nil)
		s.Attrs = append(s.Attrs, NamedAttr{propertiesName, a})
		return ok && p.Literal(">")
	}
	if !p.Peek("{") {
		return p.expected("'{'")
	}
	return p.AttrDict(s) && p.Literal(">")
}

func (p *Parser) regionList(s *State) bool {
	if !p.Peek("(") {
		return true
	}
	return p.List("(", ")", func() bool { return p.genericRegion(s) })
}

// segmentAttrs moves operandSegmentSizes and resultSegmentSizes from the attributes to their fields.
func (p *Parser) segmentAttrs(s *State) bool {
	return p.segmentAttr(s, SegmentedOperands, "operandSegmentSizes", &s.Segments) &&
		p.segmentAttr(s, SegmentedResults, "resultSegmentSizes", &s.ResultSegs)
}

func (p *Parser) segmentAttr(s *State, trait Trait, name string, to *[]int) bool {
	if s.Def.Unregistered || !s.Def.Has(trait) {
		return true
	}
	for i, a := range s.Attrs {
		if a.Name != name {
			continue
		}
		d, ok := a.Attr.(*DenseArrayAttr)
		if !ok || d.Elem != I32 {
			return p.Errorf(p.file.Pos(p.last), "'%s' is an array<i32: ...>", name)
		}
		*to = make([]int, len(d.Values))
		for j, v := range d.Values {
			(*to)[j] = int(v)
		}
		s.Attrs = append(s.Attrs[:i], s.Attrs[i+1:]...)
		return true
	}
	return true
}

// Arg reads %x, then ": type" if typed, then {attrs} and loc if they are there.
func (p *Parser) Arg(typed bool) (Arg, bool) {
	a := Arg{Loc: Unknown}
	var ok bool
	if a.Operand, ok = p.Operand(); !ok {
		return a, false
	}
	if a.Number != 0 {
		return a, p.Errorf(a.Pos, "result number not allowed in argument list")
	}
	if typed {
		if !p.Literal(":") {
			return a, false
		}
		if a.Type, ok = p.Type(); !ok {
			return a, false
		}
	}
	if p.Peek("{") {
		if a.Attrs, ok = p.dict(); !ok {
			return a, false
		}
	}
	a.Loc, ok = p.Loc()
	return a, ok
}
