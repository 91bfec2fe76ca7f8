package target

import (
	"fmt"
	"strconv"
	"strings"
)

// Op is an operation. In MLIR's generic form it reads
//
//	%r = "dialect.name"(%operands) <{properties}> ({regions}) {attributes} : (types) -> types
//
// and pretty.go says how in the pretty one.
type Op struct {
	Name     string
	Operands []*Value
	Results  []*Value
	Attrs    map[string]string // properties and attributes, as their text; a unit attribute is ""
	Regions  [][]*Block
	Line     int
}

// Block is a list of operations with arguments of its own.
type Block struct {
	Args []*Value
	Ops  []*Op
}

// Value is an SSA value. Its identity is its address: names repeat in sibling regions.
type Value struct {
	Name string
	Type Type
}

// parser reads generic form. Its scopes are the names that regions see, innermost last.
type parser struct {
	src     string
	pos     int
	aliases map[string]string // "#map" by its name
	scopes  []map[string]*Value
}

// syntaxError stops a parse; Parse recovers it, so that productions need not hand errors up.
type syntaxError struct{ error }

// Parse returns the operations at the top of a text.
func Parse(src string) (ops []*Op, err error) {
	p := &parser{src: src, aliases: map[string]string{}, scopes: []map[string]*Value{{}}}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(syntaxError)
			if !ok {
				panic(r)
			}
			ops, err = nil, e.error
		}
	}()
	for p.skip(); p.pos < len(p.src); p.skip() {
		if p.peek("#") || p.peek("!") {
			p.alias()
			continue
		}
		ops = append(ops, p.op())
	}
	return ops, nil
}

func (p *parser) fail(format string, args ...any) {
	panic(syntaxError{fmt.Errorf("line %d: %s", p.line(), fmt.Sprintf(format, args...))})
}

func (p *parser) line() int { return 1 + strings.Count(p.src[:p.pos], "\n") }

// skip passes over white space and comments.
func (p *parser) skip() {
	for p.pos < len(p.src) {
		switch rest := p.src[p.pos:]; {
		case strings.HasPrefix(rest, "//"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			p.pos += n
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			p.pos++
		default:
			return
		}
	}
}

func (p *parser) peek(s string) bool {
	p.skip()
	return strings.HasPrefix(p.src[p.pos:], s)
}

// take passes over s where it comes next, and reports whether it did.
func (p *parser) take(s string) bool {
	if !p.peek(s) {
		return false
	}
	p.pos += len(s)
	return true
}

func (p *parser) expect(s string) {
	if !p.take(s) {
		end := min(p.pos+20, len(p.src))
		p.fail("expected %q, found %q", s, p.src[p.pos:end])
	}
}

// list reads items, separated by commas, up to the closing text.
func (p *parser) list(closing string, item func()) {
	for first := true; !p.take(closing); first = false {
		if !first {
			p.expect(",")
		}
		item()
	}
}

// word reads a name: letters, digits and what dialects put between them.
func (p *parser) word() string {
	p.skip()
	start := p.pos
	for p.pos < len(p.src) && isWord(p.src[p.pos]) {
		p.pos++
	}
	if p.pos == start {
		p.fail("expected a name")
	}
	return p.src[start:p.pos]
}

func isWord(c byte) bool {
	return c == '_' || c == '.' || c == '$' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' ||
		c >= 'A' && c <= 'Z'
}

// balanced reads text up to a character of stop that stands outside all brackets and strings.
func (p *parser) balanced(stop string) string {
	p.skip()
	start, depth := p.pos, 0
	for ; p.pos < len(p.src); p.pos++ {
		c := p.src[p.pos]
		if depth == 0 && strings.IndexByte(stop, c) >= 0 {
			break
		}
		switch c {
		case '"':
			p.quoted()
			p.pos-- // the loop passes over the closing quote
		case '<', '(', '[', '{':
			depth++
		case '>', ')', ']', '}':
			if c != '>' || p.src[p.pos-1] != '-' { // not that of an arrow
				depth--
			}
		}
		if depth < 0 {
			p.fail("%q closes nothing", c)
		}
	}
	return strings.TrimSpace(p.src[start:p.pos])
}

// quoted reads a string literal.
func (p *parser) quoted() string {
	p.expect(`"`)
	start := p.pos
	for p.pos < len(p.src) && p.src[p.pos] != '"' {
		if p.src[p.pos] == '\\' {
			p.pos++
		}
		p.pos++
	}
	if p.pos >= len(p.src) {
		p.pos = start
		p.fail("a string has no end")
	}
	s := p.src[start:p.pos]
	p.pos++
	return s
}

// alias reads "#name = attribute", which ends with its line.
func (p *parser) alias() {
	name := p.src[p.pos:p.pos+1] + func() string { p.pos++; return p.word() }()
	p.expect("=")
	p.aliases[name] = p.balanced("\n")
}

// op reads an operation.
func (p *parser) op() *Op {
	p.skip()
	op := &Op{Line: p.line(), Attrs: map[string]string{}}
	names := p.resultNames()
	if !p.peek(`"`) {
		p.pretty(op, names)
		return op
	}
	op.Name = p.quoted()
	p.expect("(")
	p.list(")", func() { op.Operands = append(op.Operands, p.use()) })
	if p.peek("[") {
		p.fail("%s branches between blocks: only structured control flow is read", op.Name)
	}
	if p.take("<{") {
		p.attrs(op.Attrs, "}>")
	}
	if p.peek("({") {
		p.expect("(")
		p.list(")", func() { op.Regions = append(op.Regions, p.region()) })
	}
	if p.take("{") {
		p.attrs(op.Attrs, "}")
	}
	p.expect(":")
	p.signature(op, names)
	if p.take("loc(") {
		p.balanced(")")
		p.expect(")")
	}
	return op
}

// resultNames reads "%a, %b:2 =" and returns a name for each value: "%a", "%b#0", "%b#1".
func (p *parser) resultNames() (names []string) {
	for p.take("%") {
		name := "%" + p.word()
		if !p.take(":") {
			names = append(names, name)
		} else {
			n, err := strconv.Atoi(p.word())
			if err != nil {
				p.fail("expected a number of results: %v", err)
			}
			for i := range n {
				names = append(names, fmt.Sprintf("%s#%d", name, i))
			}
		}
		if !p.take(",") {
			p.expect("=")
		}
	}
	return names
}

// use reads "%a" or "%a#1" and returns the value of that name.
func (p *parser) use() *Value {
	p.expect("%")
	name := "%" + p.word()
	if strings.HasPrefix(p.src[p.pos:], "#") {
		p.pos++
		name += "#" + p.word()
	}
	for i := len(p.scopes) - 1; i >= 0; i-- {
		for _, n := range []string{name, strings.TrimSuffix(name, "#0")} {
			if v := p.scopes[i][n]; v != nil {
				return v
			}
		}
	}
	p.fail("%s is used before it is defined", name)
	return nil
}

func (p *parser) define(name string, t Type) *Value {
	v := &Value{name, t}
	p.scopes[len(p.scopes)-1][name] = v
	return v
}

// attrs reads "name = value, ..." into a map, with aliases resolved.
func (p *parser) attrs(into map[string]string, closing string) {
	p.list(closing, func() {
		var name string
		if p.peek(`"`) {
			name = p.quoted()
		} else {
			name = p.word()
		}
		value := ""
		if p.take("=") {
			value = p.resolve(p.balanced(",}"))
		}
		into[name] = value
	})
}

// resolve puts attributes in the place of their aliases.
func (p *parser) resolve(s string) string {
	if !strings.Contains(s, "#") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		end := i + 1
		for s[i] == '#' && end < len(s) && isWord(s[end]) {
			end++
		}
		text := s[i:end]
		if a, ok := p.aliases[text]; ok {
			text = a
		}
		b.WriteString(text)
		i = end
	}
	return b.String()
}

// region reads "{ operations of the first block, ^label(args): operations }".
func (p *parser) region() (blocks []*Block) {
	p.expect("{")
	p.scopes = append(p.scopes, map[string]*Value{})
	defer func() { p.scopes = p.scopes[:len(p.scopes)-1] }()
	for !p.take("}") {
		b := &Block{}
		if p.take("^") {
			p.word()
			if p.take("(") {
				p.list(")", func() { b.Args = append(b.Args, p.blockArg()) })
			}
			p.expect(":")
		}
		for !p.peek("^") && !p.peek("}") {
			b.Ops = append(b.Ops, p.op())
		}
		blocks = append(blocks, b)
	}
	return blocks
}

func (p *parser) blockArg() *Value {
	p.expect("%")
	name := "%" + p.word()
	p.expect(":")
	v := p.define(name, p.typ())
	if p.take("loc(") {
		p.balanced(")")
		p.expect(")")
	}
	return v
}

// signature reads "(types) -> types", checks the operands against it and defines the results.
func (p *parser) signature(op *Op, names []string) {
	var in, out []Type
	p.expect("(")
	p.list(")", func() { in = append(in, p.typ()) })
	p.expect("->")
	if p.take("(") {
		p.list(")", func() { out = append(out, p.typ()) })
	} else {
		out = append(out, p.typ())
	}
	if len(in) != len(op.Operands) || len(out) < len(names) {
		p.fail("%s has %d operands and %d results, and a type of %d and %d",
			op.Name, len(op.Operands), len(names), len(in), len(out))
	}
	for i, t := range out {
		name := "%" // results that nobody names have no uses
		if i < len(names) {
			name = names[i]
		}
		op.Results = append(op.Results, p.define(name, t))
	}
}

// typ reads a type: a name, with parameters in angle brackets where it has some.
func (p *parser) typ() Type {
	p.skip()
	start := p.pos
	p.take("!")
	p.word()
	if strings.HasPrefix(p.src[p.pos:], "<") {
		p.pos++
		p.balanced(">")
		p.expect(">")
	}
	t, err := ParseType(p.src[start:p.pos])
	if err != nil {
		p.fail("%v", err)
	}
	return t
}
