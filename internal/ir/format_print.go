package ir

// printFormat writes what follows op's name, as its Format says.
func (p *Printer) printFormat(op *Op) {
	f := op.Def.compiled()
	w := formatWriter{Printer: p, op: op, format: f}
	w.elems(f.elems, nil)
}

type formatWriter struct {
	*Printer
	op     *Op
	format *compiledFormat
}

// elems writes elements, but for skip, a unit attribute that the presence of its group stands for.
func (w *formatWriter) elems(list []*fmtElem, skip *fmtElem) {
	for _, e := range list {
		if e != skip {
			w.elem(e)
		}
	}
}

func (w *formatWriter) elem(e *fmtElem) {
	switch e.kind {
	case fmtGroup:
		w.group(e)
		return
	case fmtOIList:
		for _, clause := range e.clauses {
			if w.anyPresent(clause) {
				w.elems(clause, w.unitIn(clause))
			}
		}
		return
	case fmtAttrDict:
		w.AttrDict(w.op, w.format.elide...)
		return
	case fmtAttrDictWord:
		w.AttrDictKeyword(w.op, w.format.elide...)
		return
	case fmtPropDict:
		w.propDict()
		return
	case fmtNewline:
		w.Newline()
		return
	}
	if e.space && !w.writesNothing(e) {
		w.Text(" ")
	}
	w.plain(e)
}

// writesNothing reports whether e is an empty list, which gets no space either.
func (w *formatWriter) writesNothing(e *fmtElem) bool {
	switch e.kind {
	case fmtOperand, fmtOperands, fmtSuccessor, fmtSuccessors:
		return !w.present(e)
	case fmtRegion, fmtRegions:
		return len(w.regions(e)) == 0
	case fmtType:
		return len(w.types(e.args[0])) == 0
	}
	return false
}

func (w *formatWriter) plain(e *fmtElem) {
	switch e.kind {
	case fmtLiteral:
		w.Text(e.text)
	case fmtOperand, fmtOperands:
		lo, n := w.operandRange(e)
		for i := range n {
			w.comma(i)
			w.Value(w.op.operands[lo+i].value)
		}
	case fmtAttr:
		w.attr(e)
	case fmtRegion, fmtRegions:
		for i, r := range w.regions(e) {
			w.comma(i)
			w.Region(r, true, !w.op.Def.Has(ImplicitTerminator))
		}
	case fmtSuccessor, fmtSuccessors:
		for i, b := range w.successors(e) {
			w.comma(i)
			w.Block(b)
		}
	case fmtType:
		w.typeOf(e)
	case fmtFuncType:
		w.FuncType(w.types(e.args[0]), w.types(e.args[1]))
	case fmtCustom:
		w.custom(e)
	}
}

func (w *formatWriter) group(g *fmtElem) {
	unit := unitAnchor(w.op.Def, g)
	if w.present(g.anchor) != g.inverted {
		w.elems(g.then, unit)
	} else {
		w.elems(g.els, unit)
	}
}

// present reports whether an anchor is there: a list is not empty, an attribute is set and not to its
// default.
func (w *formatWriter) present(e *fmtElem) bool {
	switch e.kind {
	case fmtOperand, fmtOperands:
		_, n := w.operandRange(e)
		return n > 0
	case fmtResult:
		return len(w.op.ResultGroup(e.index)) > 0
	case fmtAttr:
		at, ok := w.op.findAttr(e.text)
		return ok && !isDefault(w.op.Def, w.op.attrs[at])
	case fmtRegion, fmtRegions:
		rs := w.regions(e)
		return len(rs) > 0 && (e.many || e.kind == fmtRegions || !rs[0].Empty())
	case fmtSuccessor, fmtSuccessors:
		return len(w.successors(e)) > 0
	case fmtType:
		return len(w.types(e.args[0])) > 0
	case fmtFuncType, fmtCustom:
		return w.anyPresent(e.args)
	}
	return false
}

func (w *formatWriter) anyPresent(list []*fmtElem) bool {
	for _, e := range list {
		if !e.ref && w.present(e) {
			return true
		}
	}
	return false
}

// unitIn returns the unit attribute in a clause of an oilist, which the clause's literal stands for.
func (w *formatWriter) unitIn(clause []*fmtElem) *fmtElem {
	for _, e := range clause {
		if e.kind == fmtAttr && w.op.Def.Attrs[e.index].Kind == AnyUnit {
			return e
		}
	}
	return nil
}

func (w *formatWriter) operandRange(e *fmtElem) (lo, n int) {
	if e.kind == fmtOperands {
		return 0, len(w.op.operands)
	}
	return slotRange(w.op.Def.Operands, w.op.segments, len(w.op.operands), e.index)
}

func (w *formatWriter) regions(e *fmtElem) []*Region {
	switch {
	case e.kind == fmtRegions:
		return w.op.regions
	case e.many:
		return w.op.regions[e.index:]
	}
	return w.op.regions[e.index : e.index+1]
}

func (w *formatWriter) successors(e *fmtElem) []*Block {
	switch {
	case e.kind == fmtSuccessors:
		return w.op.successors
	case e.many:
		return w.op.successors[e.index:]
	}
	return w.op.successors[e.index : e.index+1]
}

func (w *formatWriter) types(e *fmtElem) []Type {
	switch e.kind {
	case fmtOperand, fmtOperands:
		lo, n := w.operandRange(e)
		ts := make([]Type, n)
		for i := range ts {
			ts[i] = w.op.operands[lo+i].value.Type
		}
		return ts
	case fmtResult:
		group := w.op.ResultGroup(e.index)
		ts := make([]Type, len(group))
		for i, v := range group {
			ts[i] = v.Type
		}
		return ts
	case fmtResults:
		return w.op.ResultTypes()
	}
	return nil
}

func (w *formatWriter) typeOf(e *fmtElem) {
	arg := e.args[0]
	ts := w.types(arg)
	if slot := slotOf(w.op.Def, arg); slot != nil && slot.Arity == One && slot.Def != nil && !e.qualified &&
		!arg.qualified && len(ts) == 1 {
		w.StrippedType(ts[0])
		return
	}
	w.Types(ts)
}

func slotOf(d *OpDef, e *fmtElem) *Slot {
	switch e.kind {
	case fmtOperand:
		return &d.Operands[e.index]
	case fmtResult:
		return &d.Results[e.index]
	}
	return nil
}

func (w *formatWriter) attr(e *fmtElem) {
	slot := &w.op.Def.Attrs[e.index]
	a := w.op.Attr(slot.Name)
	k := slot.Kind
	switch {
	case a == nil || k == AnyUnit:
	case k.Print != nil && !e.qualified:
		k.Print(w.Printer, a)
	case k.Enum != nil:
		w.enum(k.Enum, a)
	case k.Def != nil && !e.qualified:
		w.StrippedAttr(a)
	case k.Type != nil:
		w.BareAttr(a)
	default:
		w.Attr(a)
	}
}

func (w *formatWriter) enum(e *Enum, a Attr) {
	i, ok := a.(*IntegerAttr)
	if !ok {
		w.Attr(a)
		return
	}
	word, ok := e.Word(i.Value)
	switch {
	case !ok:
		panic("ir: an enum attribute without a word, which only the generic form can show")
	case isBareName(word):
		w.Text(word)
	default:
		w.Quoted(word)
	}
}

func (w *formatWriter) propDict() {
	var list []NamedAttr
	for _, a := range w.op.attrs {
		if w.op.Def.AttrSlot(a.Name) != nil && !contains(w.format.used, a.Name) && !isDefault(w.op.Def, a) {
			list = append(list, a)
		}
	}
	w.properties(list)
}

func (w *formatWriter) custom(e *fmtElem) {
	args := make([]*FormatArg, len(e.args))
	for i, a := range e.args {
		arg := &FormatArg{Name: a.text, Ref: a.ref}
		switch a.kind {
		case fmtOperand, fmtOperands:
			lo, n := w.operandRange(a)
			arg.Values = w.op.Operands()[lo : lo+n]
		case fmtAttr:
			arg.Attr = w.op.Attr(a.text)
		case fmtType:
			arg.Types = w.types(a.args[0])
		case fmtRegion, fmtRegions:
			arg.Regions = w.regions(a)
		case fmtSuccessor, fmtSuccessors:
			arg.Blocks = w.successors(a)
		}
		args[i] = arg
	}
	directive(e.text).Print(w.Printer, w.op, args)
}
