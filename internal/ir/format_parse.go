package ir

import "github.com/nereid-lang/nereid/internal/diag"

// formatReader holds what has been read of an op whose syntax is a Format.
type formatReader struct {
	*Parser
	s   *State
	def *OpDef
	pos diag.Pos // position of the op's name

	operands   [][]Operand // slot by slot
	all        []Operand   // operands of the `operands` directive
	hasAll     bool
	in, out    []slotTypes // of operands and results
	regions    [][]*Region
	successors [][]*Block

	room struct { // for the lists above of most ops: one allocation instead of five
		operands   [4][]Operand
		in, out    [4]slotTypes
		regions    [2][]*Region
		successors [2][]*Block
	}
}

// listOf returns a list of n zero elements, in room if that is large enough.
func listOf[T any](room []T, n int) []T {
	if n <= len(room) {
		return room[:n]
	}
	return make([]T, n)
}

// slotTypes are the types of a slot's values, once known.
type slotTypes struct {
	types []Type
	known bool
}

// parseFormat reads what follows the op's name, which stands at pos, as the op's Format says.
func (p *Parser) parseFormat(s *State, pos diag.Pos) bool {
	d := s.Def
	f := &formatReader{Parser: p, s: s, def: d, pos: pos}
	f.operands, f.in, f.out = listOf(f.room.operands[:], len(d.Operands)),
		listOf(f.room.in[:], len(d.Operands)), listOf(f.room.out[:], len(d.Results))
	f.regions, f.successors = listOf(f.room.regions[:], len(d.Regions)),
		listOf(f.room.successors[:], len(d.Successors))
	return f.elems(d.compiled().elems) && f.finish()
}

func (f *formatReader) elems(list []*fmtElem) bool {
	for _, e := range list {
		if !f.elem(e) {
			return false
		}
	}
	return true
}

func (f *formatReader) elem(e *fmtElem) bool {
	switch e.kind {
	case fmtSpace, fmtNewline:
		return true
	case fmtLiteral:
		return f.Literal(e.text)
	case fmtOperand, fmtOperands:
		return f.operand(e)
	case fmtAttr:
		return f.attr(e)
	case fmtRegion, fmtRegions:
		return f.region(e)
	case fmtSuccessor, fmtSuccessors:
		return f.successor(e)
	case fmtType:
		return f.typeOf(e)
	case fmtFuncType:
		return f.funcType(e)
	case fmtAttrDict:
		return f.AttrDict(f.s)
	case fmtAttrDictWord:
		return f.AttrDictKeyword(f.s)
	case fmtPropDict:
		return f.propDict()
	case fmtGroup:
		return f.group(e)
	case fmtOIList:
		return f.oilist(e)
	case fmtCustom:
		_, ok := f.custom(e)
		return ok
	}
	panic("ir: " + e.text + " cannot be read in a Format")
}

// optional reads an element if it begins here.
func (f *formatReader) optional(e *fmtElem) (present, ok bool) {
	switch e.kind {
	case fmtLiteral:
		return f.Try(e.text), true
	case fmtOperand, fmtOperands:
		present = f.tok.kind == tokPercent
	case fmtAttr:
		present = f.startsAttrOf(e)
	case fmtRegion, fmtRegions:
		present = f.Peek("{")
	case fmtSuccessor, fmtSuccessors:
		present = f.tok.kind == tokCaret
	case fmtType, fmtFuncType:
		present = f.startsType()
	case fmtCustom:
		return f.custom(e)
	default:
		present = true
	}
	return present, !present || f.elem(e)
}

func (f *formatReader) group(g *fmtElem) bool {
	rest := g.then
	for len(rest) > 0 && rest[0].kind == fmtSpace {
		rest = rest[1:]
	}
	present, ok := true, true
	if len(rest) > 0 {
		present, ok = f.optional(rest[0])
		rest = rest[1:]
	}
	if !ok {
		return false
	}
	if !present {
		rest = g.els
	}
	if present && f.lacksAnchor(g, rest) {
		_, ok = f.Operand()
		return ok
	}
	if unit := f.unitAnchor(g); unit != nil {
		if present != g.inverted {
			f.s.Attrs = append(f.s.Attrs, NamedAttr{unit.text, Unit})
		}
		for _, e := range rest {
			if e != unit && !f.elem(e) {
				return false
			}
		}
		return true
	}
	return f.elems(rest)
}

// lacksAnchor reports whether a group has begun but lacks its anchor, an optional operand. The printer leaves
// out such a group, and another one would be read in its place.
func (f *formatReader) lacksAnchor(g *fmtElem, rest []*fmtElem) bool {
	for len(rest) > 0 && rest[0].kind == fmtSpace {
		rest = rest[1:]
	}
	a := g.anchor
	return len(rest) > 0 && rest[0] == a && a.kind == fmtOperand && f.def.Operands[a.index].Arity == Opt &&
		f.tok.kind != tokPercent
}

// unitAnchor returns the group's anchor when it is a unit attribute, which the presence of the group stands
// for.
func (f *formatReader) unitAnchor(g *fmtElem) *fmtElem { return unitAnchor(f.def, g) }

func unitAnchor(d *OpDef, g *fmtElem) *fmtElem {
	a := g.anchor
	if a.kind != fmtAttr || d.Attrs[a.index].Kind != AnyUnit || a == g.then[0] {
		return nil
	}
	return a
}

func (f *formatReader) oilist(e *fmtElem) bool {
	done := make([]bool, len(e.clauses))
	for found := true; found; {
		found = false
		for i, clause := range e.clauses {
			if !f.Peek(clause[0].text) {
				continue
			}
			if done[i] {
				return f.Errorf(f.Pos(),
					"`%s` clause can appear at most once in the expansion of the oilist directive",
					clause[0].text)
			}
			done[i], found = true, true
			if !f.elems(clause) {
				return false
			}
			for _, a := range clause {
				if a.kind == fmtAttr && f.def.Attrs[a.index].Kind == AnyUnit {
					f.s.Attrs = append(f.s.Attrs, NamedAttr{a.text, Unit})
				}
			}
		}
	}
	return true
}

func (f *formatReader) operand(e *fmtElem) bool {
	if e.kind == fmtOperands {
		var ok bool
		f.hasAll = true
		f.all, ok = f.Operands()
		return ok
	}
	var list []Operand
	var ok bool
	switch f.def.Operands[e.index].Arity {
	case One:
		var o Operand
		o, ok = f.Operand()
		list = []Operand{o}
	case Opt:
		if ok = f.tok.kind != tokPercent; !ok {
			var o Operand
			o, ok = f.Operand()
			list = []Operand{o}
		}
	default:
		list, ok = f.Operands()
	}
	f.operands[e.index] = list
	return ok
}

func (f *formatReader) attr(e *fmtElem) bool {
	slot := &f.def.Attrs[e.index]
	if slot.Kind == AnyUnit {
		return true
	}
	pos := f.Pos()
	a, ok := f.attrOf(slot, e.qualified)
	if !ok {
		return false
	}
	if slot.Kind.Ok != nil && !slot.Kind.Ok(a) {
		return f.Errorf(pos, "attribute '%s' must be %s, found '%s'", slot.Name, slot.Kind.Desc, a)
	}
	f.s.Attrs = append(f.s.Attrs, NamedAttr{slot.Name, a})
	return true
}

func (f *formatReader) attrOf(slot *AttrSlot, qualified bool) (Attr, bool) {
	k := slot.Kind
	switch {
	case k.Parse != nil && !qualified:
		return k.Parse(f.Parser)
	case k.Enum != nil:
		return f.enum(k)
	case k.Def != nil && !qualified:
		return f.AttrOf(k.Def)
	}
	return f.Attr(k.Type)
}

func (f *formatReader) enum(k *AttrKind) (Attr, bool) {
	word := f.text()
	if f.tok.kind == tokString {
		word = unquote(word)
	}
	v, ok := k.Enum.Value(word)
	if !ok {
		return nil, f.expected(enumWords(k.Enum))
	}
	f.advance()
	return IntAttr(v, k.Type), true
}

func enumWords(e *Enum) string {
	s := "one of"
	for i, c := range e.Cases {
		if i > 0 {
			s += ","
		}
		s += " " + c.Word
	}
	return s
}

func (f *formatReader) startsAttrOf(e *fmtElem) bool {
	k := f.def.Attrs[e.index].Kind
	switch {
	case k.Enum != nil:
		_, ok := k.Enum.Value(f.text())
		return ok
	case k.Def != nil:
		return f.Peek("<") || f.tok.kind == tokHash
	case k == AnyString:
		return f.tok.kind == tokString
	case k.Parse != nil && f.tok.kind == tokWord:
		return true
	}
	return f.startsAttr()
}

func (f *formatReader) region(e *fmtElem) bool {
	if e.kind == fmtRegion && !e.many {
		r, ok := f.Parser.region(f.def, nil)
		if ok {
			f.ensureTerminator(f.def, r)
		}
		f.regions[e.index] = []*Region{r}
		return ok
	}
	i := max(0, len(f.regions)-1)
	if !f.Peek("{") {
		return true
	}
	for {
		r, ok := f.Parser.region(f.def, nil)
		if !ok {
			return false
		}
		f.ensureTerminator(f.def, r)
		f.regions[i] = append(f.regions[i], r)
		if !f.Try(",") {
			return true
		}
	}
}

func (f *formatReader) successor(e *fmtElem) bool {
	if e.kind == fmtSuccessor && !e.many {
		b, ok := f.Block()
		f.successors[e.index] = []*Block{b}
		return ok
	}
	i := max(0, len(f.successors)-1)
	if f.tok.kind != tokCaret {
		return true
	}
	for {
		b, ok := f.Block()
		if !ok {
			return false
		}
		f.successors[i] = append(f.successors[i], b)
		if !f.Try(",") {
			return true
		}
	}
}

// slot returns the constraint of what type(...) is about, nil for operands and results as a whole.
func (f *formatReader) slot(e *fmtElem) *Slot {
	switch e.kind {
	case fmtOperand:
		return &f.def.Operands[e.index]
	case fmtResult:
		return &f.def.Results[e.index]
	}
	return nil
}

func (f *formatReader) typeOf(e *fmtElem) bool {
	arg := e.args[0]
	slot := f.slot(arg)
	if slot != nil && slot.Arity == One {
		var t Type
		var ok bool
		if slot.Def != nil && !e.qualified && !arg.qualified {
			t, ok = f.TypeOf(slot.Def)
		} else {
			t, ok = f.Type()
		}
		return ok && f.setTypes(arg, []Type{t})
	}
	if !f.startsType() && f.mayBeEmpty(arg) {
		return f.setTypes(arg, nil)
	}
	if slot != nil && slot.Arity == Opt {
		t, ok := f.Type()
		return ok && f.setTypes(arg, []Type{t})
	}
	ts, ok := f.Types()
	return ok && f.setTypes(arg, ts)
}

// mayBeEmpty reports whether a list of types may be empty: where operands were read there are as many types.
func (f *formatReader) mayBeEmpty(arg *fmtElem) bool {
	switch arg.kind {
	case fmtOperand:
		return len(f.operands[arg.index]) == 0
	case fmtOperands:
		return len(f.all) == 0
	}
	return true
}

// setTypes records the types read for a variable, or for all operands or results.
func (f *formatReader) setTypes(arg *fmtElem, ts []Type) bool {
	switch arg.kind {
	case fmtOperand:
		f.in[arg.index] = slotTypes{ts, true}
	case fmtResult:
		f.out[arg.index] = slotTypes{ts, true}
	case fmtOperands:
		f.spreadTypes(ts)
	case fmtResults:
		f.spread(f.out, f.def.Results, ts)
	}
	return true
}

// spreadTypes deals the types of all operands out to the slots: each gets as many as it has values, where
// those have been read one slot at a time.
func (f *formatReader) spreadTypes(ts []Type) {
	total := 0
	for _, list := range f.operands {
		total += len(list)
	}
	if f.hasAll || total != len(ts) {
		f.spread(f.in, f.def.Operands, ts)
		return
	}
	for i, list := range f.operands {
		f.in[i], ts = slotTypes{ts[:len(list)], true}, ts[len(list):]
	}
}

// spread deals a list of types out to slots; what does not fit is an error later, when the counts are
// compared.
func (f *formatReader) spread(to []slotTypes, slots []Slot, ts []Type) {
	at := 0
	for i := range slots {
		_, n := slotRange(slots, nil, len(ts), i)
		n = min(n, len(ts)-at)
		if i == len(slots)-1 {
			n = len(ts) - at
		}
		to[i] = slotTypes{ts[at : at+n], true}
		at += n
	}
	if len(slots) == 0 && len(ts) > 0 {
		f.Errorf(f.pos, "'%s' takes none, but %d types are given", f.def.fullName, len(ts))
	}
}

func (f *formatReader) funcType(e *fmtElem) bool {
	ft, ok := f.FuncType()
	return ok && f.setTypes(e.args[0], ft.Ins) && f.setTypes(e.args[1], ft.Outs)
}

func (f *formatReader) propDict() bool {
	if !f.Peek("<") {
		return true
	}
	return f.properties(f.s)
}

// custom reads a custom directive; it is present when it has filled something.
func (f *formatReader) custom(e *fmtElem) (present, ok bool) {
	args := make([]*FormatArg, len(e.args))
	for i, a := range e.args {
		args[i] = &FormatArg{Name: a.text, Ref: a.ref}
		if a.ref {
			f.fill(args[i], a)
		}
	}
	before := f.tok.start
	if !directive(e.text).Parse(f.Parser, f.s, args) {
		return true, false
	}
	for i, a := range e.args {
		if !a.ref {
			f.take(args[i], a)
		}
	}
	return f.tok.start != before, true
}

// fill gives a ref argument what has been read so far.
func (f *formatReader) fill(to *FormatArg, e *fmtElem) {
	switch e.kind {
	case fmtOperand:
		to.Operands = f.operands[e.index]
	case fmtAttr:
		to.Attr = f.s.Attr(e.text)
	case fmtType:
		switch arg := e.args[0]; arg.kind {
		case fmtOperand:
			to.Types = f.in[arg.index].types
		case fmtResult:
			to.Types = f.out[arg.index].types
		}
	case fmtRegion:
		to.Regions = f.regions[e.index]
	case fmtSuccessor:
		to.Blocks = f.successors[e.index]
	}
}

// take records what a directive has read.
func (f *formatReader) take(from *FormatArg, e *fmtElem) {
	switch e.kind {
	case fmtOperand:
		f.operands[e.index] = from.Operands
	case fmtAttr:
		if from.Attr != nil {
			f.s.Attrs = append(f.s.Attrs, NamedAttr{e.text, from.Attr})
		}
	case fmtType:
		if from.Types != nil {
			f.setTypes(e.args[0], from.Types)
		}
	case fmtRegion:
		f.regions[e.index] = from.Regions
	case fmtSuccessor:
		f.successors[e.index] = from.Blocks
	}
}
