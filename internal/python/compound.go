package python

// if: 'if' namedExpression block ('elif' namedExpression block)* ['else' block]
//
// An elif is an If in the orelse of the one before. They all end where the last one ends, so their ranges are
// closed in a second loop.
func (p *parser) if_() Stmt {
	var chain []*If
	for {
		head := p.tok
		p.advance()
		s := p.ifs.new()
		s.Start = p.pos(head.start)
		s.Test = p.namedExpression()
		s.Body = p.block(head, statement(head))
		if n := len(chain); n > 0 {
			chain[n-1].Orelse = p.stmts.one(s)
		}
		chain = append(chain, s)
		p.depth++ // for what follows is inside
		p.checkDepth(p.depth)
		if !p.at(kElif) {
			break
		}
	}
	last := chain[len(chain)-1]
	last.Orelse = p.elseBlock()
	for _, s := range chain {
		s.End = p.pos(p.prevEnd)
	}
	p.depth -= len(chain)
	return chain[0]
}

// statement names a statement after the keyword that it begins with.
func statement(head token) string { return head.kind.String() + " statement" }

func (p *parser) elseBlock() []Stmt {
	if !p.at(kElse) {
		return nil
	}
	head := p.tok
	p.advance()
	if p.at(kIf) {
		p.fail(p.tok, "write 'elif'", "expected ':' after 'else', found 'if'")
	}
	return p.block(head, "'else'")
}

// while: 'while' namedExpression block ['else' block]
func (p *parser) while() Stmt {
	head := p.tok
	p.advance()
	s := &While{Test: p.namedExpression()}
	s.Body = p.block(head, statement(head))
	s.Orelse = p.elseBlock()
	s.Range = p.from(head.start)
	return s
}

// for: 'for' targets 'in' starExpressions block ['else' block]
func (p *parser) for_() Stmt {
	s := &For{}
	p.forBody(s, p.tok.start)
	return s
}

func (p *parser) forBody(s *For, start int32) {
	head := p.tok
	p.advance()
	s.Target = p.forTarget()
	s.Iter = p.starExpressions()
	s.Body = p.block(head, statement(head))
	s.Orelse = p.elseBlock()
	s.Range = p.from(start)
}

// try: 'try' block (handlers ['else' block] ['finally' block] | 'finally' block)
func (p *parser) try() Stmt {
	head := p.tok
	p.advance()
	s := &Try{Body: p.block(head, statement(head))}
	star := p.at(kExcept) && p.peek(1) == kStar
	for p.at(kExcept) {
		s.Handlers = append(s.Handlers, p.handler(star))
	}
	if len(s.Handlers) > 0 {
		s.Orelse = p.elseBlock()
	}
	if t := p.tok; p.at(kFinally) {
		p.advance()
		s.Finalbody = p.block(t, "'finally'")
	} else if len(s.Handlers) == 0 {
		p.errorf(p.tok, codeSyntax, "", "expected 'except' or 'finally' after the block of 'try'")
	}
	s.Range = p.from(head.start)
	if star {
		return &TryStar{*s}
	}
	return s
}

// handler: 'except' ['*'] [expression ['as' NAME]] block
func (p *parser) handler(star bool) *ExceptHandler {
	head := p.tok
	p.advance()
	h := &ExceptHandler{}
	if t := p.tok; p.take(kStar) != star {
		p.fail(t, "", "cannot have both 'except' and 'except*' on one 'try'")
	} else if star && p.at(kColon) {
		p.fail(p.tok, "", "expected an exception type after 'except*'")
	}
	if !p.at(kColon) {
		h.Type = p.expression()
		if p.at(kComma) {
			p.fail(p.tok, "put the exception types in parentheses",
				"expected ':' after an exception type, found ','")
		}
		if p.take(kAs) {
			h.Name = p.identifier("a name after 'as'")
		}
	}
	h.Body = p.block(head, "'except'")
	h.Range = p.from(head.start)
	return h
}

// with: 'with' items block | 'with' '(' items [','] ')' block
func (p *parser) with() Stmt {
	s := &With{}
	p.withBody(s, p.tok.start)
	return s
}

func (p *parser) withBody(s *With, start int32) {
	head := p.tok
	p.advance()
	if s.Items = p.parenthesizedItems(); s.Items == nil {
		s.Items = p.withItems(kColon)
	}
	s.Body = p.block(head, statement(head))
	s.Range = p.from(start)
}

// parenthesizedItems reads items in parentheses, if the parentheses hold items: they end just before the
// colon, and their content reads as items. Otherwise it reads nothing and returns nil.
func (p *parser) parenthesizedItems() []*WithItem {
	n, as := p.closingParen()
	if n == 0 || p.peek(n+1) != kColon {
		return nil
	}
	index, prevEnd := p.i, p.prevEnd
	p.quiet = !as // an 'as' settles it: errors are to be reported
	open := p.tok
	p.advance()
	items := p.withItems(kRParen)
	if !p.failed {
		p.closing(kRParen, open)
	}
	p.quiet = false
	if p.failed && !as {
		p.i, p.tok, p.prevEnd, p.failed = index, p.toks[index], prevEnd, false
		return nil
	}
	return items
}

// closingParen looks ahead from a parenthesis to the one that closes it. It returns how many tokens away that
// is, 0 if there is none, and whether an 'as' stands between, in no other bracket.
func (p *parser) closingParen() (n int, as bool) {
	if !p.at(kLParen) {
		return 0, false
	}
	depth := 0
	for i, t := range p.toks[p.i:] {
		switch t.kind {
		case kLParen, kLBrack, kLBrace:
			depth++
		case kRParen, kRBrack, kRBrace:
			if depth--; depth == 0 {
				return i, as
			}
		case kAs:
			as = as || depth == 1
		}
	}
	return 0, false
}

// withItems: item (',' item)*, before ')' also with a comma at the end
func (p *parser) withItems(end kind) (items []*WithItem) {
	for {
		start := p.tok.start
		item := &WithItem{ContextExpr: p.expression()}
		if p.take(kAs) {
			item.OptionalVars = p.starTarget()
			if !p.failed {
				p.store(item.OptionalVars, Store, "")
			}
		}
		item.Range = p.from(start)
		items = append(items, item)
		if !p.take(kComma) || end == kRParen && p.at(end) {
			return items
		}
	}
}

// async: 'async' (def | for | with)
func (p *parser) async() Stmt {
	start := p.tok.start
	p.advance()
	switch p.tok.kind {
	case kDef:
		s := &AsyncFunctionDef{}
		p.functionBody(&s.FunctionDef, start)
		return s
	case kFor:
		s := &AsyncFor{}
		p.forBody(&s.For, start)
		return s
	case kWith:
		s := &AsyncWith{}
		p.withBody(&s.With, start)
		return s
	}
	p.fail(p.tok, "", "expected 'def', 'for' or 'with' after 'async', found %s", p.describe())
	return &BadStmt{p.from(start)}
}
