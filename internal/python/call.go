package python

// callArguments reads the arguments of a call or, when call is false, of a class, with their parentheses.
func (p *parser) callArguments(call bool) (args []Expr, keywords []*Keyword) {
	open := p.tok
	p.advance()
	if p.take(kRParen) {
		return nil, nil
	}
	mark := p.exprs.mark()
	unpacked := false // a **mapping has been seen
	for !p.at(kRParen) && !p.failed {
		switch {
		case p.at(kPower):
			unpacked = true
			keywords = append(keywords, p.keyword(""))
		case p.at(kName) && p.peek(1) == kAssign:
			keywords = append(keywords, p.keyword(p.name(p.tok)))
		case p.at(kStar):
			if unpacked {
				p.fail(p.tok, "", "'*' argument after '**' argument")
			}
			p.exprs.push(p.starArgument())
		default:
			p.exprs.push(p.positional(open, call, len(keywords) > 0, p.exprs.mark() == mark))
		}
		if !p.take(kComma) {
			break
		}
	}
	args = p.exprs.cut(mark)
	p.closing(kRParen, open)
	if len(args) > 0 {
		if g, ok := args[0].(*GeneratorExp); ok && !g.End.IsValid() {
			g.End = p.pos(p.prevEnd) // its parentheses are those of the call
		}
	}
	return args, keywords
}

// positional reads one positional argument. A generator expression may go without parentheses of its own
// where it is the only argument; its end is then left for the caller.
func (p *parser) positional(open token, call, afterKeyword, first bool) Expr {
	start := p.tok
	x := p.namedExpression()
	switch {
	case p.atComprehension():
		g := &GeneratorExp{Elt: x, Generators: p.comprehensions()}
		g.Start = p.pos(open.start)
		if !call || !first || afterKeyword || !p.at(kRParen) {
			start.end = p.prevEnd
			p.fail(start, "put it in parentheses", "a generator expression among other arguments")
			g.Range = p.from(start.start)
		}
		return g
	case p.at(kAssign):
		start.end = p.prevEnd
		p.fail(start, "write '==' to compare", "the name of a keyword argument must be a plain name")
	case afterKeyword && !p.failed:
		start.end = p.prevEnd
		p.errorf(start, codeSyntax, "", "positional argument after keyword argument")
	}
	return x
}

// starArgument: '*' expression
func (p *parser) starArgument() Expr {
	start := p.tok.start
	p.advance()
	value := p.expression()
	if p.atComprehension() {
		p.fail(p.tok, "", "cannot unpack with '*' in a comprehension")
	}
	return &Starred{Range: p.from(start), Value: value}
}

// keyword: NAME '=' expression | '**' expression
func (p *parser) keyword(name string) *Keyword {
	start := p.tok.start
	p.advance()
	if name != "" {
		p.advance()
	}
	k := p.keywords.new()
	if name != "" && (p.at(kComma) || p.at(kRParen)) {
		p.fail(p.tok, "", "expected a value for the argument '%s'", name)
	}
	k.Arg, k.Value = name, p.expression()
	if p.atComprehension() {
		p.fail(p.tok, "put the generator expression in parentheses",
			"unexpected 'for' after a keyword argument")
	}
	k.Range = p.from(start)
	return k
}
