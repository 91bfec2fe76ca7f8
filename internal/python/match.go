package python

// isMatch reports whether a line that begins with the name match is a match statement: its last token is a
// colon then, and no other statement that begins with a name ends so.
func (p *parser) isMatch() bool {
	n := len(p.toks)
	return n-p.i >= 4 && p.toks[n-2].kind == kColon && p.toks[n-1].kind == kNewline
}

// match: 'match' subject ':' NEWLINE INDENT case+ DEDENT
func (p *parser) match() Stmt {
	head := p.tok
	p.advance()
	start := p.tok.start
	s := &Match{}
	s.Subject = p.tupleOf(start, p.starNamedExpression(), (*parser).starNamedExpression)
	if !p.take(kColon) {
		p.fail(p.tok, "", "expected ':' after 'match' statement, found %s", p.describe())
	}
	if p.failed {
		p.recover()
	}
	p.take(kNewline)
	if !p.take(kIndent) {
		p.errorf(p.tok, codeIndent, "", "expected an indented 'case' after 'match' statement")
	} else {
		s.Cases = p.cases()
		p.take(kDedent)
	}
	s.Range = p.from(head.start)
	return s
}

func (p *parser) cases() (cases []*MatchCase) {
	for !p.at(kDedent) && !p.at(kEOF) && len(p.list.Diags) < maxErrors {
		if p.atWord("case") {
			cases = append(cases, p.case_())
			continue
		}
		p.errorf(p.tok, codeSyntax, "", "expected 'case', found %s", p.describe())
		mark := p.stmts.mark()
		p.quiet = true // one message for each such statement
		p.statement()
		p.quiet = false
		p.stmts.cut(mark)
	}
	return cases
}

// case: 'case' patterns ['if' namedExpression] block
func (p *parser) case_() *MatchCase {
	head := p.tok
	p.advance()
	c := &MatchCase{Pattern: p.patterns()}
	if p.take(kIf) {
		c.Guard = p.namedExpression()
	}
	c.Body = p.block(head, "'case'")
	c.Range = p.from(head.start)
	return c
}

// patterns: starPattern ',' [starPattern (',' starPattern)* [',']] | pattern
func (p *parser) patterns() Pattern {
	start := p.tok
	first := p.starPattern()
	if !p.at(kComma) {
		if start.kind == kStar {
			p.fail(start, "a sequence of one pattern ends in a comma", "a starred pattern alone")
		}
		return first
	}
	list := []Pattern{first}
	for p.take(kComma) && !p.at(kColon) && !p.at(kIf) {
		list = append(list, p.starPattern())
	}
	return &MatchSequence{p.from(start.start), list}
}

// starPattern: '*' NAME | pattern
func (p *parser) starPattern() Pattern {
	start := p.tok.start
	if !p.take(kStar) {
		return p.pattern()
	}
	name := p.identifier("a name after '*'")
	if name == "_" {
		name = ""
	}
	return &MatchStar{p.from(start), name}
}

// pattern: orPattern ['as' NAME]
func (p *parser) pattern() Pattern {
	start := p.tok.start
	x := p.orPattern()
	if !p.take(kAs) {
		return x
	}
	t := p.tok
	name := p.identifier("a name after 'as'")
	switch {
	case name == "_":
		p.fail(t, "", "cannot use '_' as the name of a pattern")
	case p.at(kDot) || p.at(kLParen):
		p.fail(t, "", "a pattern can be bound to a plain name only")
	}
	return &MatchAs{p.from(start), x, name}
}

// orPattern: closedPattern ('|' closedPattern)*
func (p *parser) orPattern() Pattern {
	height := p.enter()
	defer p.leave(height)
	start := p.tok.start
	x := p.closedPattern()
	if !p.at(kPipe) {
		return x
	}
	list := []Pattern{x}
	for p.take(kPipe) {
		list = append(list, p.closedPattern())
	}
	return &MatchOr{p.from(start), list}
}

func (p *parser) closedPattern() Pattern {
	t := p.tok
	switch t.kind {
	case kName:
		return p.namePattern()
	case kNumber, kMinus:
		x := p.numberPattern()
		return &MatchValue{p.from(t.start), x}
	case kString, kFStart:
		x := p.strings()
		if t.kind == kFStart || isJoined(x) {
			p.errorAt(x, codeSyntax, "", "an f-string cannot be a pattern")
		}
		return &MatchValue{p.from(t.start), x}
	case kNone:
		p.advance()
		return &MatchSingleton{p.from(t.start), nil}
	case kTrue, kFalse:
		p.advance()
		return &MatchSingleton{p.from(t.start), t.kind == kTrue}
	case kLParen:
		return p.groupPattern()
	case kLBrack:
		p.advance()
		list, _ := p.patternList(kRBrack)
		p.closing(kRBrack, t)
		return &MatchSequence{p.from(t.start), list}
	case kLBrace:
		return p.mappingPattern()
	}
	p.fail(t, "", "expected a pattern, found %s", p.describe())
	return &MatchAs{Range: Range{p.pos(t.start), p.pos(t.start)}}
}

func isJoined(x Expr) bool {
	_, ok := x.(*JoinedStr)
	return ok
}

// numberPattern: ['-'] NUMBER [('+' | '-') NUMBER], where the second number is imaginary
func (p *parser) numberPattern() Expr {
	start := p.tok.start
	x := p.signedNumber()
	if !p.at(kPlus) && !p.at(kMinus) {
		return x
	}
	op := Operator(p.tok.kind - kPlus)
	p.advance()
	t := p.tok
	y := p.signedNumber()
	if c, ok := y.(*Constant); ok {
		if _, ok := c.Value.(complex128); !ok {
			p.fail(t, "", "expected an imaginary number")
		}
	} else if t.kind == kMinus {
		p.fail(t, "", "expected an imaginary number, found '-'")
	}
	return &BinOp{p.from(start), x, op, y}
}

func (p *parser) signedNumber() Expr {
	start := p.tok
	minus := p.take(kMinus)
	if !p.at(kNumber) {
		p.fail(p.tok, "", "expected a number, found %s", p.describe())
		return &BadExpr{Range{p.pos(start.start), p.pos(start.start)}}
	}
	x := p.atom()
	if minus {
		return &UnaryOp{p.from(start.start), USub, x}
	}
	return x
}

// namePattern: NAME | dotted name | class pattern
func (p *parser) namePattern() Pattern {
	start := p.tok.start
	plain := p.nameExpr()
	var x Expr = plain
	for p.at(kDot) {
		p.advance()
		attr := p.identifier("a name after '.'")
		p.grow()
		x = &Attribute{Range: p.from(start), Value: x, Attr: attr}
	}
	switch {
	case p.at(kLParen):
		return p.classPattern(start, x)
	case x != Expr(plain):
		return &MatchValue{p.from(start), x}
	case plain.ID == "_":
		return &MatchAs{Range: p.from(start)}
	}
	return &MatchAs{Range: p.from(start), Name: plain.ID}
}

// groupPattern: '(' pattern ')' | '(' [patterns] ')'
func (p *parser) groupPattern() Pattern {
	open := p.tok
	p.advance()
	star := p.at(kStar)
	list, comma := p.patternList(kRParen)
	p.closing(kRParen, open)
	if len(list) == 1 && !comma && !star {
		return list[0]
	}
	if len(list) == 1 && !comma {
		p.fail(open, "a sequence of one pattern ends in a comma", "a starred pattern alone")
	}
	return &MatchSequence{p.from(open.start), list}
}

// patternList reads patterns up to a closing bracket; comma says whether there was one.
func (p *parser) patternList(end kind) (list []Pattern, comma bool) {
	for !p.at(end) && !p.failed {
		list = append(list, p.starPattern())
		if !p.take(kComma) {
			break
		}
		comma = true
	}
	return list, comma
}

// mappingPattern: '{' [(key ':' pattern | '**' NAME) (',' …)* [',']] '}'
func (p *parser) mappingPattern() Pattern {
	open := p.tok
	p.advance()
	m := &MatchMapping{}
	for !p.at(kRBrace) && !p.failed {
		if m.Rest != "" {
			p.fail(p.tok, "", "nothing may follow '**%s' in a pattern", m.Rest)
		}
		if t := p.tok; p.take(kPower) {
			if m.Rest = p.identifier("a name after '**'"); m.Rest == "_" {
				p.fail(t, "leave it out: other keys are allowed anyway", "cannot use '**_' in a pattern")
			}
		} else {
			m.Keys = append(m.Keys, p.mappingKey())
			p.expect(kColon)
			m.Patterns = append(m.Patterns, p.pattern())
		}
		if !p.take(kComma) {
			break
		}
	}
	p.closing(kRBrace, open)
	m.Range = p.from(open.start)
	return m
}

// mappingKey reads a literal or a dotted name.
func (p *parser) mappingKey() Expr {
	t := p.tok
	switch t.kind {
	case kNumber, kMinus:
		return p.numberPattern()
	case kString, kNone, kTrue, kFalse:
		return p.atom()
	case kName:
		if p.peek(1) != kDot {
			break
		}
		var x Expr = p.nameExpr()
		for p.take(kDot) {
			attr := p.identifier("a name after '.'")
			p.grow()
			x = &Attribute{Range: p.from(t.start), Value: x, Attr: attr}
		}
		return x
	}
	p.fail(t, "", "expected a literal or a dotted name as a key, found %s", p.describe())
	return &BadExpr{Range{p.pos(t.start), p.pos(t.start)}}
}

// classPattern: name '(' [patterns] [NAME '=' pattern …] ')'
func (p *parser) classPattern(start int32, cls Expr) Pattern {
	open := p.tok
	p.advance()
	c := &MatchClass{Cls: cls}
	for !p.at(kRParen) && !p.failed {
		t := p.tok
		if p.at(kName) && p.peek(1) == kAssign {
			c.KwdAttrs = append(c.KwdAttrs, p.name(t))
			p.advance()
			p.advance()
			c.KwdPatterns = append(c.KwdPatterns, p.pattern())
		} else {
			x := p.pattern()
			if len(c.KwdAttrs) > 0 {
				p.errorf(t, codeSyntax, "", "positional pattern after keyword pattern")
			}
			c.Patterns = append(c.Patterns, x)
		}
		if !p.take(kComma) {
			break
		}
	}
	p.closing(kRParen, open)
	c.Range = p.from(start)
	return c
}
