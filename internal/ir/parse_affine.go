package ir

// affineScope holds the names of a map's dimensions and symbols while its results are read.
type affineScope map[string]*AffineExpr

// affineMapAttr reads <(d0, d1)[s0] -> (d0 + s0, d1)>, the word affine_map being read.
func (p *Parser) affineMapAttr() (Attr, bool) {
	if !p.Literal("<") {
		return nil, false
	}
	m, ok := p.AffineMap()
	if !ok || !p.Literal(">") {
		return nil, false
	}
	return AffineMapOf(m), true
}

// AffineMap reads (d0, d1)[s0] -> (d0 + s0, d1).
func (p *Parser) AffineMap() (*AffineMap, bool) {
	names := affineScope{}
	m := &AffineMap{}
	if !p.affineNames("(", ")", AffineDim, &m.NumDims, names) {
		return nil, false
	}
	if p.Peek("[") && !p.affineNames("[", "]", AffineSym, &m.NumSyms, names) {
		return nil, false
	}
	if !p.Literal("->") {
		return nil, false
	}
	ok := p.List("(", ")", func() bool {
		e, ok := p.affineSum(names)
		m.Results = append(m.Results, e)
		return ok
	})
	return m, ok
}

func (p *Parser) affineNames(open, close string, kind AffineKind, n *int, names affineScope) bool {
	return p.List(open, close, func() bool {
		pos := p.Pos()
		w, ok := p.Keyword()
		if !ok {
			return false
		}
		if names[w] != nil {
			return p.Errorf(pos, "redefinition of identifier '%s'", w)
		}
		names[w] = &AffineExpr{Kind: kind, N: int64(*n)}
		*n++
		return true
	})
}

// affineSum reads terms joined by + and -.
func (p *Parser) affineSum(names affineScope) (*AffineExpr, bool) {
	if !p.enter() {
		return nil, false
	}
	defer p.leave()
	l, ok := p.affineTerm(names)
	for ok && (p.Peek("+") || p.Peek("-")) {
		minus := p.Peek("-")
		p.advance()
		var r *AffineExpr
		if r, ok = p.affineTerm(names); !ok {
			break
		}
		if minus {
			r = affineMul(r, affineConst(-1))
		}
		l = affineAdd(l, r)
	}
	return l, ok
}

var affineWords = map[string]AffineKind{"*": AffineMul, "mod": AffineMod, "floordiv": AffineFloorDiv,
	"ceildiv": AffineCeilDiv}

// affineTerm reads factors joined by *, mod, floordiv and ceildiv, which bind alike, from the left.
func (p *Parser) affineTerm(names affineScope) (*AffineExpr, bool) {
	l, ok := p.affineFactor(names)
	for ok {
		kind, is := affineWords[p.text()]
		if !is {
			break
		}
		pos := p.Pos()
		p.advance()
		var r *AffineExpr
		if r, ok = p.affineFactor(names); !ok {
			break
		}
		switch {
		case kind == AffineMul && !l.pureSymbol() && !r.pureSymbol():
			return nil, p.Errorf(pos,
				"non-affine expression: at least one of the multiply operands has to be either a constant "+
					"or symbolic")
		case kind == AffineMul:
			l = affineMul(l, r)
		case !r.pureSymbol() || r.Kind == AffineConst && r.N < 1:
			return nil, p.Errorf(pos,
				"non-affine expression: right operand of %s has to be either a positive constant or symbolic",
				p.src[p.file.Offset(pos):p.file.Offset(pos)+3])
		default:
			l = affineDiv(kind, l, r)
		}
	}
	return l, ok
}

func (p *Parser) affineFactor(names affineScope) (*AffineExpr, bool) {
	if !p.enter() {
		return nil, false
	}
	defer p.leave()
	switch {
	case p.tok.kind == tokInt:
		n, ok := p.Int()
		return affineConst(n), ok
	case p.tok.kind == tokWord:
		e := names[p.text()]
		if e == nil {
			return nil, p.Errorf(p.Pos(), "use of undeclared identifier '%s'", p.text())
		}
		p.advance()
		return e, true
	case p.Try("-"):
		e, ok := p.affineFactor(names)
		if !ok {
			return nil, false
		}
		return affineMul(e, affineConst(-1)), true
	case p.Try("("):
		e, ok := p.affineSum(names)
		return e, ok && p.Literal(")")
	}
	return nil, p.expected("an affine expression")
}

func affineConst(n int64) *AffineExpr { return &AffineExpr{Kind: AffineConst, N: n} }

// pureSymbol reports whether no dimension occurs in e.
func (e *AffineExpr) pureSymbol() bool {
	switch e.Kind {
	case AffineDim:
		return false
	case AffineSym, AffineConst:
		return true
	}
	return e.L.pureSymbol() && e.R.pureSymbol()
}

// affineAdd, affineMul and affineDiv build expressions in the form that MLIR gives them: constants folded,
// and on the right.

func affineAdd(l, r *AffineExpr) *AffineExpr {
	if l.Kind == AffineConst || l.pureSymbol() && !r.pureSymbol() {
		l, r = r, l
	}
	switch {
	case l.Kind == AffineConst && r.Kind == AffineConst:
		return affineConst(l.N + r.N)
	case r.Kind == AffineConst && r.N == 0:
		return l
	case r.Kind == AffineConst && l.Kind == AffineAdd && l.R.Kind == AffineConst:
		return affineAdd(l.L, affineConst(l.R.N+r.N))
	case l.Kind == AffineAdd && l.R.Kind == AffineConst:
		return affineAdd(affineAdd(l.L, r), l.R)
	}
	return &AffineExpr{Kind: AffineAdd, L: l, R: r}
}

func affineMul(l, r *AffineExpr) *AffineExpr {
	if l.Kind == AffineConst || l.pureSymbol() && !r.pureSymbol() {
		l, r = r, l
	}
	switch {
	case l.Kind == AffineConst && r.Kind == AffineConst:
		return affineConst(l.N * r.N)
	case r.Kind == AffineConst && r.N == 0:
		return r
	case r.Kind == AffineConst && r.N == 1:
		return l
	case r.Kind == AffineConst && l.Kind == AffineMul && l.R.Kind == AffineConst:
		return affineMul(l.L, affineConst(l.R.N*r.N))
	}
	return &AffineExpr{Kind: AffineMul, L: l, R: r}
}

func affineDiv(kind AffineKind, l, r *AffineExpr) *AffineExpr {
	e := &AffineExpr{Kind: kind, L: l, R: r}
	if r.Kind != AffineConst {
		return e
	}
	switch {
	case l.Kind == AffineConst:
		return affineConst(e.Eval(nil, nil))
	case r.N == 1 && kind == AffineMod:
		return affineConst(0)
	case r.N == 1:
		return l
	}
	return e
}
