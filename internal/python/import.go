package python

import "strings"

// import: 'import' dotted ['as' NAME] (',' dotted ['as' NAME])*
func (p *parser) import_() Stmt {
	start := p.tok.start
	p.advance()
	s := &Import{}
	for {
		at := p.tok.start
		a := &Alias{Name: p.dottedName()}
		p.asName(a, at)
		s.Names = append(s.Names, a)
		if !p.take(kComma) {
			break
		}
	}
	if p.at(kFrom) {
		p.fail(p.tok, "write from ... import ...", "unexpected 'from' after 'import'")
	}
	s.Range = p.from(start)
	return s
}

// asName reads ['as' NAME] and closes the range of a.
func (p *parser) asName(a *Alias, start int32) {
	if p.take(kAs) {
		a.AsName = p.identifier("a name after 'as'")
	}
	a.Range = p.from(start)
}

// dottedName: NAME ('.' NAME)*
func (p *parser) dottedName() string {
	name := p.identifier("the name of a module")
	if !p.at(kDot) {
		return name
	}
	parts := []string{name}
	for p.take(kDot) {
		parts = append(parts, p.identifier("a name after '.'"))
	}
	return strings.Join(parts, ".")
}

// importFrom: 'from' ('.' | '...')* [dotted] 'import' ('*' | '(' names [','] ')' | names)
func (p *parser) importFrom() Stmt {
	start := p.tok.start
	p.advance()
	s := &ImportFrom{}
	for p.at(kDot) || p.at(kEllipsis) {
		s.Level += int(p.tok.end - p.tok.start)
		p.advance()
	}
	if s.Level == 0 || !p.at(kImport) {
		s.Module = p.dottedName()
	}
	if !p.take(kImport) {
		p.fail(p.tok, "", "expected 'import' after the name of a module, found %s", p.describe())
	}
	switch open := p.tok; open.kind {
	case kStar:
		p.advance()
		s.Names = []*Alias{{Range: p.from(open.start), Name: "*"}}
	case kLParen:
		p.advance()
		s.Names = p.importNames(kRParen)
		p.closing(kRParen, open)
	default:
		s.Names = p.importNames(kNewline)
	}
	s.Range = p.from(start)
	return s
}

// importNames reads the names of from … import. Only in parentheses may the last one have a comma after it.
func (p *parser) importNames(end kind) (names []*Alias) {
	for {
		at := p.tok.start
		if p.at(kNewline) && len(names) > 0 {
			p.fail(p.tok, "", "a trailing comma in an import needs parentheses around the names")
		}
		a := &Alias{Name: p.identifier("a name to import")}
		p.asName(a, at)
		names = append(names, a)
		if !p.take(kComma) || end == kRParen && p.at(end) {
			return names
		}
	}
}
