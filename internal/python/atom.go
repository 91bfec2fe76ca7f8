package python

// atom reads a name, a literal or something in brackets.
func (p *parser) atom() Expr {
	t := p.tok
	switch t.kind {
	case kName:
		return p.nameExpr()
	case kNumber:
		p.advance()
		return p.constant(p.from(t.start), p.numberValue(t))
	case kString, kFStart:
		return p.strings()
	case kTrue:
		return p.keywordConstant(true)
	case kFalse:
		return p.keywordConstant(false)
	case kNone:
		return p.keywordConstant(nil)
	case kEllipsis:
		return p.keywordConstant(Ellipsis{})
	case kLParen:
		return p.parens()
	case kLBrack:
		return p.listDisplay()
	case kLBrace:
		return p.braceDisplay()
	}
	p.noExpression()
	return &BadExpr{Range{p.pos(t.start), p.pos(t.start)}}
}

func (p *parser) keywordConstant(v any) Expr {
	t := p.tok
	p.advance()
	return p.constant(p.from(t.start), v)
}

// noExpression reports that the present token begins no expression.
func (p *parser) noExpression() {
	hint := p.doubledHint()
	switch k := p.tok.kind; {
	case hint != "":
	case k == kStar:
		hint = "a starred expression stands only in a call, a display, a subscript or a list of values"
	case k == kYield:
		hint = "put yield in parentheses"
	case k == kAssign:
		hint = "write '==' to compare"
	case k == kNot:
		hint = "put the 'not' and its operand in parentheses"
	case k.isKeyword():
		hint = kindText[k] + " is a keyword"
	}
	p.fail(p.tok, hint, "expected an expression, found %s", p.describe())
}

// doubledHint returns a hint for an operator of two characters that other languages have: the two tokens up
// to the present one, or up to the one before it.
func (p *parser) doubledHint() string {
	for i := p.i; i > 0 && i > p.i-2; i-- {
		a, b := p.toks[i-1], p.toks[i]
		if a.end == b.start {
			if hint := doubled[[2]kind{a.kind, b.kind}]; hint != "" {
				return hint
			}
		}
	}
	return ""
}

var doubled = map[[2]kind]string{
	{kPlus, kPlus}: "Python has no '++'; write '+= 1'", {kMinus, kMinus}: "Python has no '--'; write '-= 1'",
	{kAmp, kAmp}: "write 'and'", {kPipe, kPipe}: "write 'or'", {kLt, kGt}: "write '!='",
}

// closing takes the end of a bracket, or fails with a look back at where it began.
func (p *parser) closing(k kind, open token) {
	if p.take(k) || p.failed {
		return
	}
	hint := ""
	if startsExpr[p.tok.kind] {
		hint = "perhaps a comma is missing"
	}
	before := len(p.list.Diags)
	p.fail(p.tok, hint, "expected ',' or %v, found %s", k, p.describe())
	if len(p.list.Diags) > before && !p.sameLine(open) {
		p.noteAt(int(open.start), open.kind.String()+" opened here")
	}
}

// sameLine reports whether a token stands on the line of the present one.
func (p *parser) sameLine(t token) bool {
	a, _ := p.file.LineCol(int(t.start))
	b, _ := p.file.LineCol(int(p.tok.start))
	return a == b
}

// parens: '(' ')' | '(' yieldExpr ')' | '(' namedExpression ')' | tuple | generator expression
func (p *parser) parens() Expr {
	open := p.tok
	p.advance()
	if p.at(kRParen) {
		return p.tuple(open, nil)
	}
	if p.at(kYield) {
		x := p.yieldExpr()
		p.closing(kRParen, open)
		return x
	}
	star := p.tok
	x := p.starNamedExpression()
	switch {
	case p.at(kComma):
		return p.tuple(open, x)
	case p.atComprehension():
		p.noStar(x)
		g := &GeneratorExp{Elt: x, Generators: p.comprehensions()}
		p.closing(kRParen, open)
		g.Range = p.from(open.start)
		return g
	case star.kind == kStar && p.at(kRParen):
		p.fail(star, "a tuple of one element ends in a comma", "cannot use a starred expression here")
	}
	p.closing(kRParen, open)
	return x
}

// tuple reads the rest of a tuple in parentheses; first is nil for an empty one.
func (p *parser) tuple(open token, first Expr) Expr {
	t := p.tuples.new()
	if first != nil {
		mark := p.exprs.mark()
		p.exprs.push(first)
		for p.take(kComma) && startsExpr[p.tok.kind] {
			p.exprs.push(p.starNamedExpression())
		}
		t.Elts = p.exprs.cut(mark)
	}
	p.closing(kRParen, open)
	t.Range = p.from(open.start)
	return t
}

// listDisplay: '[' [starNamedExpressions] ']' | '[' namedExpression comprehensions ']'
func (p *parser) listDisplay() Expr {
	open := p.tok
	p.advance()
	mark := p.exprs.mark()
	if !p.at(kRBrack) {
		x := p.starNamedExpression()
		if p.atComprehension() {
			p.noStar(x)
			c := &ListComp{Elt: x, Generators: p.comprehensions()}
			p.closing(kRBrack, open)
			c.Range = p.from(open.start)
			return c
		}
		p.exprs.push(x)
		for p.take(kComma) && startsExpr[p.tok.kind] {
			p.exprs.push(p.starNamedExpression())
		}
	}
	p.closing(kRBrack, open)
	l := p.lists.new()
	l.Elts = p.exprs.cut(mark)
	l.Range = p.from(open.start)
	return l
}

// braceDisplay: dict or set, display or comprehension
func (p *parser) braceDisplay() Expr {
	open := p.tok
	p.advance()
	if p.at(kRBrace) || p.at(kPower) {
		return p.dict(open, nil)
	}
	first := p.i
	x := p.starNamedExpression()
	if p.at(kColon) {
		p.plainBefore(first, "the key of a dict")
		return p.dict(open, x)
	}
	if p.atComprehension() {
		p.noStar(x)
		c := &SetComp{Elt: x, Generators: p.comprehensions()}
		p.closing(kRBrace, open)
		c.Range = p.from(open.start)
		return c
	}
	mark := p.exprs.mark()
	p.exprs.push(x)
	for p.take(kComma) && startsExpr[p.tok.kind] {
		p.exprs.push(p.starNamedExpression())
	}
	p.closing(kRBrace, open)
	s := &Set{Elts: p.exprs.cut(mark)}
	s.Range = p.from(open.start)
	return s
}

// plainBefore fails at the present colon when the expression before it, from the token of index first on, is
// starred or a named expression: before a colon it may be neither.
func (p *parser) plainBefore(first int, what string) {
	t := p.toks[first]
	if t.kind == kStar {
		p.fail(t, "", "%s cannot be starred", what)
	} else if t.kind == kName && p.toks[first+1].kind == kWalrus {
		p.fail(p.toks[first+1], "put the named expression in parentheses", "unexpected ':=' in %s", what)
	}
}

// dict reads the rest of a dict; key is its first one, or nil when it has not been read.
func (p *parser) dict(open token, key Expr) Expr {
	keys, values := p.exprs.mark(), []Expr(nil)
	for key != nil || p.at(kPower) || startsExpr[p.tok.kind] {
		if key == nil && p.at(kPower) {
			p.exprs.push(nil)
			values = append(values, p.doubleStarred())
		} else {
			if key == nil {
				key = p.expression()
			}
			p.exprs.push(key)
			p.expectColon()
			value := p.expression()
			if len(values) == 0 && p.atComprehension() {
				p.exprs.cut(keys)
				return p.dictComp(open, key, value)
			}
			values = append(values, value)
		}
		key = nil
		if !p.take(kComma) {
			break
		}
	}
	p.closing(kRBrace, open)
	d := &Dict{Keys: p.exprs.cut(keys), Values: values}
	d.Range = p.from(open.start)
	return d
}

func (p *parser) expectColon() {
	if !p.take(kColon) {
		p.fail(p.tok, "", "expected ':' after a dictionary key, found %s", p.describe())
	}
}

// doubleStarred: '**' bitwise_or
func (p *parser) doubleStarred() Expr {
	p.advance()
	height := p.enter()
	x := p.binary(1)
	p.leave(height)
	if p.atComprehension() {
		p.fail(p.tok, "", "cannot unpack with '**' in a dict comprehension")
	}
	return x
}

func (p *parser) dictComp(open token, key, value Expr) Expr {
	c := &DictComp{Key: key, Value: value, Generators: p.comprehensions()}
	p.closing(kRBrace, open)
	c.Range = p.from(open.start)
	return c
}

// noStar reports a starred element of a comprehension.
func (p *parser) noStar(x Expr) {
	if _, ok := x.(*Starred); ok {
		p.errorAt(x, codeSyntax, "", "cannot unpack with '*' in a comprehension")
		p.stop()
	}
}

func (p *parser) atComprehension() bool {
	return p.at(kFor) || p.at(kAsync) && p.peek(1) == kFor
}

// comprehensions: (['async'] 'for' targets 'in' disjunction ('if' disjunction)*)+
func (p *parser) comprehensions() []*Comprehension {
	var list []*Comprehension
	for p.atComprehension() {
		start := p.tok.start
		c := &Comprehension{IsAsync: p.take(kAsync)}
		p.advance()
		c.Target = p.forTarget()
		c.Iter = p.disjunction()
		for p.take(kIf) {
			c.Ifs = append(c.Ifs, p.disjunction())
		}
		c.Range = p.from(start)
		list = append(list, c)
	}
	return list
}

// forTarget: targets 'in'
func (p *parser) forTarget() Expr {
	start := p.tok.start
	x := p.tupleOf(start, p.starTarget(), (*parser).starTarget)
	if !p.failed {
		p.store(x, Store, "")
	}
	if !p.take(kIn) {
		p.fail(p.tok, "", "expected 'in' after the target of 'for', found %s", p.describe())
	}
	return x
}

// starTarget reads an operand, so that the 'in' after it is not taken for an operator.
func (p *parser) starTarget() Expr {
	if p.at(kStar) {
		return p.starred()
	}
	height := p.enter()
	x := p.binary(1)
	p.leave(height)
	return x
}
