package ir

import "github.com/nereid-lang/nereid/internal/diag"

// Region reads { … } whose entry block has the given arguments (none: the text may have a label with its
// own), and appends it to the state. An ImplicitTerminator op's terminator is added where the text leaves it
// out.
func (p *Parser) Region(s *State, args []Arg) bool {
	r, ok := p.region(s.Def, args)
	if ok {
		p.ensureTerminator(s.Def, r)
		s.Regions = append(s.Regions, r)
	}
	return ok
}

// genericRegion reads a region of an op in generic form, which leaves nothing out.
func (p *Parser) genericRegion(s *State) bool {
	r, ok := p.region(s.Def, nil)
	if ok {
		s.Regions = append(s.Regions, r)
	}
	return ok
}

func (p *Parser) region(def *OpDef, args []Arg) (*Region, bool) {
	r := &Region{}
	if !p.Peek("{") {
		return nil, p.expected("'{'")
	}
	if !p.enter() {
		return nil, false
	}
	defer p.leave()
	p.advance()
	if len(args) == 0 && p.Try("}") {
		return r, true
	}
	isolated := def.Has(Isolated)
	p.openScope(isolated)
	ls := &labels{blocks: map[string]*label{}}
	p.labels = append(p.labels, ls)
	p.dialects = append(p.dialects, def.defaultDialect())
	if !p.regionBlocks(r, args) {
		return nil, false
	}
	p.undefinedBlocks(ls)
	p.closeScope(isolated)
	p.labels = p.labels[:len(p.labels)-1]
	p.dialects = p.dialects[:len(p.dialects)-1]
	return r, p.Literal("}")
}

// defaultDialect returns the dialect whose prefix is left out of the ops directly inside this one.
func (d *OpDef) defaultDialect() string {
	if d.ElideDialect {
		return d.Dialect.Name
	}
	return ""
}

// regionBlocks reads blocks up to the closing brace.
func (p *Parser) regionBlocks(r *Region, args []Arg) bool {
	if len(args) > 0 || p.tok.kind != tokCaret {
		if p.tok.kind == tokCaret {
			return p.Errorf(p.Pos(), "invalid block name in region with named arguments")
		}
		entry := &Block{}
		r.Append(entry)
		if !p.addArgs(entry, args) {
			return false
		}
		p.blockBody(entry)
	}
	for p.tok.kind == tokCaret {
		b, ok := p.label()
		if !ok {
			return false
		}
		r.Append(b)
		p.blockBody(b)
	}
	return true
}

// label reads ^bb1(%x: i32 loc(...)): and returns the block.
func (p *Parser) label() (*Block, bool) {
	blocks := p.labels[len(p.labels)-1].blocks
	name, pos := p.text(), p.Pos()
	l := blocks[name]
	if l == nil {
		l = &label{block: &Block{}, pos: pos}
		blocks[name] = l
	}
	if l.defined {
		p.report(pos, "redefinition of block '"+name+"'",
			diag.Note{Span: diag.At(l.pos), Msg: "previously defined here"})
		return nil, false
	}
	l.defined, l.pos = true, pos
	p.advance()
	var args []Arg
	if p.Peek("(") {
		ok := p.List("(", ")", func() bool {
			a, ok := p.Arg(true)
			args = append(args, a)
			return ok
		})
		if !ok {
			return nil, false
		}
	}
	return l.block, p.Literal(":") && p.addArgs(l.block, args)
}

func (p *Parser) addArgs(b *Block, args []Arg) bool {
	for _, a := range args {
		if a.Type == nil {
			return p.Errorf(a.Pos, "argument '%%%s' has no type", a.Name)
		}
		if !p.define(a.Name, 0, a.Pos, b.AddArg(a.Type, a.Loc)) {
			return false
		}
	}
	return true
}

// blockBody reads operations up to the next label or the end of the region.
func (p *Parser) blockBody(b *Block) {
	for p.tok.kind != tokEOF && p.tok.kind != tokCaret && !p.Peek("}") && !p.full() {
		p.operation(b)
	}
}

// ensureTerminator adds the terminator that the text may leave out.
func (p *Parser) ensureTerminator(def *OpDef, r *Region) {
	if !def.Has(ImplicitTerminator) || def.ImplicitTerm == nil {
		return
	}
	if r.Empty() {
		r.Append(&Block{})
	}
	if b := r.last; b.last == nil || !b.last.Def.Has(Terminator) && !b.last.Def.Unregistered {
		s := State{Def: def.ImplicitTerm}
		for range def.ImplicitTerm.Regions {
			s.Regions = append(s.Regions, NewRegion(NewBlock()))
		}
		t := NewOp(s)
		b.Append(t)
		p.implicit = append(p.implicit, t)
	}
}

// parseModule reads `@name attributes {…} { … }`.
func parseModule(p *Parser, s *State) bool {
	if name, ok := p.TrySymbol(); ok {
		s.Attrs = append(s.Attrs, NamedAttr{"sym_name", Str(name)})
	}
	if !p.AttrDictKeyword(s) || !p.Region(s, nil) {
		return false
	}
	if s.Regions[0].Empty() {
		s.Regions[0].Append(&Block{})
	}
	return true
}
