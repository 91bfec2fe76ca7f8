package ir

import (
	"slices"
	"strconv"
)

// operation writes one operation with its results and location.
func (p *Printer) operation(op *Op) {
	if p.collect != nil && p.opts.Locs {
		p.collect.visit(p, op.Loc, true)
	}
	p.results(op)
	if p.opts.Generic || op.Def.PrintFn == nil && op.Def.Format == "" || p.broken[op] || !p.custom(op) {
		p.genericOp(op)
	}
	p.trailingLoc(op.Loc, true)
}

// results writes `%a, %b:2 = `.
func (p *Printer) results(op *Op) {
	if len(op.results) == 0 || p.collect != nil {
		return
	}
	for i := 0; i < len(op.results); {
		p.comma(i)
		g := p.names.groups[op.results[i]]
		p.buf = append(p.buf, g.name...)
		if g.count > 1 {
			p.buf = strconv.AppendInt(append(p.buf, ':'), int64(g.count), 10)
		}
		i += max(1, g.count)
	}
	p.Text(" = ")
}

// custom writes an operation in its own syntax. It reports false, and has written nothing, when the operation
// is too far from what its row says for that; the generic form shows anything.
func (p *Printer) custom(op *Op) (ok bool) {
	length, indent, dialects := len(p.buf), p.indent, len(p.dialects)
	defer func() {
		if recover() != nil { // a PrintFn may rely on what only the verifier checks
			p.buf, p.indent, p.dialects = p.buf[:length], indent, p.dialects[:dialects]
			p.broken[op] = true
			ok = false
		}
	}()
	if !op.fitsRow() {
		p.broken[op] = true
		return false
	}
	name := op.Def.fullName
	if d := p.dialects[len(p.dialects)-1]; d != "" && op.Def.Dialect.Name == d {
		name = op.Def.Name
	}
	p.Text(name)
	if op.Def.PrintFn != nil {
		op.Def.PrintFn(p, op)
	} else {
		p.printFormat(op)
	}
	return true
}

// fitsRow reports whether the operation has the operands, results, attributes and regions that its row speaks
// of.
func (op *Op) fitsRow() bool {
	d := op.Def
	if !countsFit(d.Operands, op.segments, len(op.operands), d.Has(SegmentedOperands)) ||
		!countsFit(d.Results, op.resultSegs, len(op.results), d.Has(SegmentedResults)) {
		return false
	}
	for i := range d.Attrs {
		s := &d.Attrs[i]
		at, ok := op.findAttr(s.Name)
		if !ok && !s.Optional && s.Default == nil || ok && s.Kind.Ok != nil && !s.Kind.Ok(op.attrs[at].Attr) {
			return false
		}
	}
	if want, more := nameCount(d.Regions); len(op.regions) < want || len(op.regions) > want && !more {
		return false
	}
	if want, more := nameCount(d.Successors); len(op.successors) < want ||
		len(op.successors) > want && !more {
		return false
	}
	if d.Has(SingleBlock) || d.Has(ImplicitTerminator) {
		for _, r := range op.regions {
			if r.first != r.last {
				return false
			}
		}
	}
	return !op.HasAttr(propertiesName)
}

func countsFit(slots []Slot, segments []int, total int, segmented bool) bool {
	if segmented {
		sum := 0
		for i, n := range segments {
			if i >= len(slots) || n < 0 || slots[i].Arity == One && n != 1 || slots[i].Arity == Opt && n > 1 {
				return false
			}
			sum += n
		}
		return len(segments) == len(slots) && sum == total
	}
	one := 0
	for _, s := range slots {
		if s.Arity == One {
			one++
		}
	}
	return total == one || total > one && one < len(slots)
}

// genericOp writes "dialect.op"(%a)[^bb1] <{props}> ({...}) {attrs} : (types) -> types.
func (p *Printer) genericOp(op *Op) {
	if p.collect != nil {
		p.collectGeneric(op)
		return
	}
	p.Quoted(op.Def.fullName)
	p.Text("(")
	for i := range op.operands {
		p.comma(i)
		p.Value(op.operands[i].value)
	}
	p.Text(")")
	for i, b := range op.successors {
		if i == 0 {
			p.Text("[")
		}
		p.comma(i)
		p.Block(b)
	}
	if len(op.successors) > 0 {
		p.Text("]")
	}
	shown := p.names.shown(op)
	inherent, other := splitAttrs(op, shown.attrs)
	p.properties(inherent)
	for i, r := range shown.regions {
		if i == 0 {
			p.Text(" (")
		}
		p.comma(i)
		p.region(r, true, true, true)
	}
	if len(shown.regions) > 0 {
		p.Text(")")
	}
	if len(other) > 0 {
		p.Text(" ")
		p.dict(other)
	}
	p.Text(" : ")
	p.FuncType(operandTypes(op), op.ResultTypes())
}

// collectGeneric visits what genericOp shows, in MLIR's order.
func (p *Printer) collectGeneric(op *Op) {
	shown := p.names.shown(op)
	for _, r := range shown.regions {
		p.region(r, true, true, true)
	}
	p.Types(operandTypes(op))
	p.Types(op.ResultTypes())
	for _, a := range shown.attrs {
		if a.Name != propertiesName {
			p.Attr(a.Attr)
		} else if d, ok := a.Attr.(*DictAttr); ok {
			for _, e := range d.Elems {
				p.Attr(e.Attr)
			}
		}
	}
}

func operandTypes(op *Op) []Type {
	ts := make([]Type, len(op.operands))
	for i := range op.operands {
		if v := op.operands[i].value; v != nil {
			ts[i] = v.Type
		}
	}
	return ts
}

// splitAttrs parts the attributes of op's row, with the segment sizes, from the rest.
func splitAttrs(op *Op, attrs []NamedAttr) (inherent []NamedAttr, other []NamedAttr) {
	if op.Def.Unregistered {
		for _, a := range attrs {
			if d, ok := a.Attr.(*DictAttr); ok && a.Name == propertiesName {
				inherent = d.Elems
			} else {
				other = append(other, a)
			}
		}
		return inherent, other
	}
	for _, a := range attrs {
		if op.Def.AttrSlot(a.Name) != nil {
			inherent = append(inherent, a)
		} else {
			other = append(other, a)
		}
	}
	inherent = withSegments(inherent, "operandSegmentSizes", op.segments)
	return withSegments(inherent, "resultSegmentSizes", op.resultSegs), other
}

func withSegments(attrs []NamedAttr, name string, segments []int) []NamedAttr {
	if segments == nil {
		return attrs
	}
	i, _ := slices.BinarySearchFunc(attrs, name, func(a NamedAttr, n string) int {
		if a.Name < n {
			return -1
		}
		return 1
	})
	return slices.Insert(attrs, i, NamedAttr{name, I32Array(segments...)})
}

// properties writes " <{...}>", or nothing when there are none.
func (p *Printer) properties(attrs []NamedAttr) {
	if len(attrs) == 0 {
		return
	}
	p.Text(" <")
	p.dict(attrs)
	p.Text(">")
}

func (p *Printer) dict(attrs []NamedAttr) {
	p.Text("{")
	for i, a := range attrs {
		p.comma(i)
		p.namedAttr(a)
	}
	p.Text("}")
}

// Region writes "{ … }". entryArgs: write the entry block's label when it has arguments; terms: write
// terminators (false leaves out the implicit one, when it has no operands).
func (p *Printer) Region(r *Region, entryArgs, terms bool) {
	if !terms && r.last != nil && r.last.last != nil {
		terms = !p.implied(r, r.last.last)
	}
	p.region(r, entryArgs, terms, false)
}

// implied reports whether the reader would put in just the terminator t that ends r.
func (p *Printer) implied(r *Region, t *Op) bool {
	if d := r.parent; d != nil && d.Def.ImplicitTerm != nil && d.Def.ImplicitTerm != t.Def {
		return false
	}
	for _, inner := range t.regions {
		if inner.first != inner.last || inner.first != nil && !inner.first.Empty() {
			return false
		}
	}
	return len(t.operands)+len(t.attrs)+len(t.results) == 0
}

func (p *Printer) region(r *Region, entryArgs, terms, emptyBlock bool) {
	p.Text("{\n")
	if r.first != nil {
		dialect := ""
		if r.parent != nil {
			dialect = r.parent.Def.defaultDialect()
		}
		p.dialects = append(p.dialects, dialect)
		header := emptyBlock && r.first.Empty() || entryArgs && len(r.first.args) > 0
		preds := p.predecessors(r)
		p.block(r.first, header, terms, preds)
		for b := r.first.next; b != nil; b = b.next {
			p.block(b, true, true, preds)
		}
		p.dialects = p.dialects[:len(p.dialects)-1]
	}
	if p.collect == nil {
		p.buf = append(appendSpaces(p.buf, p.indent), '}')
	}
}

// predecessors lists for each block the blocks that branch to it, in order; nil for a region of one block.
func (p *Printer) predecessors(r *Region) map[*Block][]*Block {
	if r.first == r.last && len(r.first.Successors()) == 0 || p.collect != nil {
		return nil
	}
	m := map[*Block][]*Block{}
	for b := r.first; b != nil; b = b.next {
		for _, s := range b.Successors() {
			m[s] = append(m[s], b)
		}
	}
	return m
}

func (p *Printer) block(b *Block, header, terms bool, preds map[*Block][]*Block) {
	if header {
		p.blockHeader(b, preds[b])
	}
	p.indent += 2
	for op := b.first; op != nil; op = op.next {
		if op.next == nil && !terms && op.Def.Has(Terminator) {
			break
		}
		if p.collect == nil {
			p.buf = appendSpaces(p.buf, p.indent)
		}
		p.operation(op)
		p.Text("\n")
	}
	p.indent -= 2
}

func (p *Printer) blockHeader(b *Block, preds []*Block) {
	if p.collect == nil {
		p.buf = appendSpaces(p.buf, p.indent)
	}
	p.Block(b)
	for i, a := range b.args {
		if i == 0 {
			p.Text("(")
		}
		p.comma(i)
		p.Arg(a, nil)
	}
	if len(b.args) > 0 {
		p.Text(")")
	}
	p.Text(":")
	switch {
	case len(preds) == 0 && b.prev != nil:
		p.Text("  // no predecessors")
	case len(preds) == 1:
		p.Text("  // pred: ")
		p.Block(preds[0])
	case len(preds) > 1:
		p.Textf("  // %d preds: ", len(preds))
		for i, b := range preds {
			p.comma(i)
			p.Block(b)
		}
	}
	p.Text("\n")
}

// Arg writes %x: type {attrs} loc(...).
func (p *Printer) Arg(v *Value, attrs *DictAttr) {
	p.Value(v)
	p.Text(": ")
	p.Type(v.Type)
	if attrs != nil && len(attrs.Elems) > 0 {
		p.Text(" ")
		p.dict(attrs.Elems)
	}
	if p.collect != nil && p.opts.Locs {
		p.collect.visit(p, argLoc(v), false)
	}
	p.trailingLoc(argLoc(v), false)
}

func argLoc(v *Value) Loc {
	if v.Loc == nil {
		return Unknown
	}
	return v.Loc
}

// trailingLoc writes " loc(...)" where locations are asked for.
func (p *Printer) trailingLoc(l Loc, mayAlias bool) {
	if !p.opts.Locs || p.collect != nil {
		return
	}
	p.Text(" loc(")
	if name, ok := p.aliases[l]; ok && mayAlias {
		p.Text(name)
	} else {
		p.locBody(l)
	}
	p.Text(")")
}

// printModule writes `@name attributes {…} { … }`.
func printModule(p *Printer, op *Op) {
	b := op.Body(0)
	if b == nil || len(b.args) > 0 {
		panic("ir: not what a module's own syntax can show")
	}
	if name := op.Text("sym_name"); name != "" {
		p.Text(" ")
		p.Symbol(name)
	}
	p.AttrDictKeyword(op, "sym_name")
	p.Text(" ")
	p.Region(op.Region(0), false, true)
}
