package python

// assignment: an expression alone, or one of the statements that begin with an expression
func (p *parser) assignment() Stmt {
	t := p.tok
	x := p.yieldOrStar()
	switch k := p.tok.kind; {
	case k == kAssign:
		return p.assign(t.start, x)
	case k == kColon && t.kind != kYield:
		return p.annotated(t, x)
	case k >= kPlusAssign && k <= kFloorAssign:
		return p.augmented(t.start, x)
	}
	s := p.exprStmts.new()
	s.Range, s.Value = p.from(t.start), x
	return s
}

// assign: (targets '=')+ value
func (p *parser) assign(start int32, x Expr) Stmt {
	mark := p.exprs.mark()
	for p.take(kAssign) {
		p.store(x, Store, equalsHint(x))
		p.exprs.push(x)
		x = p.yieldOrStar()
	}
	a := p.assigns.new()
	a.Targets, a.Value = p.exprs.cut(mark), x
	a.Range = p.from(start)
	return a
}

// equalsHint returns a hint for people who write = to compare.
func equalsHint(x Expr) string {
	switch x.(type) {
	case *Call, *BinOp, *UnaryOp, *Constant, *Compare, *BoolOp:
		return "write '==' to compare"
	}
	return ""
}

// annotated: target ':' expression ['=' value]
func (p *parser) annotated(t token, target Expr) Stmt {
	a := &AnnAssign{Target: target}
	switch x := target.(type) {
	case *Name:
		x.Ctx = Store
		a.Simple = t.kind == kName
	case *Attribute:
		x.Ctx = Store
	case *Subscript:
		x.Ctx = Store
	case *Tuple, *List:
		p.errorAt(target, codeTarget, "", "only a single target can be annotated, not %s",
			describeExpr(target))
	default:
		p.fail(p.tok, p.colonHint(target), "unexpected ':' after %s", describeExpr(target))
	}
	p.advance()
	a.Annotation = p.expression()
	if p.take(kAssign) {
		a.Value = p.yieldOrStar()
	}
	a.Range = p.from(t.start)
	return a
}

// colonHint returns a hint for people who forget or misspell a keyword.
func (p *parser) colonHint(x Expr) string {
	if p.peek(1) == kNewline {
		return "a block needs a statement such as if, for, while or def before it"
	}
	return ""
}

// augmented: target '+=' value
func (p *parser) augmented(start int32, target Expr) Stmt {
	a := &AugAssign{Target: target, Op: Operator(p.tok.kind - kPlusAssign)}
	switch x := target.(type) {
	case *Name:
		x.Ctx = Store
	case *Attribute:
		x.Ctx = Store
	case *Subscript:
		x.Ctx = Store
	case *BadExpr:
	default:
		p.errorAt(target, codeTarget, "", "cannot assign to %s with '%s'", describeExpr(target),
			p.text(p.tok))
	}
	p.advance()
	a.Value = p.yieldOrStar()
	a.Range = p.from(start)
	return a
}
