package ir

import "strings"

// alias is a name for an attribute or a type, `#blocked = ...` or `!t = ...`.
type alias struct {
	name   string // with # or !
	at     int    // where the definition begins in the source
	end    int    // where it ends, once read
	state  aliasState
	attr   Attr
	typ    Type
	weight int
}

type aliasState uint8

const (
	aliasUnread aliasState = iota
	aliasReading
	aliasRead
	aliasFailed
)

// findAliases notes where each alias is defined, so that a use may come first: Triton writes most locations
// at the end. A definition begins its line, and nothing else at the start of a line looks like one.
func (p *Parser) findAliases() {
	p.aliases = map[string]*alias{}
	for at := 0; at < len(p.src); {
		end := strings.IndexByte(p.src[at:], '\n')
		if end < 0 {
			end = len(p.src) - at
		}
		start := at
		for start < at+end && (p.src[start] == ' ' || p.src[start] == '\t') {
			start++
		}
		if start < at+end && (p.src[start] == '#' || p.src[start] == '!') {
			p.noteAlias(start)
		}
		at += end + 1
	}
}

func (p *Parser) noteAlias(at int) {
	t := lex(p.src, at)
	if eq := lex(p.src, t.end); t.kind == tokError || eq.kind != tokPunct || p.src[eq.start] != '=' {
		return
	}
	name := p.src[t.start:t.end]
	if p.aliases[name] == nil && strings.IndexByte(name, '.') < 0 {
		p.aliases[name] = &alias{name: name, at: at}
	}
}

// aliasDef reads a definition at the top level, or passes over one that a use has already read.
func (p *Parser) aliasDef() bool {
	name := p.text()
	if strings.IndexByte(name, '.') >= 0 {
		return p.Errorf(p.Pos(), "alias names may not contain a '.', which is for names of dialects")
	}
	a := p.aliases[name]
	if a == nil {
		a = &alias{name: name, at: p.tok.start}
		p.aliases[name] = a
	}
	if a.at != p.tok.start {
		return p.Errorf(p.Pos(), "redefinition of alias '%s'", name)
	}
	if a.state == aliasUnread {
		p.readAlias(a)
	}
	if a.state != aliasRead {
		return false
	}
	p.last, p.tok = a.end, lex(p.src, a.end)
	return true
}

// alias returns what the name at hand stands for, which may be defined later in the text; nil after an error.
func (p *Parser) alias() *alias {
	a := p.aliases[p.text()]
	switch {
	case a == nil:
		p.Errorf(p.Pos(), "undefined alias '%s'", p.text())
		return nil
	case a.state == aliasReading:
		p.Errorf(p.Pos(), "alias '%s' is defined in terms of itself", a.name)
		return nil
	case a.state == aliasUnread:
		p.readAlias(a)
	}
	if a.state != aliasRead {
		return nil
	}
	p.weight += a.weight
	p.advance()
	return a
}

// readAlias reads a definition wherever it stands and comes back.
func (p *Parser) readAlias(a *alias) {
	tok, last, braces, weight := p.tok, p.last, p.braces, p.weight
	p.tok, a.state = lex(p.src, a.at), aliasReading
	p.advance()
	ok := p.enter() && p.Literal("=")
	if ok && a.name[0] == '!' {
		a.typ, ok = p.Type()
	} else if ok {
		a.attr, ok = p.Attr(nil)
	}
	p.leave()
	a.weight, a.end, a.state = p.weight-weight+1, p.last, aliasRead
	if ok && a.weight > maxWeight {
		ok = p.errorSpan(token{start: a.at, end: p.last}, "alias '%s' stands for too much", a.name)
	}
	if !ok {
		a.state = aliasFailed
	}
	p.tok, p.last, p.braces, p.weight = tok, last, braces, weight
}

// budget fails when aliases in aliases have made the text stand for far more than it says.
func (p *Parser) budget() bool {
	if p.weight <= 1<<20+200*len(p.src) {
		return true
	}
	return p.Errorf(p.Pos(), "aliases make this text too large")
}

// balanced passes over <...> with everything in it and returns its text, aliases expanded: the text of
// something whose syntax is unknown must mean the same wherever it is printed.
func (p *Parser) balanced() (string, bool) {
	var b strings.Builder
	var open []byte
	from := p.tok.start
	for first := true; first || len(open) > 0; first = false {
		switch p.tok.kind {
		case tokEOF:
			return "", p.Errorf(p.Pos(), "expected '%c', found the end of the text", open[len(open)-1])
		case tokError:
			if p.src[p.tok.start] == '"' {
				return "", p.expected("text")
			}
		case tokHash, tokBang:
			if a := p.aliases[p.text()]; a != nil && !strings.HasPrefix(p.src[p.tok.end:], "<") {
				b.WriteString(p.src[from:p.tok.start])
				if a = p.alias(); a == nil {
					return "", false
				}
				b.WriteString(a.String())
				from = p.last
				continue
			}
		case tokPunct:
			if !p.bracket(&open) {
				return "", false
			}
		}
		p.advance()
	}
	b.WriteString(p.src[from:p.last])
	return b.String(), p.budget()
}

func (a *alias) String() string {
	if a.typ != nil {
		return a.typ.String()
	}
	return a.attr.String()
}

const brackets = "<>()[]{}"

// bracket pushes what closes an opening bracket, and pops it at the closing one.
func (p *Parser) bracket(open *[]byte) bool {
	i := strings.Index(brackets, p.text())
	switch {
	case i < 0 || len(p.text()) != 1:
	case i%2 == 0:
		if len(*open) >= maxDepth {
			return p.Errorf(p.Pos(), "nested too deeply")
		}
		*open = append(*open, brackets[i+1])
	case (*open)[len(*open)-1] != brackets[i]:
		return p.expected("'" + string((*open)[len(*open)-1]) + "'")
	default:
		*open = (*open)[:len(*open)-1]
	}
	return true
}
