package python

// module reads a whole file.
func (p *parser) module() *Module {
	m := &Module{File: p.file, Range: p.whole()}
	mark := p.stmts.mark()
	for !p.at(kEOF) && len(p.list.Diags) < maxErrors {
		p.statement()
	}
	m.Body = p.stmts.cut(mark)
	return m
}

// whole returns the range of the text.
func (p *parser) whole() Range { return Range{p.pos(0), p.pos(int32(p.end))} }

// evalInput reads one expression that is the whole text.
func (p *parser) evalInput() Expr {
	start := p.tok.start
	if p.at(kIndent) {
		p.advance() // white space before it does not matter
		start = p.tok.start
	}
	if p.at(kEOF) {
		p.fail(p.tok, "", "expected an expression")
		return &BadExpr{Range{p.pos(0), p.pos(0)}}
	}
	x := p.tupleOf(start, p.starExpression(), (*parser).starExpression)
	for p.take(kNewline) || p.take(kDedent) || p.at(kIndent) && p.take(kIndent) {
	}
	if !p.at(kEOF) {
		p.fail(p.tok, "", "expected the end of the expression, found %s", p.describe())
	}
	return x
}

// statement reads one statement, or several simple ones on a line, and appends them to p.stmts. After an
// error it goes on at the next line.
func (p *parser) statement() {
	p.height = 0
	header := p.header
	p.header = false
	if p.at(kIndent) {
		p.unexpectedIndent(header)
		return
	}
	if p.at(kNewline) { // what is left of a line that began with an error
		p.advance()
		return
	}
	if f := compound[p.tok.kind]; f != nil {
		p.stmts.push(f(p))
	} else if p.at(kName) && p.text(p.tok) == "match" && p.isMatch() {
		p.stmts.push(p.match())
	} else {
		p.simpleStatements()
	}
	if p.failed {
		p.recover()
		p.take(kNewline)
	}
}

// unexpectedIndent reads a block that belongs to nothing, unless it is that of a header with an error in it.
func (p *parser) unexpectedIndent(header bool) {
	if !header {
		p.errorf(p.toks[p.i+1], codeIndent, "", "unexpected indent")
	}
	p.advance()
	p.statements()
	p.take(kDedent)
}

// statements reads up to the end of the block and appends to p.stmts.
func (p *parser) statements() {
	for !p.at(kDedent) && !p.at(kEOF) && len(p.list.Diags) < maxErrors {
		p.statement()
	}
}

// block: ':' NEWLINE INDENT statements DEDENT | ':' simpleStatements. head is the token that what begins
// with.
func (p *parser) block(head token, what string) []Stmt {
	if !p.take(kColon) {
		hint := ""
		if p.at(kAssign) {
			hint = "write '==' to compare"
		}
		p.fail(p.tok, hint, "expected ':' after %s, found %s", what, p.describe())
	}
	mark := p.stmts.mark()
	if p.failed { // go on with the block, if there is one
		p.recover()
		p.take(kNewline)
		if !p.at(kIndent) {
			return nil
		}
	} else if !p.take(kNewline) {
		p.simpleStatements()
		return p.stmts.cut(mark)
	}
	if !p.take(kIndent) {
		line, _ := p.file.LineCol(int(head.start))
		t := p.tok
		if t.kind == kEOF { // rather than an empty line
			t = token{start: p.prevEnd, end: p.prevEnd}
		}
		p.errorf(t, codeIndent, "", "expected an indented block after %s on line %d", what, line)
		return nil
	}
	p.statements()
	p.take(kDedent)
	return p.stmts.cut(mark)
}

// simpleStatements: simple (';' simple)* [';'] NEWLINE
func (p *parser) simpleStatements() {
	for {
		start := p.tok
		s := p.simple()
		if p.failed {
			p.recover()
			s = &BadStmt{p.from(start.start)}
		}
		p.stmts.push(s)
		if !p.take(kSemi) || p.at(kNewline) {
			break
		}
	}
	if p.take(kNewline) || p.at(kEOF) {
		return
	}
	p.fail(p.tok, p.endHint(), "expected the end of the statement, found %s", p.describe())
	p.recover()
	p.take(kNewline)
}

// endHint returns a hint for a statement that does not end where it should.
func (p *parser) endHint() string {
	k := p.tok.kind
	switch last := p.stmts.stack[len(p.stmts.stack)-1].(type) {
	case *Raise:
		if k == kComma && last.Exc != nil {
			return "write raise E(...) to give the exception a value"
		}
	case *ExprStmt:
		name, _ := last.Value.(*Name)
		switch {
		case name != nil && (name.ID == "print" || name.ID == "exec") && startsExpr[k]:
			return name.ID + " is a function: write " + name.ID + "(...)"
		case name != nil && k == kName && (name.ID == "elseif" || name.ID == "elsif"):
			return "write 'elif'"
		}
	}
	switch {
	case k == kWalrus:
		return "write '=' to assign, or put the named expression in parentheses"
	case k == kAssign || k >= kPlusAssign && k <= kFloorAssign:
		return "only one augmented assignment may stand in a statement"
	case compound[k] != nil:
		return "a compound statement begins on a line of its own"
	}
	return ""
}

// simple reads one simple statement.
func (p *parser) simple() Stmt {
	p.height = 0
	if f := simple[p.tok.kind]; f != nil {
		return f(p)
	}
	if p.at(kName) && p.text(p.tok) == "type" && p.peek(1) == kName {
		return p.typeAlias()
	}
	return p.assignment()
}

// simple and compound are the statements that begin with a keyword; they are filled in by init because their
// functions lead back to them.
var simple, compound [numKinds]func(*parser) Stmt

func init() {
	simple = [numKinds]func(*parser) Stmt{
		kPass: (*parser).pass, kBreak: (*parser).break_, kContinue: (*parser).continue_,
		kReturn: (*parser).return_,
		kRaise:  (*parser).raise, kDel: (*parser).del, kAssert: (*parser).assert, kGlobal: (*parser).global,
		kNonlocal: (*parser).nonlocal, kImport: (*parser).import_, kFrom: (*parser).importFrom,
		kElse: (*parser).stray, kElif: (*parser).stray, kExcept: (*parser).stray, kFinally: (*parser).stray,
	}
	compound = [numKinds]func(*parser) Stmt{
		kIf: (*parser).if_, kWhile: (*parser).while, kFor: (*parser).for_, kTry: (*parser).try,
		kWith: (*parser).with,
		kDef:  (*parser).function, kClass: (*parser).class, kAsync: (*parser).async, kAt: (*parser).decorated,
	}
}

// stray reads an else, elif, except or finally that belongs to nothing.
func (p *parser) stray() Stmt {
	p.fail(p.tok, "is it indented like the statement it belongs to?", "%s without a statement before it",
		p.describe())
	return nil
}

func (p *parser) pass() Stmt {
	t := p.tok
	p.advance()
	return &Pass{p.from(t.start)}
}

func (p *parser) break_() Stmt {
	t := p.tok
	p.advance()
	return &Break{p.from(t.start)}
}

func (p *parser) continue_() Stmt {
	t := p.tok
	p.advance()
	return &Continue{p.from(t.start)}
}

// return: 'return' [starExpressions]
func (p *parser) return_() Stmt {
	start := p.tok.start
	p.advance()
	r := p.returns.new()
	if !p.at(kNewline) && !p.at(kSemi) {
		r.Value = p.starExpressions()
	}
	r.Range = p.from(start)
	return r
}

// raise: 'raise' [expression ['from' expression]]
func (p *parser) raise() Stmt {
	start := p.tok.start
	p.advance()
	r := &Raise{}
	if !p.at(kNewline) && !p.at(kSemi) {
		r.Exc = p.expression()
		if p.take(kFrom) {
			r.Cause = p.expression()
		}
	}
	r.Range = p.from(start)
	return r
}

// del: 'del' target (',' target)* [',']
func (p *parser) del() Stmt {
	start := p.tok.start
	p.advance()
	mark := p.exprs.mark()
	for {
		x := p.starTarget()
		if !p.failed {
			p.store(x, Del, "")
		}
		p.exprs.push(x)
		if !p.take(kComma) || !startsExpr[p.tok.kind] {
			break
		}
	}
	targets := p.exprs.cut(mark)
	return &Delete{p.from(start), targets}
}

// assert: 'assert' expression [',' expression]
func (p *parser) assert() Stmt {
	start := p.tok.start
	p.advance()
	a := &Assert{Test: p.expression()}
	if p.take(kComma) {
		a.Msg = p.expression()
	}
	a.Range = p.from(start)
	return a
}

func (p *parser) global() Stmt {
	start := p.tok.start
	names := p.nameList()
	return &Global{p.from(start), names}
}

func (p *parser) nonlocal() Stmt {
	start := p.tok.start
	names := p.nameList()
	return &Nonlocal{p.from(start), names}
}

func (p *parser) nameList() (names []string) {
	p.advance()
	names = append(names, p.identifier("a name"))
	for p.take(kComma) {
		names = append(names, p.identifier("a name"))
	}
	return names
}

// typeAlias: 'type' NAME [typeParams] '=' expression
func (p *parser) typeAlias() Stmt {
	start := p.tok.start
	p.advance()
	a := &TypeAlias{Name: p.nameExpr()}
	a.Name.Ctx = Store
	a.TypeParams = p.typeParams()
	p.expect(kAssign)
	a.Value = p.expression()
	a.Range = p.from(start)
	return a
}
