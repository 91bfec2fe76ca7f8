package ir

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/nereid-lang/nereid/internal/diag"
)

// scope is the values that an isolated operation's regions can name. Regions inside add names and take them
// away again at their end.
type scope struct {
	values  map[string][]binding
	regions [][]string        // names defined, region by region
	hidden  []hiddenName      // names used outside the region that defines them
	forward map[*Value]fwdUse // values used but not defined yet
}

// binding is one value of a name; %x#2 is the third of x.
type binding struct {
	value *Value
	pos   diag.Pos // position of the definition, or of the first use when forward
	state bindState
}

type bindState uint8

const (
	bindNone    bindState = iota
	bindForward           // used and not yet defined: the value is a stand-in
	bindDefined
	bindBroken // defined by an operation with an error: uses are not reported
)

type fwdUse struct {
	name   string
	number int
	pos    diag.Pos
	level  int // regions around it
}

// hiddenName is a use that waits for its definition while a region further in has its own value of that name.
type hiddenName struct {
	name  string
	list  []binding
	level int // level of the region further in
}

func newScope() *scope {
	return &scope{values: map[string][]binding{}, forward: map[*Value]fwdUse{}, regions: [][]string{nil}}
}

func (p *Parser) scope() *scope { return p.scopes[len(p.scopes)-1] }

// openScope begins the names of a region; closeScope ends them and reports the values that were never
// defined.
func (p *Parser) openScope(isolated bool) {
	if isolated {
		p.scopes = append(p.scopes, newScope())
		return
	}
	s := p.scope()
	s.regions = append(s.regions, nil)
}

func (p *Parser) closeScope(isolated bool) {
	s := p.scope()
	if isolated {
		p.undefined(s)
		p.scopes = p.scopes[:len(p.scopes)-1]
		return
	}
	last := len(s.regions) - 1
	for _, name := range s.regions[last] {
		delete(s.values, name)
	}
	for n := len(s.hidden) - 1; n >= 0 && s.hidden[n].level == len(s.regions); n-- {
		s.values[s.hidden[n].name] = s.hidden[n].list
		s.hidden = s.hidden[:n]
	}
	s.regions = s.regions[:last]
}

// hide puts aside the uses of a name from outside of the region at hand, which cannot mean the value that it
// defines.
func (s *scope) hide(name string) {
	list := s.values[name]
	for _, b := range list {
		if b.state == bindForward && s.forward[b.value].level < len(s.regions) {
			s.hidden = append(s.hidden, hiddenName{name, list, len(s.regions)})
			delete(s.values, name)
			return
		}
	}
}

// undefined reports the uses of values that the scope never defined, in the order of the text.
func (p *Parser) undefined(s *scope) {
	uses := slices.SortedFunc(maps.Values(s.forward), func(a, b fwdUse) int {
		return cmp.Or(cmp.Compare(a.pos, b.pos), cmp.Compare(a.number, b.number))
	})
	for _, u := range uses {
		name := "%" + u.name
		if u.number > 0 {
			name += "#" + strconv.Itoa(u.number)
		}
		end := u.pos + diag.Pos(len(name))
		p.diags.Errorf(diag.Span{Start: u.pos, End: end}, "", "use of undeclared SSA value '%s'", name)
	}
}

// Operand reads %x or %x#1.
func (p *Parser) Operand() (Operand, bool) {
	if p.tok.kind != tokPercent {
		return Operand{}, p.expected("an operand")
	}
	o := Operand{Name: p.text()[1:], Pos: p.Pos()}
	p.advance()
	if p.tok.kind != tokHash || p.tok.start != p.last || charClass[p.src[p.tok.start+1]]&clDigit == 0 {
		return o, true
	}
	n, err := strconv.Atoi(p.text()[1:])
	if err != nil || n > 1<<16 {
		return o, p.Errorf(p.Pos(), "invalid result number")
	}
	o.Number = n
	p.advance()
	return o, true
}

// TryOperand reads an operand if there is one. After an error it has none, and the next token is the one in
// error.
func (p *Parser) TryOperand() (Operand, bool) {
	if p.tok.kind != tokPercent {
		return Operand{}, false
	}
	return p.Operand()
}

// Operands reads a comma-separated list, maybe none.
func (p *Parser) Operands() ([]Operand, bool) {
	var os []Operand
	if p.tok.kind != tokPercent {
		return nil, true
	}
	for {
		o, ok := p.Operand()
		if !ok {
			return nil, false
		}
		os = append(os, o)
		if !p.Try(",") {
			return os, true
		}
	}
}

// Resolve finds the value of an operand that has the given type (a forward reference if it is defined later),
// and appends it to the state. Its errors point at the operand.
func (p *Parser) Resolve(s *State, o Operand, t Type) bool {
	v, ok := p.use(o, t)
	if ok {
		s.Operands = append(s.Operands, v)
	}
	return ok
}

// ResolveAll resolves operands that have the given types, one for each.
func (p *Parser) ResolveAll(s *State, os []Operand, ts []Type) bool {
	if len(os) != len(ts) {
		pos := p.file.Pos(p.last)
		if len(os) > 0 {
			pos = os[0].Pos
		}
		return p.Errorf(pos, "%d operands but %d types", len(os), len(ts))
	}
	for i := range os {
		if !p.Resolve(s, os[i], ts[i]) {
			return false
		}
	}
	return true
}

func (p *Parser) use(o Operand, t Type) (*Value, bool) {
	s := p.scope()
	list := s.values[o.Name]
	if o.Number < len(list) && list[o.Number].value != nil {
		b := list[o.Number]
		if b.value.Type == t {
			return b.value, true
		}
		if b.state == bindBroken {
			return &Value{Type: t}, true
		}
		return nil, p.wrongType(o, t, b)
	}
	if len(list) > 0 && list[0].state == bindBroken {
		return &Value{Type: t}, true
	}
	if len(list) > 0 && list[0].state == bindDefined {
		return nil, p.Errorf(o.Pos, "'%%%s' has only %d results", o.Name, len(list))
	}
	v := &Value{Type: t}
	p.bind(o.Name, o.Number, binding{v, o.Pos, bindForward})
	s.forward[v] = fwdUse{o.Name, o.Number, o.Pos, len(s.regions)}
	return v, true
}

func (p *Parser) wrongType(o Operand, t Type, b binding) bool {
	msg, note := "use of value '%"+o.Name+"' expects different type than prior uses: ", "prior use here"
	if b.state == bindDefined {
		msg, note = "use of value '%"+o.Name+"' expects a type other than its definition's: ", "defined here"
	}
	span := diag.Span{Start: o.Pos, End: o.Pos + diag.Pos(len(o.Name)+1)}
	p.diags.Add(diag.Diagnostic{Span: span, Msg: msg + "'" + t.String() + "' vs '" +
		b.value.Type.String() + "'", Notes: []diag.Note{{Span: diag.At(b.pos), Msg: note}}})
	return false
}

func (p *Parser) bind(name string, number int, b binding) {
	s := p.scope()
	list := s.values[name]
	if len(list) <= number {
		list = append(list, make([]binding, number+1-len(list))...)
	}
	list[number] = b
	s.values[name] = list
}

// define gives a value its name. A use that came first is now made to use v.
func (p *Parser) define(name string, number int, pos diag.Pos, v *Value) bool {
	s := p.scope()
	if number == 0 {
		s.hide(name)
	}
	if list := s.values[name]; number < len(list) {
		switch b := list[number]; b.state {
		case bindDefined, bindBroken:
			p.diags.Add(diag.Diagnostic{Span: diag.Span{Start: pos, End: pos + diag.Pos(len(name)+1)},
				Msg:   "redefinition of SSA value '%" + name + "'",
				Notes: []diag.Note{{Span: diag.At(b.pos), Msg: "previously defined here"}}})
			return false
		case bindForward:
			if b.value.Type != v.Type {
				p.diags.Add(diag.Diagnostic{Span: diag.Span{Start: pos, End: pos + diag.Pos(len(name)+1)},
					Msg: "definition of SSA value '%" + name + "' has type '" + v.Type.String() + "'",
					Notes: []diag.Note{{Span: diag.At(b.pos), Msg: "previously used here with type '" +
						b.value.Type.String() + "'"}}})
				delete(s.forward, b.value)
				p.bind(name, number, binding{v, pos, bindBroken})
				return false
			}
			b.value.ReplaceAllUses(v)
			delete(s.forward, b.value)
		}
	}
	p.bind(name, number, binding{v, pos, bindDefined})
	if number == 0 {
		last := len(s.regions) - 1
		s.regions[last] = append(s.regions[last], name)
		if name[0] > '9' || name[0] < '0' {
			v.Name = name
		}
	}
	return true
}

// poison marks the names that a failed operation would have defined, so that their uses are not errors too.
func (p *Parser) poison(names []resultName) {
	s := p.scope()
	for _, n := range names {
		for _, b := range s.values[n.name] {
			if b.state == bindForward {
				delete(s.forward, b.value)
			}
		}
		if list := s.values[n.name]; len(list) == 0 || list[0].state != bindDefined {
			s.values[n.name] = []binding{{&Value{Type: None}, n.pos, bindBroken}}
			last := len(s.regions) - 1
			s.regions[last] = append(s.regions[last], n.name)
		}
	}
}

// labels are the blocks of the region being read.
type labels struct {
	blocks map[string]*label
}

type label struct {
	block   *Block
	pos     diag.Pos // position of the definition, or of the first use
	defined bool
}

// Block reads ^bb1, which may be defined later.
func (p *Parser) Block() (*Block, bool) {
	if p.tok.kind != tokCaret {
		return nil, p.expected("a block name")
	}
	if len(p.labels) == 0 {
		return nil, p.Errorf(p.Pos(), "a successor outside any region")
	}
	blocks := p.labels[len(p.labels)-1].blocks
	name := p.text()
	l := blocks[name]
	if l == nil {
		l = &label{block: &Block{}, pos: p.Pos()}
		blocks[name] = l
	}
	p.advance()
	return l.block, true
}

// undefinedBlocks reports the blocks of a region that were used but not defined.
func (p *Parser) undefinedBlocks(ls *labels) {
	for name, l := range ls.blocks {
		if !l.defined {
			p.diags.Errorf(diag.Span{Start: l.pos, End: l.pos + diag.Pos(len(name))}, "",
				"reference to an undefined block '%s'", name)
		}
	}
}
