package python

// paramList is the state of reading parameters.
type paramList struct {
	*Arguments
	annotated bool // of a def; those of a lambda have no annotations
	star      bool // '*' has been seen: what follows is keyword-only
	bare      *token
}

// parameters reads the parameters of a def or lambda up to the token end, which is left in place.
func (p *parser) parameters(end kind, annotated bool) *Arguments {
	start := p.tok.start
	l := paramList{Arguments: p.alloc.arguments.new(), annotated: annotated}
	for !p.at(end) && !p.failed {
		p.parameter(&l)
		if !p.take(kComma) {
			break
		}
	}
	if l.bare != nil && len(l.KwOnlyArgs) == 0 {
		p.errorf(*l.bare, codeSyntax, "", "named parameters must follow a bare '*'")
	}
	if !p.at(end) && !p.failed {
		what := kindSet(kComma, kName, kStar, kPower)
		hint := ""
		if what[p.tok.kind] {
			hint = "perhaps a comma is missing"
		}
		p.fail(p.tok, hint, "expected ',' or %v after a parameter, found %s", end, p.describe())
	}
	l.Range = p.from(start)
	if p.prevEnd < start {
		l.Range = Range{p.pos(start), p.pos(start)}
	}
	return l.Arguments
}

// parameter reads one parameter.
func (p *parser) parameter(l *paramList) {
	t := p.tok
	if l.Kwarg != nil {
		p.fail(t, "", "no parameter may follow '**%s'", l.Kwarg.Arg)
		return
	}
	switch t.kind {
	case kSlash:
		p.advance()
		p.slash(l, t)
	case kStar:
		p.advance()
		p.starParameter(l, t)
	case kPower:
		p.advance()
		l.Kwarg = p.param(l.annotated, false)
		if p.at(kAssign) {
			p.fail(p.tok, "", "'**%s' cannot have a default", l.Kwarg.Arg)
		}
	default:
		p.namedParameter(l)
	}
}

func (p *parser) slash(l *paramList, t token) {
	switch {
	case l.star:
		p.fail(t, "", "'/' must come before '*'")
	case l.PosOnlyArgs != nil:
		p.fail(t, "", "'/' may appear only once")
	case len(l.Args) == 0:
		p.fail(t, "", "a parameter must come before '/'")
	}
	l.PosOnlyArgs, l.Args = l.Args, nil
}

func (p *parser) starParameter(l *paramList, t token) {
	if l.star {
		p.fail(t, "", "'*' may appear only once")
		return
	}
	l.star = true
	if !p.at(kName) && (p.at(kComma) || p.at(kRParen) || p.at(kColon)) {
		l.bare = &t
		return
	}
	l.Vararg = p.param(l.annotated, true)
	if p.at(kAssign) {
		p.fail(p.tok, "", "'*%s' cannot have a default", l.Vararg.Arg)
	}
}

func (p *parser) namedParameter(l *paramList) {
	t := p.tok
	if t.kind == kLParen {
		p.fail(t, "take the parameter apart in the body", "a parameter cannot be a tuple")
	}
	a := p.param(l.annotated, false)
	var value Expr
	if p.take(kAssign) {
		if !startsExpr[p.tok.kind] {
			p.fail(p.tok, "", "expected a default value, found %s", p.describe())
		}
		value = p.expression()
	}
	switch {
	case l.star:
		l.KwOnlyArgs = append(l.KwOnlyArgs, a)
		l.KwDefaults = append(l.KwDefaults, value)
		return
	case value != nil:
		l.Defaults = append(l.Defaults, value)
	case len(l.Defaults) > 0:
		p.errorf(t, codeSyntax, "", "parameter without a default after one with a default")
	}
	l.Args = append(l.Args, a)
}

// param: NAME [':' annotation]; that of '*args' may be starred.
func (p *parser) param(annotated, starred bool) *Arg {
	start := p.tok.start
	a := p.args.new()
	a.Arg = p.identifier("a parameter")
	if annotated && p.take(kColon) {
		if starred {
			a.Annotation = p.starExpression()
		} else {
			a.Annotation = p.expression()
		}
	}
	a.Range = p.from(start)
	return a
}
