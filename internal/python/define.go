package python

// decorated: ('@' namedExpression NEWLINE)+ (function | class)
func (p *parser) decorated() Stmt {
	start := p.tok.start
	var decorators []Expr
	for p.take(kAt) {
		decorators = append(decorators, p.namedExpression())
		if !p.at(kNewline) && !p.failed {
			p.fail(p.tok, "", "expected the end of the line after a decorator, found %s", p.describe())
		}
		if p.failed { // go on: what is decorated matters more
			p.recover()
		}
		p.take(kNewline)
	}
	switch {
	case p.at(kDef):
		s := p.function().(*FunctionDef)
		s.DecoratorList = decorators
		return s
	case p.at(kClass):
		s := p.class().(*ClassDef)
		s.DecoratorList = decorators
		return s
	case p.at(kAsync) && p.peek(1) == kDef:
		s := p.async().(*AsyncFunctionDef)
		s.DecoratorList = decorators
		return s
	}
	p.errorf(p.tok, codeSyntax, "", "expected a function or a class after a decorator, found %s",
		p.describe())
	return &BadStmt{p.from(start)}
}

// function: 'def' NAME [typeParams] '(' parameters ')' ['->' expression] block
func (p *parser) function() Stmt {
	f := p.functions.new()
	p.functionBody(f, p.tok.start)
	return f
}

func (p *parser) functionBody(f *FunctionDef, start int32) {
	head := p.tok
	p.advance()
	name := p.tok.start
	f.Name = p.identifier("the name of a function")
	f.NamePos = p.from(name)
	f.TypeParams = p.typeParams()
	open := p.tok
	if !p.take(kLParen) {
		p.fail(p.tok, "", "expected '(' after the name of a function, found %s", p.describe())
	}
	f.Args = p.parameters(kRParen, true)
	p.closing(kRParen, open)
	if p.take(kArrow) {
		f.Returns = p.expression()
	}
	f.Body = p.block(head, "the header of a function")
	f.Range = p.from(start)
}

// class: 'class' NAME [typeParams] ['(' arguments ')'] block
func (p *parser) class() Stmt {
	head := p.tok
	p.advance()
	c := &ClassDef{}
	name := p.tok.start
	c.Name = p.identifier("the name of a class")
	c.NamePos = p.from(name)
	c.TypeParams = p.typeParams()
	if p.at(kLParen) {
		c.Bases, c.Keywords = p.callArguments(false)
	}
	c.Body = p.block(head, "the header of a class")
	c.Range = p.from(head.start)
	return c
}

// typeParams: ['[' typeParam (',' typeParam)* [','] ']']
func (p *parser) typeParams() (params []TypeParam) {
	open := p.tok
	if !p.take(kLBrack) {
		return nil
	}
	if p.at(kRBrack) {
		p.fail(p.tok, "", "a list of type parameters cannot be empty")
	}
	for !p.at(kRBrack) && !p.failed {
		params = append(params, p.typeParam())
		if !p.take(kComma) {
			break
		}
	}
	p.closing(kRBrack, open)
	return params
}

// typeParam: NAME [':' expression] | '*' NAME | '**' NAME
func (p *parser) typeParam() TypeParam {
	t := p.tok
	const what = "the name of a type parameter"
	switch {
	case p.take(kStar):
		name := p.identifier(what)
		return &TypeVarTuple{p.from(t.start), name}
	case p.take(kPower):
		name := p.identifier(what)
		return &ParamSpec{p.from(t.start), name}
	}
	v := &TypeVar{Name: p.identifier(what)}
	if p.take(kColon) {
		v.Bound = p.expression()
	}
	v.Range = p.from(t.start)
	return v
}
