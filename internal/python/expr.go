package python

// expression: disjunction ['if' disjunction 'else' expression] | lambda
func (p *parser) expression() Expr {
	height := p.enter()
	start := p.tok.start
	var x Expr
	if p.at(kLambda) {
		x = p.lambda()
	} else if x = p.disjunction(); p.at(kIf) {
		x = p.conditional(start, x)
	}
	p.leave(height)
	return x
}

func (p *parser) conditional(start int32, body Expr) Expr {
	p.advance()
	x := &IfExp{Body: body, Test: p.disjunction()}
	if !p.take(kElse) {
		p.fail(p.tok, "a conditional expression always has both: a if test else b",
			"expected 'else' after 'if' expression, found %s", p.describe())
	}
	x.Orelse = p.expression()
	x.Range = p.from(start)
	return x
}

// lambda: 'lambda' [parameters] ':' expression
func (p *parser) lambda() Expr {
	start := p.tok.start
	p.advance()
	x := &Lambda{Args: p.parameters(kColon, false)}
	p.expect(kColon)
	x.Body = p.expression()
	x.Range = p.from(start)
	return x
}

// namedExpression: NAME ':=' expression | expression
func (p *parser) namedExpression() Expr {
	if p.at(kName) && p.peek(1) == kWalrus {
		return p.walrus()
	}
	x := p.expression()
	if p.at(kWalrus) {
		p.errorAt(x, codeTarget, "", "cannot assign to %s with ':='", describeExpr(x))
		p.stop()
	}
	return x
}

func (p *parser) walrus() Expr {
	start := p.tok.start
	target := p.nameExpr()
	target.Ctx = Store
	p.advance()
	value := p.expression()
	return &NamedExpr{p.from(start), target, value}
}

func (p *parser) nameExpr() *Name {
	t := p.tok
	p.advance()
	n := p.names.new()
	n.Range, n.ID = p.from(t.start), p.name(t)
	return n
}

// starNamedExpression: '*' bitwise_or | namedExpression
func (p *parser) starNamedExpression() Expr {
	if p.at(kStar) {
		return p.starred()
	}
	return p.namedExpression()
}

// starExpression: '*' bitwise_or | expression
func (p *parser) starExpression() Expr {
	if p.at(kStar) {
		return p.starred()
	}
	return p.expression()
}

func (p *parser) starred() Expr {
	start := p.tok.start
	p.advance()
	height := p.enter()
	value := p.binary(1)
	p.leave(height)
	return &Starred{Range: p.from(start), Value: value}
}

// starExpressions: starExpression (',' starExpression)* [',']
func (p *parser) starExpressions() Expr {
	start := p.tok.start
	return p.tupleOf(start, p.starExpression(), (*parser).starExpression)
}

// tupleOf reads the rest of a tuple without parentheses whose first element is x; without a comma it is x
// alone.
func (p *parser) tupleOf(start int32, x Expr, element func(*parser) Expr) Expr {
	if !p.at(kComma) {
		return x
	}
	mark := p.exprs.mark()
	p.exprs.push(x)
	for p.take(kComma) && startsExpr[p.tok.kind] {
		p.exprs.push(element(p))
	}
	t := p.tuples.new()
	t.Elts = p.exprs.cut(mark)
	t.Range = p.from(start)
	return t
}

// startsExpr has the tokens with which an expression may begin, a starred one too.
var startsExpr = kindSet(kName, kNumber, kString, kFStart, kLParen, kLBrack, kLBrace, kEllipsis, kMinus,
	kPlus, kTilde,
	kNot, kLambda, kAwait, kTrue, kFalse, kNone, kStar)

func kindSet(kinds ...kind) (set [numKinds]bool) {
	for _, k := range kinds {
		set[k] = true
	}
	return set
}

// yieldExpr: 'yield' 'from' expression | 'yield' [starExpressions]
func (p *parser) yieldExpr() Expr {
	start := p.tok.start
	p.advance()
	if p.take(kFrom) {
		value := p.expression()
		return &YieldFrom{p.from(start), value}
	}
	var value Expr
	if startsExpr[p.tok.kind] {
		value = p.starExpressions()
	}
	return &Yield{p.from(start), value}
}

// yieldOrStar: yieldExpr | starExpressions, what may stand on the right of an assignment
func (p *parser) yieldOrStar() Expr {
	if p.at(kYield) {
		return p.yieldExpr()
	}
	return p.starExpressions()
}

// disjunction: conjunction ('or' conjunction)*
func (p *parser) disjunction() Expr {
	start := p.tok.start
	x := p.conjunction()
	if !p.at(kOr) {
		return x
	}
	return p.boolOp(start, Or, kOr, x, (*parser).conjunction)
}

// conjunction: inversion ('and' inversion)*
func (p *parser) conjunction() Expr {
	start := p.tok.start
	x := p.inversion()
	if !p.at(kAnd) {
		return x
	}
	return p.boolOp(start, And, kAnd, x, (*parser).inversion)
}

func (p *parser) boolOp(start int32, op BoolOperator, k kind, x Expr, operand func(*parser) Expr) Expr {
	mark := p.exprs.mark()
	p.exprs.push(x)
	for p.take(k) {
		h := p.sibling()
		p.exprs.push(operand(p))
		p.joinSibling(h)
	}
	p.grow()
	values := p.exprs.cut(mark)
	return &BoolOp{p.from(start), op, values}
}

// sibling begins an operand, and joinSibling ends it, so that height becomes the greatest of several, not
// their sum.
func (p *parser) sibling() (height int) {
	height, p.height = p.height, 0
	return height
}

func (p *parser) joinSibling(height int) { p.height = max(p.height, height) }

// inversion: 'not' inversion | comparison
func (p *parser) inversion() Expr {
	if !p.at(kNot) {
		return p.comparison()
	}
	start := p.tok.start
	p.advance()
	height := p.enter()
	x := p.inversion()
	p.leave(height)
	return &UnaryOp{p.from(start), Not, x}
}

// comparison: bitwise_or (operator bitwise_or)*
func (p *parser) comparison() Expr {
	start := p.tok.start
	left := p.binary(1)
	op, n := p.comparisonOp()
	if n == 0 {
		return left
	}
	mark := p.exprs.mark()
	var buf [4]CmpOperator
	ops := buf[:0]
	for ; n > 0; op, n = p.comparisonOp() {
		p.advance()
		if n == 2 {
			p.advance()
		}
		h := p.sibling()
		p.exprs.push(p.binary(1))
		p.joinSibling(h)
		ops = append(ops, op)
	}
	p.grow()
	x := p.compares.new()
	x.Left, x.Comparators = left, p.exprs.cut(mark)
	x.Ops = append(make([]CmpOperator, 0, len(ops)), ops...)
	x.Range = p.from(start)
	return x
}

// comparisonOp returns the operator at the present token and how many tokens it takes; 0 where there is none.
func (p *parser) comparisonOp() (op CmpOperator, n int) {
	switch p.tok.kind {
	case kEq:
		return Eq, 1
	case kNotEq:
		return NotEq, 1
	case kLt:
		return Lt, 1
	case kLtE:
		return LtE, 1
	case kGt:
		return Gt, 1
	case kGtE:
		return GtE, 1
	case kIn:
		return In, 1
	case kIs:
		if p.peek(1) == kNot {
			return IsNot, 2
		}
		return Is, 1
	case kNot:
		if p.peek(1) == kIn {
			return NotIn, 2
		}
	}
	return 0, 0
}

// precedence has the precedence of the binary operators, from | up to *; 0 for other tokens.
var precedence = [numKinds]uint8{
	kPipe: 1, kCaret: 2, kAmp: 3, kLShift: 4, kRShift: 4, kPlus: 5, kMinus: 5,
	kStar: 6, kSlash: 6, kFloor: 6, kPercent: 6, kAt: 6,
}

// binary reads the operators that bind at least as closely as least; binary(1) is the grammar's bitwise_or.
func (p *parser) binary(least uint8) Expr {
	start := p.tok.start
	x := p.factor()
	for {
		prec := precedence[p.tok.kind]
		if prec < least { // least is 1 or more, so other tokens end here
			return x
		}
		op := Operator(p.tok.kind - kPlus)
		p.advance()
		h := p.sibling()
		y := p.binary(prec + 1)
		p.joinSibling(h)
		p.grow()
		b := p.binOps.new()
		b.Left, b.Op, b.Right = x, op, y
		b.Range = p.from(start)
		x = b
	}
}

// factor: ('+' | '-' | '~') factor | power
func (p *parser) factor() Expr {
	var op UnaryOperator
	switch p.tok.kind {
	case kPlus:
		op = UAdd
	case kMinus:
		op = USub
	case kTilde:
		op = Invert
	default:
		return p.power()
	}
	start := p.tok.start
	p.advance()
	height := p.enter()
	x := p.factor()
	p.leave(height)
	return &UnaryOp{p.from(start), op, x}
}

// power: ['await'] primary ['**' factor]
func (p *parser) power() Expr {
	start := p.tok.start
	var x Expr
	if p.at(kAwait) {
		p.advance()
		value := p.primary()
		p.grow()
		x = &Await{p.from(start), value}
	} else {
		x = p.primary()
	}
	if !p.at(kPower) {
		return x
	}
	p.advance()
	height := p.enter()
	y := p.factor()
	p.leave(height)
	b := p.binOps.new()
	b.Left, b.Op, b.Right = x, Pow, y
	b.Range = p.from(start)
	return b
}

// primary: atom ('.' NAME | '(' arguments ')' | '[' slices ']')*
func (p *parser) primary() Expr {
	start := p.tok.start
	x := p.atom()
	for {
		switch p.tok.kind {
		case kDot:
			p.advance()
			a := p.attributes.new()
			a.Value, a.Attr = x, p.identifier("a name after '.'")
			a.Range = p.from(start)
			x = a
		case kLParen:
			c := p.calls.new()
			c.Func = x
			c.Args, c.Keywords = p.callArguments(true)
			c.Range = p.from(start)
			x = c
		case kLBrack:
			open := p.tok
			p.advance()
			s := p.subscripts.new()
			s.Value, s.Slice = x, p.slices()
			p.closing(kRBrack, open)
			s.Range = p.from(start)
			x = s
		default:
			return x
		}
		p.grow()
	}
}

// slices: slice !',' | (slice | starred) (',' (slice | starred))* [',']
func (p *parser) slices() Expr {
	start := p.tok.start
	x := p.slice()
	if _, ok := x.(*Starred); ok && !p.at(kComma) {
		t := p.tuples.new()
		t.Elts, t.Range = p.exprs.one(x), p.from(start)
		return t
	}
	if !p.at(kComma) {
		return x
	}
	mark := p.exprs.mark()
	p.exprs.push(x)
	for p.take(kComma) && (startsExpr[p.tok.kind] || p.at(kColon)) {
		p.exprs.push(p.slice())
	}
	t := p.tuples.new()
	t.Elts = p.exprs.cut(mark)
	t.Range = p.from(start)
	return t
}

// slice: [expression] ':' [expression] [':' [expression]] | starNamedExpression
func (p *parser) slice() Expr {
	start := p.tok.start
	s := &Slice{}
	if !p.at(kColon) {
		first := p.i
		x := p.starNamedExpression()
		if !p.at(kColon) {
			return x
		}
		p.plainBefore(first, "the bound of a slice")
		s.Lower = x
	}
	p.advance()
	if startsExpr[p.tok.kind] {
		s.Upper = p.expression()
	}
	if p.take(kColon) && startsExpr[p.tok.kind] {
		s.Step = p.expression()
	}
	s.Range = p.from(start)
	return s
}
