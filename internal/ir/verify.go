package ir

import (
	"errors"
	"fmt"
)

// VerifyError says which operation breaks which rule.
type VerifyError struct {
	Op  *Op
	Msg string
}

func (e *VerifyError) Error() string {
	where := ""
	if f := FileLocOf(e.Op.Loc); f != nil {
		where = fmt.Sprintf("%s:%d:%d: ", f.File, f.Line, f.Col)
	}
	return fmt.Sprintf("%s'%s' op %s", where, e.Op.Name(), e.Msg)
}

// Verify checks op and everything inside it: the rows of the tables (operands, results, attributes, traits,
// type rules), the ops' own verifiers, terminators, symbols and dominance. It returns every violation,
// joined, up to a limit.
func Verify(op *Op) error {
	v := &verifier{dom: NewDominance()}
	v.op(op)
	return errors.Join(v.errs...)
}

const maxVerifyErrors = 20

type verifier struct {
	dom  *Dominance
	errs []error
}

func (v *verifier) fail(op *Op, format string, args ...any) bool {
	if len(v.errs) < maxVerifyErrors {
		v.errs = append(v.errs, &VerifyError{op, fmt.Sprintf(format, args...)})
	}
	return false
}

func (v *verifier) op(op *Op) {
	v.uses(op)
	if !op.Def.Unregistered {
		ok := v.shape(op) && v.types(op) && v.attrs(op) && v.traits(op)
		if ok && op.Def.verify != nil {
			if err := op.Def.verify(op); err != nil {
				v.fail(op, "%s", err)
			}
		}
	}
	for _, r := range op.regions {
		v.region(op, r)
	}
	if op.Def.Has(SymbolTableOp) {
		v.symbols(op)
	}
}

// uses checks that every operand is there and visible.
func (v *verifier) uses(op *Op) {
	for i := range op.operands {
		val := op.operands[i].value
		switch {
		case val == nil:
			v.fail(op, "operand #%d is missing", i)
		case val.Block() == nil:
			v.fail(op, "operand #%d is defined by an operation that is in no block", i)
		case inGraphRegion(op):
		case op.block != nil && v.dom.IsReachable(op.block) && !v.dom.Dominates(val, op):
			v.fail(op, "operand #%d does not dominate this use", i)
		}
	}
}

func inGraphRegion(op *Op) bool { p := op.Parent(); return p != nil && p.Def.Has(GraphRegion) }

// shape checks the numbers of operands, results, regions and successors.
func (v *verifier) shape(op *Op) bool {
	d := op.Def
	if !v.count(op, "operand", d.Operands, op.segments, d.Has(SegmentedOperands), len(op.operands)) ||
		!v.count(op, "result", d.Results, op.resultSegs, d.Has(SegmentedResults), len(op.results)) {
		return false
	}
	if n, many := listLen(d.Regions); len(op.regions) != n && !(many && len(op.regions) >= n) {
		return v.fail(op, "has %d regions, expected %d", len(op.regions), n)
	}
	if n, many := listLen(d.Successors); len(op.successors) != n && !(many && len(op.successors) >= n) {
		return v.fail(op, "has %d successors, expected %d", len(op.successors), n)
	}
	return true
}

func listLen(names []string) (n int, many bool) {
	n = len(names)
	if n > 0 {
		if last := names[n-1]; len(last) > 3 && last[len(last)-3:] == "..." {
			return n - 1, true
		}
	}
	return n, false
}

func (v *verifier) count(op *Op, what string, slots []Slot, segs []int, segmented bool, n int) bool {
	if segmented {
		if len(segs) != len(slots) {
			return v.fail(op, "has %d %s segments, expected %d", len(segs), what, len(slots))
		}
		sum := 0
		for i, s := range segs {
			a := slots[i].Arity
			if s < 0 || a == One && s != 1 || a == Opt && s > 1 {
				return v.fail(op, "has %d values for %s %q", s, what, slots[i].Name)
			}
			sum += s
		}
		if sum != n {
			return v.fail(op, "has %d %ss, its segments say %d", n, what, sum)
		}
		return true
	}
	least, flexible, most := 0, false, 0
	for _, s := range slots {
		switch s.Arity {
		case One:
			least++
			most++
		case Opt:
			most++
		case Many:
			flexible = true
		}
	}
	switch {
	case n < least && (flexible || most > least):
		return v.fail(op, "expected %d or more %ss, but found %d", least, what, n)
	case n < least || n > most && !flexible:
		return v.fail(op, "expected %d %ss, but found %d", least, what, n)
	}
	return true
}

// types checks the slots' constraints and the row's type rules.
func (v *verifier) types(op *Op) bool {
	d := op.Def
	for i, s := range d.Operands {
		lo, n := slotRange(d.Operands, op.segments, len(op.operands), i)
		for j := lo; j < lo+n; j++ {
			if val := op.operands[j].value; val == nil || s.Ok != nil && !s.Ok(val.Type) {
				return val != nil && v.fail(op, "operand #%d must be %s, but got '%s'", j, s.Desc, val.Type)
			}
		}
	}
	for i, s := range d.Results {
		for _, r := range op.ResultGroup(i) {
			if s.Ok != nil && !s.Ok(r.Type) {
				return v.fail(op, "result #%d must be %s, but got '%s'", r.index, s.Desc, r.Type)
			}
		}
	}
	for _, rule := range d.Types {
		from, to := op.named(rule.From), op.named(rule.To)
		if from == nil || to == nil {
			continue
		}
		want := from.Type
		if rule.Fn != nil {
			want = rule.Fn(from.Type)
		}
		if want != nil && want != to.Type {
			return v.fail(op, "failed to verify that the type of %q follows from %q: expected '%s', but "+
				"got '%s'", rule.To, rule.From, want, to.Type)
		}
	}
	return true
}

// named returns the single operand or result of a name, or nil.
func (op *Op) named(name string) *Value {
	for i, s := range op.Def.Operands {
		if s.Name == name {
			if s.Arity == Many {
				return nil
			}
			return op.Slot(i)
		}
	}
	for i, s := range op.Def.Results {
		if s.Name == name {
			if g := op.ResultGroup(i); len(g) == 1 && s.Arity != Many {
				return g[0]
			}
		}
	}
	return nil
}

func (v *verifier) attrs(op *Op) bool {
	for _, s := range op.Def.Attrs {
		i, there := op.findAttr(s.Name)
		if !there {
			if !s.Optional && s.Default == nil {
				return v.fail(op, "requires attribute '%s'", s.Name)
			}
			continue
		}
		a := op.attrs[i].Attr
		if s.Kind != nil && s.Kind.Ok != nil && !s.Kind.Ok(a) {
			return v.fail(op, "attribute '%s' failed to satisfy constraint: %s", s.Name, s.Kind.Desc)
		}
		if e := s.Kind; e != nil && e.Enum != nil {
			if ia, ok := a.(*IntegerAttr); ok {
				if _, known := e.Enum.Word(ia.Value); !known {
					return v.fail(op, "attribute '%s' has no case %d", s.Name, ia.Value)
				}
			}
		}
	}
	return true
}

// MaxTensorElements is Triton's limit on the size of a tensor.
const MaxTensorElements = 1 << 20

func (v *verifier) traits(op *Op) bool {
	for _, c := range traitChecks {
		if op.Def.Has(c.trait) {
			if msg := c.check(op); msg != "" {
				return v.fail(op, "%s", msg)
			}
		}
	}
	return true
}

var traitChecks = []struct {
	trait Trait
	check func(*Op) string
}{
	{SameOperandsAndResultType, func(op *Op) string {
		return allSame(op, true, true, "operands and results have different types", func(t Type) any {
			return t
		})
	}},
	{SameTypeOperands, func(op *Op) string {
		return allSame(op, true, false, "the operands have different types", func(t Type) any { return t })
	}},
	{SameOperandsAndResultShape, func(op *Op) string {
		return allSame(op, true, true, "operands and results have different shapes", func(t Type) any {
			return shapeKey(ShapeOf(t))
		})
	}},
	{SameOperandsAndResultElem, func(op *Op) string {
		return allSame(op, true, true, "operands and results have different element types", func(t Type) any {
			return ElemOf(t)
		})
	}},
	{SameOperandsAndResultEncoding, func(op *Op) string {
		return allSame(op, true, true, "operands and results have different encodings", encodingKey)
	}},
	{SameOperandsEncoding, func(op *Op) string {
		return allSame(op, true, false, "the operands have different encodings", encodingKey)
	}},
	{TensorSizes, tensorSizes},
	{Terminator, func(op *Op) string {
		if op.block != nil && op.next != nil {
			return "must be the last operation in the parent block"
		}
		return ""
	}},
	{Isolated, isolation},
	{SymbolOp, func(op *Op) string {
		switch a := op.Attr("sym_visibility").(type) {
		case nil:
		case *StringAttr:
			if a.Value != "public" && a.Value != "private" && a.Value != "nested" {
				return fmt.Sprintf("visibility expected to be one of [\"public\", \"private\", "+
					"\"nested\"], but got %s", a)
			}
		default:
			return "requires visibility attribute 'sym_visibility' to be a string attribute"
		}
		return ""
	}},
}

// encodingKey returns the encoding of a tensor; nil, which agrees with everything, for what is no tensor or
// has none.
func encodingKey(t Type) any {
	if tt, ok := t.(*TensorType); ok && tt.Encoding != nil {
		return tt.Encoding
	}
	return nil
}

func allSame(op *Op, operands, results bool, msg string, key func(Type) any) string {
	var first any
	var firstType Type
	check := func(v *Value) bool {
		k := key(v.Type)
		if first == nil {
			first, firstType = k, v.Type
		}
		return k == nil || k == first
	}
	differ := func(v *Value) string { return fmt.Sprintf("%s: '%s' and '%s'", msg, firstType, v.Type) }
	if operands {
		for i := range op.operands {
			if val := op.operands[i].value; val != nil && !check(val) {
				return differ(val)
			}
		}
	}
	if results {
		for _, r := range op.results {
			if !check(r) {
				return differ(r)
			}
		}
	}
	return ""
}

func tensorSizes(op *Op) string {
	check := func(t Type) string {
		tt, ok := t.(*TensorType)
		if !ok || tt.Unranked {
			return ""
		}
		n := tt.NumElements()
		if n > MaxTensorElements {
			return fmt.Sprintf("a tensor has up to %d elements, but %s has more", MaxTensorElements, t)
		}
		if n <= 0 || n&(n-1) != 0 {
			return fmt.Sprintf("a tensor has a power of two of elements, but %s has %d", t, n)
		}
		return ""
	}
	for i := range op.operands {
		if val := op.operands[i].value; val != nil {
			if msg := check(val.Type); msg != "" {
				return msg
			}
		}
	}
	for _, r := range op.results {
		if msg := check(r.Type); msg != "" {
			return msg
		}
	}
	return ""
}

// isolation checks that nothing inside op uses a value from outside.
func isolation(op *Op) string {
	msg := ""
	var inside func(o *Op, top *Op)
	inside = func(o, top *Op) {
		for _, r := range o.regions {
			for b := range r.Blocks() {
				for c := range b.Ops() {
					for i := range c.operands {
						if val := c.operands[i].value; val != nil && !within(val, top) {
							msg = "uses a value defined outside its region, which is isolated from above"
						}
					}
					if !c.Def.Has(Isolated) {
						inside(c, top)
					}
				}
			}
		}
	}
	inside(op, op)
	return msg
}

func within(v *Value, top *Op) bool {
	b := v.Block()
	for b != nil && b.region != nil {
		p := b.region.parent
		if p == top {
			return true
		}
		if p == nil {
			return false
		}
		b = p.block
	}
	return false
}

func (v *verifier) region(op *Op, r *Region) {
	if op.Def.Has(SingleBlock) && r.first != r.last {
		v.fail(op, "expects a region with at most one block")
	}
	for b := range r.Blocks() {
		v.block(op, b)
	}
}

func (v *verifier) block(op *Op, b *Block) {
	for o := range b.Ops() {
		v.op(o)
		for _, s := range o.successors {
			if s == nil || s.region != b.region {
				v.fail(o, "branches to a block of another region")
			} else if s.region.first == s {
				v.fail(o, "branches to the entry block of its region")
			}
		}
	}
	if op.Def.Unregistered || op.Def.Has(NoTerminator) {
		return
	}
	if b.Terminator() == nil {
		v.fail(op, "has a block without a terminator")
	}
}

// symbols checks that names are unique in a symbol table, and the uses of its names.
func (v *verifier) symbols(op *Op) {
	for _, r := range op.regions {
		table := map[string]*Op{}
		for b := range r.Blocks() {
			for o := range b.Ops() {
				if !o.Def.Has(SymbolOp) {
					continue
				}
				name := o.Text("sym_name")
				if table[name] != nil {
					v.fail(o, "redefinition of symbol named '%s'", name)
				}
				table[name] = o
			}
		}
		lookup := func(name string) *Op { return table[name] }
		op.Walk(func(o *Op) bool {
			if o.Def.symbols != nil {
				if err := o.Def.symbols(o, lookup); err != nil {
					v.fail(o, "%s", err)
				}
			}
			return o == op || !o.Def.Has(SymbolTableOp)
		})
	}
}
