package ir

import (
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/num"
)

// maxIntWidth is the widest integer type, as in MLIR.
const maxIntWidth = 1<<24 - 1

var wordTypes = func() map[string]Type {
	m := map[string]Type{"index": Index, "none": None}
	for _, f := range num.MLIR {
		m[f.Name] = Float(f)
	}
	// Formats that num does not know; no kernel computes with them, and MLIR's text may still name them.
	for _, f := range []string{"f80", "f128", "f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E8M0FNU"} {
		m[f] = Opaque(f)
	}
	return m
}()

var shapedTypes map[string]func(*Parser) (Type, bool)

func init() { // a variable's own initialiser would refer to itself through Type
	shapedTypes = map[string]func(*Parser) (Type, bool){
		"tensor": (*Parser).tensorType, "memref": (*Parser).memrefType, "vector": (*Parser).vectorType,
		"tuple": (*Parser).tupleType, "complex": (*Parser).complexType,
	}
}

// Type reads a type.
func (p *Parser) Type() (Type, bool) {
	if !p.enter() {
		return nil, false
	}
	defer p.leave()
	p.weight++
	switch p.tok.kind {
	case tokBang:
		return p.bangType()
	case tokPunct:
		if p.Peek("(") {
			t, ok := p.FuncType()
			return t, ok
		}
	case tokWord:
		return p.wordType()
	}
	return nil, p.expected("a type")
}

// startsType reports whether the next token can only be the beginning of a type.
func (p *Parser) startsType() bool {
	switch p.tok.kind {
	case tokBang:
		return true
	case tokPunct:
		return p.Peek("(")
	case tokWord:
		w := p.text()
		return wordTypes[w] != nil || shapedTypes[w] != nil || isIntName(w)
	}
	return false
}

// Types reads a comma-separated list of at least one type.
func (p *Parser) Types() ([]Type, bool) {
	var ts []Type
	for {
		t, ok := p.Type()
		if !ok {
			return nil, false
		}
		ts = append(ts, t)
		if !p.Try(",") {
			return ts, true
		}
	}
}

// FuncType reads (types) -> types.
func (p *Parser) FuncType() (*FunctionType, bool) {
	ins, ok := p.typeList("(", ")")
	if !ok || !p.Literal("->") {
		return nil, false
	}
	outs, ok := p.resultTypes()
	if !ok {
		return nil, false
	}
	return Func(ins, outs), true
}

// resultTypes reads (types) or one type.
func (p *Parser) resultTypes() ([]Type, bool) {
	if p.Peek("(") {
		return p.typeList("(", ")")
	}
	t, ok := p.Type()
	return []Type{t}, ok
}

func (p *Parser) typeList(open, close string) ([]Type, bool) {
	var ts []Type
	ok := p.List(open, close, func() bool {
		t, ok := p.Type()
		ts = append(ts, t)
		return ok
	})
	return ts, ok
}

func isIntName(w string) bool {
	digits := strings.TrimPrefix(strings.TrimLeft(w, "su"), "i")
	return len(w)-len(digits) <= 2 && strings.HasSuffix(w[:len(w)-len(digits)], "i") && digits != "" &&
		run(digits, 0, clDigit) == len(digits)
}

func (p *Parser) wordType() (Type, bool) {
	w := p.text()
	if t := wordTypes[w]; t != nil {
		p.advance()
		return t, true
	}
	if isIntName(w) {
		return p.intType(w)
	}
	if f := shapedTypes[w]; f != nil {
		return p.again(func() (Type, bool) {
			p.advance()
			return f(p)
		})
	}
	return nil, p.expected("a type")
}

// seenType is a type that stood in the text before.
type seenType struct {
	typ    Type
	weight int
}

// again reads a type with <...>, or finds that the same words were read before: types are long, few, and come
// up all the time. Aliases mean one thing throughout a text, so equal words are equal types.
func (p *Parser) again(read func() (Type, bool)) (Type, bool) {
	start := p.tok.start
	end := anglesEnd(p.src, p.tok.end)
	if end == 0 {
		return read()
	}
	words := p.src[start:end]
	if s, ok := p.types[words]; ok {
		p.weight += s.weight
		p.last, p.tok = end, lex(p.src, end)
		return s.typ, p.budget()
	}
	weight := p.weight
	t, ok := read()
	if ok && p.last == end {
		p.types[words] = seenType{t, p.weight - weight}
	}
	return t, ok
}

// anglesEnd returns the end of the <...> that begins at i, or 0 if only a full parse can tell.
func anglesEnd(src string, i int) int {
	depth := 0
	for end := min(len(src), i+1000); i < end; i++ {
		switch src[i] {
		case '<':
			depth++
		case '>':
			if src[i-1] == '-' {
				continue
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', '\n', '/':
			return 0
		default:
			if depth == 0 {
				return 0
			}
		}
	}
	return 0
}

func (p *Parser) intType(w string) (Type, bool) {
	sign := Signless
	switch w[0] {
	case 's':
		sign = Signed
	case 'u':
		sign = Unsigned
	}
	n, err := strconv.Atoi(w[strings.IndexByte(w, 'i')+1:])
	if err != nil || n > maxIntWidth {
		return nil, p.Errorf(p.Pos(), "integer types have at most %d bits", maxIntWidth)
	}
	p.advance()
	return SignedInt(n, sign), true
}

// bangType reads !alias, !dialect.name<...> or !dialect<name<...>>.
func (p *Parser) bangType() (Type, bool) {
	name := p.text()[1:]
	if strings.IndexByte(name, '.') < 0 && !strings.HasPrefix(p.src[p.tok.end:], "<") {
		a := p.alias()
		if a == nil {
			return nil, false
		}
		return a.typ, p.budget()
	}
	if def := LookupType(name); def != nil {
		return p.again(func() (Type, bool) {
			p.advance()
			return p.typeBody(def)
		})
	}
	start := p.tok.start
	text, ok := p.unread()
	if !ok {
		return nil, false
	}
	if def := LookupType(oldForm(name, text)); def != nil {
		return p.oldType(def, start)
	}
	return Opaque("!" + name + text), true
}

// oldForm returns the name in !dialect<name<...>>, an older spelling of !dialect.name<...>.
func oldForm(dialect, body string) string {
	if body == "" || strings.IndexByte(dialect, '.') >= 0 {
		return ""
	}
	return dialect + "." + body[1:run(body, 1, clLetter|clDigit|clMark)]
}

func (p *Parser) oldType(def *TypeDef, at int) (Type, bool) {
	p.backInto(at)
	t, ok := p.typeBody(def)
	return t, ok && p.Literal(">")
}

// backInto goes back to what follows the name in !dialect<name...> or #dialect<name...> at the given place.
func (p *Parser) backInto(at int) {
	p.tok = lex(p.src, at)
	for range 3 {
		p.advance()
	}
}

func (p *Parser) typeBody(def *TypeDef) (Type, bool) {
	if def.Parse == nil {
		return def.Get(), true
	}
	return def.Parse(p)
}

// TypeOf reads a type of one kind, whose "!dialect.name" may be left out.
func (p *Parser) TypeOf(def *TypeDef) (Type, bool) {
	if !p.startsType() && def.Parse != nil {
		return def.Parse(p)
	}
	pos := p.Pos()
	t, ok := p.Type()
	if !ok {
		return nil, false
	}
	if dt, is := t.(*DialectType); !is || dt.Def != def {
		return nil, p.Errorf(pos, "expected a type !%s.%s, found '%s'", def.Dialect.Name, def.Name, t)
	}
	return t, true
}

// shapeAndElem reads `4x?xf32`, or `*xf32` where unranked comes out true.
func (p *Parser) shapeAndElem() (shape []int64, elem Type, unranked, ok bool) {
	if p.Try("*") {
		unranked, ok = true, p.takeX()
	} else {
		shape, ok = p.Dims()
	}
	if !ok {
		return
	}
	elem, ok = p.Type()
	return
}

func (p *Parser) tensorType() (Type, bool) {
	if !p.Literal("<") {
		return nil, false
	}
	shape, elem, unranked, ok := p.shapeAndElem()
	if !ok {
		return nil, false
	}
	var enc Attr
	if p.Peek(",") {
		if unranked {
			return nil, p.Errorf(p.Pos(), "cannot apply encoding to unranked tensor")
		}
		p.advance()
		if enc, ok = p.Attr(nil); !ok {
			return nil, false
		}
	}
	if !p.Literal(">") {
		return nil, false
	}
	if unranked {
		return UnrankedTensor(elem), true
	}
	return Tensor(shape, elem, enc), true
}

func (p *Parser) memrefType() (Type, bool) {
	if !p.Literal("<") {
		return nil, false
	}
	shape, elem, unranked, ok := p.shapeAndElem()
	if !ok {
		return nil, false
	}
	var layout, space Attr
	for p.Peek(",") {
		p.advance()
		pos := p.Pos()
		a, ok := p.Attr(nil)
		if !ok {
			return nil, false
		}
		switch {
		case space != nil:
			return nil, p.Errorf(pos, "nothing follows the memory space of a memref")
		case !isLayout(a):
			space = a
		case unranked || layout != nil:
			return nil, p.Errorf(pos, "a memref has at most one layout, and none when it is unranked")
		default:
			layout = a
		}
	}
	if m, ok := layout.(*AffineMapAttr); ok && m.Map.IsIdentity() {
		layout = nil
	}
	if space == I64Attr(0) {
		space = nil
	}
	if !p.Literal(">") {
		return nil, false
	}
	if unranked {
		return UnrankedMemRef(elem, space), true
	}
	return MemRef(shape, elem, layout, space), true
}

func isLayout(a Attr) bool { return isAttr[*AffineMapAttr](a) || isAttr[*StridedLayoutAttr](a) }

func (p *Parser) vectorType() (Type, bool) {
	if !p.Literal("<") {
		return nil, false
	}
	shape, scalable, ok := p.VectorDims()
	if !ok {
		return nil, false
	}
	for _, d := range shape {
		if d == Dynamic || d == 0 {
			return nil, p.Errorf(p.Pos(), "vector dimensions must be positive")
		}
	}
	elem, ok := p.Type()
	return Vector(shape, scalable, elem), ok && p.Literal(">")
}

func (p *Parser) tupleType() (Type, bool) {
	ts, ok := p.typeList("<", ">")
	return Tuple(ts), ok
}

func (p *Parser) complexType() (Type, bool) {
	if !p.Literal("<") {
		return nil, false
	}
	t, ok := p.Type()
	return Complex(t), ok && p.Literal(">")
}
