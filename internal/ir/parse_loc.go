package ir

// Loc reads an optional loc(...); Unknown when absent.
func (p *Parser) Loc() (Loc, bool) {
	if !p.Try("loc") {
		return Unknown, true
	}
	if !p.Literal("(") {
		return nil, false
	}
	l, ok := p.locBody()
	return l, ok && p.Literal(")")
}

// locBody reads what stands in the parentheses.
func (p *Parser) locBody() (Loc, bool) {
	if !p.enter() {
		return nil, false
	}
	defer p.leave()
	p.weight++
	switch {
	case p.tok.kind == tokHash:
		return p.locAlias()
	case p.tok.kind == tokString:
		return p.fileOrName()
	case p.Try("unknown"):
		return Unknown, true
	case p.Try("callsite"):
		return p.callSite()
	case p.Try("fused"):
		return p.fusedLoc()
	case p.Peek("loc"):
		return p.Loc()
	}
	return nil, p.expected("a location")
}

func (p *Parser) locAlias() (Loc, bool) {
	pos, name := p.Pos(), p.text()
	a, ok := p.hashAttr()
	if !ok {
		return nil, false
	}
	l, ok := a.(Loc)
	if !ok {
		return nil, p.Errorf(pos, "'%s' is not a location", name)
	}
	return l, p.budget()
}

// fileOrName reads "file":1:2, "file":1:2 to 3:4, "name"(child) or "name".
func (p *Parser) fileOrName() (Loc, bool) {
	name, _ := p.String()
	switch {
	case p.Try(":"):
		return p.fileLoc(name)
	case p.Try("("):
		child, ok := p.locBody()
		return Named(name, child), ok && p.Literal(")")
	}
	return Named(name, Unknown), true
}

func (p *Parser) fileLoc(name string) (Loc, bool) {
	l := FileLoc{File: name, HasLines: true}
	var ok bool
	if l.Line, ok = p.lineNumber(); !ok || !p.Literal(":") {
		return nil, false
	}
	if l.Col, ok = p.lineNumber(); !ok {
		return nil, false
	}
	if p.Try("to") {
		l.HasEnd, l.EndLine = true, l.Line
		if !p.Peek(":") {
			if l.EndLine, ok = p.lineNumber(); !ok {
				return nil, false
			}
		}
		if !p.Literal(":") {
			return nil, false
		}
		if l.EndCol, ok = p.lineNumber(); !ok {
			return nil, false
		}
	}
	return FileRange(l), true
}

func (p *Parser) lineNumber() (int, bool) {
	pos := p.Pos()
	v, ok := p.Int()
	if ok && (v < 0 || v > 1<<32-1) {
		return 0, p.Errorf(pos, "line or column out of range")
	}
	return int(v), ok
}

func (p *Parser) callSite() (Loc, bool) {
	if !p.Literal("(") {
		return nil, false
	}
	callee, ok := p.locBody()
	if !ok || !p.Literal("at") {
		return nil, false
	}
	caller, ok := p.locBody()
	return CallSite(callee, caller), ok && p.Literal(")")
}

func (p *Parser) fusedLoc() (Loc, bool) {
	var meta Attr
	if p.Try("<") {
		var ok bool
		if meta, ok = p.Attr(nil); !ok || !p.Literal(">") {
			return nil, false
		}
	}
	var locs []Loc
	ok := p.List("[", "]", func() bool {
		l, ok := p.locBody()
		locs = append(locs, l)
		return ok
	})
	if !ok {
		return nil, false
	}
	return Fused(meta, locs...), true
}
