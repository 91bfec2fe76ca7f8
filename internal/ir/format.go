package ir

import (
	"fmt"
	"strings"
	"sync"
)

// compiledFormat is an OpDef's Format as a tree, made when it is first used. The same tree is walked to read
// and to print.
type compiledFormat struct {
	once  sync.Once
	elems []*fmtElem
	used  []string // attributes that have a place of their own
	elide []string // attributes that attr-dict leaves out: those, or with prop-dict all of the row
	typed []bool   // results whose type the text shows when they are there
}

// fmtKind is the kind of an element of a Format.
type fmtKind uint8

const (
	fmtLiteral      fmtKind = iota // `to`
	fmtNewline                     // `\n`
	fmtSpace                       // ` ` or ``: says how the next element is spaced
	fmtOperand                     // $operand
	fmtResult                      // $result, inside type(...)
	fmtAttr                        // $attr
	fmtRegion                      // $region
	fmtSuccessor                   // $successor
	fmtOperands                    // operands
	fmtResults                     // results, inside type(...)
	fmtRegions                     // regions
	fmtSuccessors                  // successors
	fmtType                        // type(...)
	fmtFuncType                    // functional-type(..., ...)
	fmtAttrDict                    // attr-dict
	fmtAttrDictWord                // attr-dict-with-keyword
	fmtPropDict                    // prop-dict
	fmtGroup                       // (...)? or (...):(...)?
	fmtOIList                      // oilist(... | ...)
	fmtCustom                      // custom<Name>(...)
	fmtText                        // "text", an argument of custom
)

// fmtElem is one element.
type fmtElem struct {
	kind      fmtKind
	text      string // text of a literal; the name of a variable or a custom directive
	index     int    // index of the slot, attribute, region or successor in the row
	many      bool   // a region or successor with a trailing "..."
	space     bool   // a space is written before it
	qualified bool
	ref       bool // ref(...): an argument of custom that something else reads
	args      []*fmtElem

	then, els []*fmtElem // of a group
	anchor    *fmtElem   // its presence decides; it stands in els when inverted
	inverted  bool
	clauses   [][]*fmtElem // clauses of an oilist
}

// compiled returns the op's Format as a tree.
func (d *OpDef) compiled() *compiledFormat {
	f := d.format
	f.once.Do(func() {
		c := &fmtCompiler{def: d, src: d.Format, out: f}
		f.typed = make([]bool, len(d.Results))
		f.elems = c.sequence("")
		if c.pos < len(c.src) {
			c.fail("unexpected %q", c.src[c.pos:])
		}
		f.elide = f.used
		if strings.Contains(d.Format, "prop-dict") {
			f.elide = nil
			for _, a := range d.Attrs {
				f.elide = append(f.elide, a.Name)
			}
		}
		(&spacer{emit: true}).place(f.elems)
	})
	return f
}

// CompileFormats compiles the Formats of all declared ops, and panics at one that is wrong.
func CompileFormats() {
	for _, d := range Dialects() {
		for _, op := range d.order {
			if op.Format != "" {
				op.compiled()
			}
		}
	}
}

// fmtCompiler reads a Format. What is wrong with one is a mistake in the table, so it panics.
type fmtCompiler struct {
	def *OpDef
	src string
	pos int
	out *compiledFormat
}

func (c *fmtCompiler) fail(f string, args ...any) {
	panic(fmt.Sprintf("ir: Format of %s, at %d: %s", c.def.fullName, c.pos, fmt.Sprintf(f, args...)))
}

func (c *fmtCompiler) skip() {
	c.pos = run(c.src, c.pos, clSpace)
}

func (c *fmtCompiler) try(s string) bool {
	c.skip()
	if !strings.HasPrefix(c.src[c.pos:], s) {
		return false
	}
	c.pos += len(s)
	return true
}

func (c *fmtCompiler) want(s string) {
	if !c.try(s) {
		c.fail("expected %q", s)
	}
}

// sequence reads elements up to one of the characters in stop, or the end.
func (c *fmtCompiler) sequence(stop string) []*fmtElem {
	var elems []*fmtElem
	for {
		c.skip()
		if c.pos == len(c.src) || strings.IndexByte(stop, c.src[c.pos]) >= 0 {
			return elems
		}
		elems = append(elems, c.element())
	}
}

func (c *fmtCompiler) element() *fmtElem {
	c.skip()
	switch {
	case c.try("`"):
		return c.literal()
	case c.try("$"):
		e := c.variable()
		if e.kind == fmtAttr {
			c.out.used = append(c.out.used, e.text)
		}
		return e
	case c.try("("):
		return c.group()
	case c.try(`"`):
		end := strings.IndexByte(c.src[c.pos:], '"')
		if end < 0 {
			c.fail("string without an end")
		}
		c.pos += end + 1
		return &fmtElem{kind: fmtText, text: c.src[c.pos-end-1 : c.pos-1]}
	}
	return c.directive()
}

func (c *fmtCompiler) literal() *fmtElem {
	end := strings.IndexByte(c.src[c.pos:], '`')
	if end < 0 {
		c.fail("literal without an end")
	}
	text := c.src[c.pos : c.pos+end]
	c.pos += end + 1
	switch text {
	case "", " ":
		return &fmtElem{kind: fmtSpace, text: text}
	case `\n`, "\n":
		return &fmtElem{kind: fmtNewline}
	}
	return &fmtElem{kind: fmtLiteral, text: text}
}

func (c *fmtCompiler) word() string {
	c.skip()
	end := run(c.src, c.pos, clLetter|clDigit|clMinus)
	w := c.src[c.pos:end]
	c.pos = end
	return w
}

// variable finds what $name names in the row.
func (c *fmtCompiler) variable() *fmtElem {
	name := c.word()
	d := c.def
	for i, s := range d.Operands {
		if s.Name == name {
			return &fmtElem{kind: fmtOperand, text: name, index: i}
		}
	}
	for i, s := range d.Results {
		if s.Name == name {
			return &fmtElem{kind: fmtResult, text: name, index: i}
		}
	}
	for i, s := range d.Attrs {
		if s.Name == name {
			return &fmtElem{kind: fmtAttr, text: name, index: i}
		}
	}
	if i, many := nameIndex(d.Regions, name); i >= 0 {
		return &fmtElem{kind: fmtRegion, text: name, index: i, many: many}
	}
	if i, many := nameIndex(d.Successors, name); i >= 0 {
		return &fmtElem{kind: fmtSuccessor, text: name, index: i, many: many}
	}
	c.fail("no operand, result, attribute, region or successor %q", name)
	return nil
}

func nameIndex(names []string, name string) (i int, many bool) {
	for i, n := range names {
		if trimmed := strings.TrimSuffix(n, "..."); trimmed == name {
			return i, trimmed != n
		}
	}
	return -1, false
}

var fmtWords = map[string]fmtKind{
	"attr-dict": fmtAttrDict, "attr-dict-with-keyword": fmtAttrDictWord, "prop-dict": fmtPropDict,
	"operands": fmtOperands, "results": fmtResults, "regions": fmtRegions, "successors": fmtSuccessors,
}

func (c *fmtCompiler) directive() *fmtElem {
	w := c.word()
	if kind, ok := fmtWords[w]; ok {
		return &fmtElem{kind: kind}
	}
	switch w {
	case "type":
		return c.shown(&fmtElem{kind: fmtType, args: c.arguments(1)})
	case "functional-type":
		return c.shown(&fmtElem{kind: fmtFuncType, args: c.arguments(2)})
	case "qualified":
		e := c.arguments(1)[0]
		e.qualified = true
		return e
	case "ref":
		used := c.out.used
		e := c.arguments(1)[0]
		c.out.used = used
		e.ref = true
		return e
	case "custom":
		c.want("<")
		name := c.word()
		c.want(">")
		return &fmtElem{kind: fmtCustom, text: name, args: c.arguments(-1)}
	case "oilist":
		return c.oilist()
	}
	c.fail("unknown directive %q", w)
	return nil
}

// shown notes the results whose types an element shows.
func (c *fmtCompiler) shown(e *fmtElem) *fmtElem {
	for _, a := range e.args {
		switch a.kind {
		case fmtResult:
			c.out.typed[a.index] = true
		case fmtResults:
			for i := range c.out.typed {
				c.out.typed[i] = true
			}
		}
	}
	return e
}

// arguments reads (a, b): n of them, or any number when n is negative.
func (c *fmtCompiler) arguments(n int) []*fmtElem {
	c.want("(")
	var args []*fmtElem
	for !c.try(")") {
		args = append(args, c.element())
		c.try(",")
	}
	if n >= 0 && len(args) != n {
		c.fail("expected %d arguments, found %d", n, len(args))
	}
	return args
}

func (c *fmtCompiler) oilist() *fmtElem {
	e := &fmtElem{kind: fmtOIList}
	c.want("(")
	for {
		clause := c.sequence("|)")
		if len(clause) == 0 || clause[0].kind != fmtLiteral {
			c.fail("a clause of oilist begins with a literal")
		}
		e.clauses = append(e.clauses, clause)
		if !c.try("|") {
			c.want(")")
			return e
		}
	}
}

// group reads the rest of (...)? or (...):(...)?, the first parenthesis being read.
func (c *fmtCompiler) group() *fmtElem {
	g := &fmtElem{kind: fmtGroup}
	g.then = c.anchored(g)
	c.want(")")
	if c.try(":") {
		c.want("(")
		had := g.anchor != nil
		g.els = c.anchored(g)
		g.inverted = !had
		c.want(")")
	}
	c.want("?")
	if g.anchor == nil {
		c.fail("a group has no anchor")
	}
	return g
}

// anchored reads the elements of a group and notes the one marked by ^.
func (c *fmtCompiler) anchored(g *fmtElem) []*fmtElem {
	var elems []*fmtElem
	for {
		c.skip()
		if c.pos == len(c.src) || c.src[c.pos] == ')' {
			return elems
		}
		e := c.element()
		if c.try("^") {
			g.anchor = e
		}
		elems = append(elems, e)
	}
}

// spacer decides where spaces go, in the order of the text, as MLIR's generator of printers does: the result
// does not depend on which groups are present.
type spacer struct {
	emit  bool // a space is due
	punct bool // the last thing written was punctuation
}

func (s *spacer) place(elems []*fmtElem) {
	for _, e := range elems {
		s.one(e)
	}
}

func (s *spacer) one(e *fmtElem) {
	switch e.kind {
	case fmtLiteral:
		e.space = s.emit && spaceBefore(e.text, s.punct)
		s.emit = len(e.text) != 1 || strings.IndexByte("<({[", e.text[0]) < 0
		s.punct = charClass[e.text[0]]&clLetter == 0
	case fmtSpace:
		e.space = e.text != ""
		s.emit, s.punct = false, e.text == ""
	case fmtNewline:
	case fmtGroup:
		s.place(e.then)
		s.place(e.els)
	case fmtOIList:
		for _, clause := range e.clauses {
			s.place(clause)
		}
	case fmtAttrDict, fmtAttrDictWord, fmtPropDict:
		s.punct = false
	default:
		e.space = s.emit || !s.punct
		s.emit, s.punct = true, false
	}
}

func spaceBefore(text string, afterPunct bool) bool {
	switch {
	case len(text) != 1 && text != "->":
		return true
	case afterPunct:
		return strings.IndexByte(">)}],", text[0]) < 0
	}
	return strings.IndexByte("<>(){}[],", text[0]) < 0
}

// Directive reads and writes custom<Name>(...) in Formats.
type Directive struct {
	// Parse reads what the directive stands for and fills the arguments that are not Ref. One that finds
	// nothing, where that is right, leaves them empty and returns true.
	Parse func(p *Parser, s *State, args []*FormatArg) bool
	Print func(p *Printer, op *Op, args []*FormatArg)
}

// FormatArg is one argument of a custom directive: what it stands for when printing, where it goes when
// reading.
type FormatArg struct {
	Name     string    // name of the operand, attribute, ..., or the text of a string
	Ref      bool      // ref(...): read elsewhere; here to be looked at
	Operands []Operand // operands read for a variable
	Values   []*Value  // values printed for a variable
	Types    []Type    // types that type(...) prints or reads
	Attr     Attr
	Regions  []*Region
	Blocks   []*Block
}

var directives = struct {
	sync.RWMutex
	m map[string]Directive
}{m: map[string]Directive{}}

// CustomDirective declares custom<name>(...).
func CustomDirective(name string, d Directive) struct{} {
	directives.Lock()
	defer directives.Unlock()
	if _, ok := directives.m[name]; ok {
		panic("ir: directive " + name + " declared twice")
	}
	directives.m[name] = d
	return struct{}{}
}

func directive(name string) Directive {
	directives.RLock()
	defer directives.RUnlock()
	d, ok := directives.m[name]
	if !ok {
		panic("ir: no directive custom<" + name + ">")
	}
	return d
}
