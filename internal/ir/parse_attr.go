package ir

import (
	"strconv"
	"strings"
)

var wordAttrs map[string]func(p *Parser, implied Type) (Attr, bool)

func init() { // a variable's own initialiser would refer to itself through Attr
	wordAttrs = map[string]func(*Parser, Type) (Attr, bool){
		"true":           func(*Parser, Type) (Attr, bool) { return BoolAttr(true), true },
		"false":          func(*Parser, Type) (Attr, bool) { return BoolAttr(false), true },
		"unit":           func(*Parser, Type) (Attr, bool) { return Unit, true },
		"dense":          (*Parser).denseAttr,
		"array":          func(p *Parser, _ Type) (Attr, bool) { return p.denseArray() },
		"affine_map":     func(p *Parser, _ Type) (Attr, bool) { return p.affineMapAttr() },
		"affine_set":     func(p *Parser, _ Type) (Attr, bool) { return p.verbatim("affine_set", false) },
		"strided":        func(p *Parser, _ Type) (Attr, bool) { return p.stridedAttr() },
		"dense_resource": func(p *Parser, _ Type) (Attr, bool) { return p.verbatim("dense_resource", true) },
		"sparse":         func(p *Parser, _ Type) (Attr, bool) { return p.verbatim("sparse", true) },
	}
}

// Attr reads an attribute. implied is the type of a bare number; nil for i64 or f64, unless the text has `:
// type`.
func (p *Parser) Attr(implied Type) (Attr, bool) {
	if !p.enter() {
		return nil, false
	}
	defer p.leave()
	p.weight++
	switch p.tok.kind {
	case tokInt, tokFloat:
		return p.number(implied)
	case tokString:
		s, ok := p.String()
		return Str(s), ok
	case tokAt:
		return p.symbolRef()
	case tokHash:
		return p.hashAttr()
	case tokBang:
		return p.typeAttr()
	case tokPunct:
		return p.punctAttr(implied)
	case tokWord:
		return p.wordAttr(implied)
	}
	return nil, p.expected("an attribute")
}

// startsAttr reports whether an attribute can begin here.
func (p *Parser) startsAttr() bool {
	switch p.tok.kind {
	case tokInt, tokFloat, tokString, tokAt, tokHash, tokBang:
		return true
	case tokPunct:
		return p.Peek("-") || p.Peek("[") || p.Peek("{") || p.Peek("(")
	case tokWord:
		return wordAttrs[p.text()] != nil || p.text() == "loc" || p.startsType()
	}
	return false
}

func (p *Parser) punctAttr(implied Type) (Attr, bool) {
	switch p.text() {
	case "-":
		return p.number(implied)
	case "[":
		return p.arrayAttr()
	case "{":
		d, ok := p.dict()
		return d, ok
	case "(":
		return p.typeAttr()
	}
	return nil, p.expected("an attribute")
}

func (p *Parser) wordAttr(implied Type) (Attr, bool) {
	if f := wordAttrs[p.text()]; f != nil {
		p.advance()
		return f(p, implied)
	}
	switch {
	case p.Peek("loc"):
		l, ok := p.Loc()
		return l, ok
	case p.startsType():
		return p.typeAttr()
	}
	return nil, p.expected("an attribute")
}

func (p *Parser) typeAttr() (Attr, bool) {
	t, ok := p.Type()
	if !ok {
		return nil, false
	}
	return TypeOf(t), true
}

// literal is a number, or true or false, whose type is not known yet.
type literal struct {
	tok token // the whole of it, the minus included
	neg bool
	num token
}

func (p *Parser) literal() (literal, bool) {
	l := literal{tok: p.tok}
	l.neg = p.Try("-")
	l.num = p.tok
	word := p.tok.kind == tokWord && !l.neg && (p.text() == "true" || p.text() == "false")
	if p.tok.kind != tokInt && p.tok.kind != tokFloat && !word {
		return l, p.expected("a number")
	}
	l.tok.end = p.tok.end
	p.advance()
	return l, true
}

func (p *Parser) number(implied Type) (Attr, bool) {
	l, ok := p.literal()
	if !ok {
		return nil, false
	}
	t := implied
	if t == nil {
		t = I64
		if l.num.kind == tokFloat {
			t = F64
		}
		if p.Try(":") {
			if t, ok = p.Type(); !ok {
				return nil, false
			}
		}
	}
	bits, ok := p.literalBits(l, t)
	if !ok {
		return nil, false
	}
	return ScalarFromBits(bits, t), true
}

// literalBits returns the value of a literal as a scalar of type t.
func (p *Parser) literalBits(l literal, t Type) (uint64, bool) {
	switch t := t.(type) {
	case *FloatType:
		return p.floatBits(l, t)
	case *IntegerType, *IndexType:
		return p.intBits(l, t)
	}
	return 0, p.errorSpan(l.tok, "a number cannot have type '%s'", t)
}

func (p *Parser) floatBits(l literal, t *FloatType) (uint64, bool) {
	text := p.src[l.num.start:l.num.end]
	switch {
	case l.num.kind == tokFloat:
		v, _ := strconv.ParseFloat(text, 64) // out of range is an infinity, as in MLIR
		if l.neg {
			v = -v
		}
		return t.Format.Encode(v), true
	case l.num.kind == tokInt && strings.HasPrefix(text, "0x") && !l.neg:
		u, err := strconv.ParseUint(text[2:], 16, 64)
		if err != nil || t.Format.Bits < 64 && u>>t.Format.Bits != 0 {
			return 0, p.errorSpan(l.tok, "'%s' has fewer bits than the constant", t)
		}
		return u, true
	}
	return 0, p.errorSpan(l.tok, "expected a floating point literal for type '%s'", t)
}

func (p *Parser) intBits(l literal, t Type) (uint64, bool) {
	text := p.src[l.num.start:l.num.end]
	if l.num.kind == tokWord {
		if t != I1 {
			return 0, p.errorSpan(l.tok, "'%s' is an i1, not '%s'", text, t)
		}
		return uint64(len("false") - len(text)), true // true is 1
	}
	if l.num.kind != tokInt {
		return 0, p.errorSpan(l.tok, "expected an integer literal for type '%s'", t)
	}
	v, ok := parseInt(text, l.neg)
	if !ok || !fits(v, l.neg, t) {
		return 0, p.errorSpan(l.tok, "'%s' cannot hold the constant", t)
	}
	return uint64(v), true
}

// fits reports whether an integer type holds a value: a signless one is read both ways, so i8 takes -128 to
// 255.
func fits(v int64, neg bool, t Type) bool {
	width, sign := BitWidth(t), Signless
	if it, ok := t.(*IntegerType); ok {
		sign = it.Sign
	}
	switch {
	case neg && v != 0 && sign == Unsigned:
		return false
	case neg:
		return width >= 64 || v >= -1<<(max(width, 1)-1)
	case sign == Signed || t == Index:
		return v >= 0 && (width >= 64 || v < 1<<(max(width, 1)-1))
	}
	return width >= 64 || uint64(v)>>width == 0
}

func (p *Parser) symbolRef() (Attr, bool) {
	root, ok := p.Symbol()
	var nested []string
	for ok && p.Try("::") {
		var n string
		pos := p.Pos()
		if n, ok = p.Symbol(); ok && strings.Contains(n, "::") {
			return nil, p.Errorf(pos, "a nested symbol's name may not contain '::'")
		}
		nested = append(nested, n)
	}
	return NestedSymbolRef(root, strings.Join(nested, "::")), ok
}

func (p *Parser) arrayAttr() (Attr, bool) {
	var elems []Attr
	ok := p.List("[", "]", func() bool {
		a, ok := p.Attr(nil)
		elems = append(elems, a)
		return ok
	})
	if !ok {
		return nil, false
	}
	return Array(elems...), true
}

// dict reads {name = attr, name, ...}.
func (p *Parser) dict() (*DictAttr, bool) {
	list, ok := p.namedAttrs()
	if !ok {
		return nil, false
	}
	return Dict(list...), true
}

func (p *Parser) namedAttrs() ([]NamedAttr, bool) {
	var list []NamedAttr
	seen := map[string]bool{}
	ok := p.List("{", "}", func() bool {
		pos := p.Pos()
		name, ok := p.attrName()
		if !ok {
			return false
		}
		if seen[name] {
			return p.Errorf(pos, "duplicate key '%s' in dictionary attribute", name)
		}
		seen[name] = true
		value := Unit
		if p.Try("=") {
			if value, ok = p.Attr(nil); !ok {
				return false
			}
		}
		list = append(list, NamedAttr{name, value})
		return true
	})
	return list, ok
}

func (p *Parser) attrName() (string, bool) {
	pos := p.Pos()
	if s, ok := p.TryString(); ok {
		if s == "" {
			return "", p.Errorf(pos, "expected a valid attribute name")
		}
		return s, true
	}
	if w, ok := p.TryKeyword(); ok {
		return w, true
	}
	return "", p.expected("an attribute name")
}

// AttrDict reads an optional {…} into the state.
func (p *Parser) AttrDict(s *State) bool {
	if !p.Peek("{") {
		return true
	}
	pos := p.Pos()
	list, ok := p.namedAttrs()
	if !ok {
		return false
	}
	for _, a := range list {
		if s.Attr(a.Name) != nil {
			return p.Errorf(pos, "attribute '%s' occurs more than once", a.Name)
		}
		s.Attrs = append(s.Attrs, a)
	}
	return true
}

// AttrDictKeyword reads an optional `attributes {…}` into the state.
func (p *Parser) AttrDictKeyword(s *State) bool {
	if !p.Try("attributes") {
		return true
	}
	if !p.Peek("{") {
		return p.expected("'{'")
	}
	return p.AttrDict(s)
}

// unread steps over a name and returns the text in angle brackets behind it, "" if there is none, without
// reading it.
func (p *Parser) unread() (text string, ok bool) {
	end := p.tok.end
	p.advance()
	if p.tok.start != end || !p.Peek("<") {
		return "", true
	}
	return p.balanced()
}

// hashAttr reads #alias, #dialect.name<...> or #dialect<name<...>>.
func (p *Parser) hashAttr() (Attr, bool) {
	name := p.text()[1:]
	if strings.IndexByte(name, '.') < 0 && !strings.HasPrefix(p.src[p.tok.end:], "<") {
		a := p.alias()
		if a == nil {
			return nil, false
		}
		return a.attr, p.budget()
	}
	if def := LookupAttr(name); def != nil {
		p.advance()
		return p.attrBody(def)
	}
	start := p.tok.start
	text, ok := p.unread()
	if !ok {
		return nil, false
	}
	if def := LookupAttr(oldForm(name, text)); def != nil {
		p.backInto(start)
		a, ok := p.attrBody(def)
		return a, ok && p.Literal(">")
	}
	return OpaqueAttrOf("#" + name + text), true
}

func (p *Parser) attrBody(def *AttrTypeDef) (Attr, bool) {
	if def.Parse == nil {
		return def.Get(), true
	}
	return def.Parse(p)
}

// AttrOf reads an attribute of one kind, whose "#dialect.name" may be left out.
func (p *Parser) AttrOf(def *AttrTypeDef) (Attr, bool) {
	if p.tok.kind != tokHash && def.Parse != nil {
		return def.Parse(p)
	}
	pos := p.Pos()
	a, ok := p.Attr(nil)
	if !ok {
		return nil, false
	}
	if da, is := a.(*DialectAttr); !is || da.Def != def {
		return nil, p.Errorf(pos, "expected an attribute #%s.%s, found '%s'", def.Dialect.Name, def.Name, a)
	}
	return a, true
}

// verbatim keeps an attribute that nobody here looks into, as text: word<...>, with `: type` if typed.
func (p *Parser) verbatim(word string, typed bool) (Attr, bool) {
	if !p.Peek("<") {
		return nil, p.expected("'<'")
	}
	text, ok := p.balanced()
	if !ok {
		return nil, false
	}
	if typed {
		if !p.Literal(":") {
			return nil, false
		}
		t, ok := p.Type()
		if !ok {
			return nil, false
		}
		text += " : " + t.String()
	}
	return OpaqueAttrOf(word + text), true
}

// stridedAttr reads strided<[4, ?], offset: 8>.
func (p *Parser) stridedAttr() (Attr, bool) {
	if !p.Literal("<") {
		return nil, false
	}
	var strides []int64
	ok := p.List("[", "]", func() bool {
		v, ok := p.dynInt()
		strides = append(strides, v)
		return ok
	})
	offset := int64(0)
	if ok && p.Try(",") {
		ok = p.Literal("offset") && p.Literal(":")
		if ok {
			offset, ok = p.dynInt()
		}
	}
	return StridedLayout(offset, strides...), ok && p.Literal(">")
}

func (p *Parser) dynInt() (int64, bool) {
	if p.Try("?") {
		return Dynamic, true
	}
	return p.Int()
}

// denseArray reads array<i32: 1, 2>.
func (p *Parser) denseArray() (Attr, bool) {
	if !p.Literal("<") {
		return nil, false
	}
	pos := p.Pos()
	elem, ok := p.Type()
	if !ok {
		return nil, false
	}
	if n := BitWidth(elem); n == 0 || n > 64 || elem == Index {
		return nil, p.Errorf(pos, "a dense array has elements of an integer or float type")
	}
	if !p.Peek(":") {
		return DenseArray(elem), p.Literal(">")
	}
	p.advance()
	vs, ok := p.arrayElems(elem)
	return DenseArray(elem, vs...), ok && p.Literal(">")
}

// arrayElems reads 1, 2, 3 as elements of a dense array.
func (p *Parser) arrayElems(elem Type) ([]int64, bool) {
	var vs []int64
	for {
		l, ok := p.literal()
		if !ok {
			return nil, false
		}
		bits, ok := p.literalBits(l, elem)
		if !ok {
			return nil, false
		}
		vs = append(vs, NormInt(int64(bits), elem))
		if !p.Try(",") {
			return vs, true
		}
	}
}

// bareArray returns the parser of a dense array attribute in a Format, [1, 2].
func bareArray(elem Type) func(*Parser) (Attr, bool) {
	return func(p *Parser) (Attr, bool) {
		if !p.Peek("[") {
			return p.Attr(nil)
		}
		p.advance()
		if p.Try("]") {
			return DenseArray(elem), true
		}
		vs, ok := p.arrayElems(elem)
		return DenseArray(elem, vs...), ok && p.Literal("]")
	}
}

func parseSymbolName(p *Parser) (Attr, bool) {
	s, ok := p.Symbol()
	return Str(s), ok
}
