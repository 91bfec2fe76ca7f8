package ir

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Value is a result of an operation or an argument of a block.
type Value struct {
	Type Type
	Name string // a wish for its name in text, without "%"; may be empty
	Loc  Loc    // location of a block argument; nil for results, whose op has one

	op    *Op    // the defining op of a result
	block *Block // the block of an argument
	index int
	first *Use
}

// Use is one operand slot that holds a value.
type Use struct {
	value      *Value
	owner      *Op
	index      int
	prev, next *Use
}

// Owner returns the operation whose operand this is, Index the operand's position.
func (u *Use) Owner() *Op    { return u.owner }
func (u *Use) Index() int    { return u.index }
func (u *Use) Value() *Value { return u.value }

// Set puts another value into the slot.
func (u *Use) Set(v *Value) {
	if u.value == v {
		return
	}
	u.unlink()
	u.link(v)
}

func (u *Use) link(v *Value) {
	u.value, u.prev = v, nil
	if v == nil {
		u.next = nil
		return
	}
	u.next = v.first
	if v.first != nil {
		v.first.prev = u
	}
	v.first = u
}

func (u *Use) unlink() {
	if u.value == nil {
		return
	}
	if u.prev != nil {
		u.prev.next = u.next
	} else {
		u.value.first = u.next
	}
	if u.next != nil {
		u.next.prev = u.prev
	}
	u.value, u.prev, u.next = nil, nil, nil
}

// Def returns the operation that defines the value, or nil for a block argument.
func (v *Value) Def() *Op { return v.op }

// DefBy returns the defining operation when it is of the given kind, and nil otherwise.
func (v *Value) DefBy(d *OpDef) *Op {
	if v.op != nil && v.op.Def == d {
		return v.op
	}
	return nil
}

// Block returns the block that the value is defined in: its own for an argument.
func (v *Value) Block() *Block {
	if v.op != nil {
		return v.op.block
	}
	return v.block
}

// IsArg reports whether the value is a block argument.
func (v *Value) IsArg() bool { return v.op == nil }

// Index returns the position among the results or arguments.
func (v *Value) Index() int { return v.index }

// HasUses reports whether anything uses the value; HasOneUse whether exactly one operand does.
func (v *Value) HasUses() bool   { return v.first != nil }
func (v *Value) HasOneUse() bool { return v.first != nil && v.first.next == nil }

// Uses yields the operand slots that hold the value, the newest first. The current one may be changed while
// iterating.
func (v *Value) Uses() iter.Seq[*Use] {
	return func(yield func(*Use) bool) {
		for u := v.first; u != nil; {
			next := u.next
			if !yield(u) {
				return
			}
			u = next
		}
	}
}

// Users yields the operations that use the value, one for each use.
func (v *Value) Users() iter.Seq[*Op] {
	return func(yield func(*Op) bool) {
		for u := range v.Uses() {
			if !yield(u.owner) {
				return
			}
		}
	}
}

// ReplaceAllUses makes every user of v use w instead.
func (v *Value) ReplaceAllUses(w *Value) {
	if v == w {
		return
	}
	for v.first != nil {
		v.first.Set(w)
	}
}

// ReplaceUsesIf makes the users that ok accepts use w instead of v.
func (v *Value) ReplaceUsesIf(w *Value, ok func(*Use) bool) {
	for u := range v.Uses() {
		if ok(u) {
			u.Set(w)
		}
	}
}

// State is what an operation is made from.
type State struct {
	Def        *OpDef
	Loc        Loc
	Operands   []*Value
	Segments   []int // operands of each slot, for SegmentedOperands; nil otherwise
	Results    []Type
	ResultSegs []int // results of each slot, for SegmentedResults
	Attrs      []NamedAttr
	Regions    []*Region
	Successors []*Block
}

// Attr returns the attribute of a name, or nil.
func (s *State) Attr(name string) Attr {
	for _, a := range s.Attrs {
		if a.Name == name {
			return a.Attr
		}
	}
	return nil
}

func (s *State) group(slot int) []*Value {
	lo, n := slotRange(s.Def.Operands, s.Segments, len(s.Operands), slot)
	return s.Operands[lo : lo+n]
}

// Op is an operation.
type Op struct {
	Def *OpDef
	Loc Loc

	operands   []Use
	segments   []int
	results    []*Value
	resultSegs []int
	attrs      []NamedAttr // sorted by name
	regions    []*Region
	successors []*Block

	block      *Block
	prev, next *Op
	order      int // position in the block, valid while block.ordered

	// Scratch is for the rewrite that runs at the moment, such as an index into its worklist: a map keyed by
	// operations would cost more than the rewrite. Its value means nothing to the next rewrite.
	Scratch int
}

// NewOp makes an operation that is in no block yet.
func NewOp(s State) *Op {
	op := &Op{Def: s.Def, Loc: s.Loc, segments: s.Segments, resultSegs: s.ResultSegs, regions: s.Regions,
		successors: s.Successors}
	if op.Loc == nil {
		op.Loc = Unknown
	}
	op.operands = make([]Use, len(s.Operands))
	for i, v := range s.Operands {
		op.operands[i].owner, op.operands[i].index = op, i
		op.operands[i].link(v)
	}
	values := make([]Value, len(s.Results))
	op.results = make([]*Value, len(s.Results))
	for i, t := range s.Results {
		values[i] = Value{Type: t, op: op, index: i}
		op.results[i] = &values[i]
	}
	for _, a := range s.Attrs {
		op.SetAttr(a.Name, a.Attr)
	}
	for _, r := range op.regions {
		r.parent = op
	}
	return op
}

// Name returns the op's full name, "tt.load".
func (op *Op) Name() string { return op.Def.fullName }

// NumOperands and Operand give the operands by position.
func (op *Op) NumOperands() int           { return len(op.operands) }
func (op *Op) Operand(i int) *Value       { return op.operands[i].value }
func (op *Op) OperandUse(i int) *Use      { return &op.operands[i] }
func (op *Op) SetOperand(i int, v *Value) { op.operands[i].Set(v) }

// Operands returns all operands in order, in a new slice.
func (op *Op) Operands() []*Value {
	vs := make([]*Value, len(op.operands))
	for i := range op.operands {
		vs[i] = op.operands[i].value
	}
	return vs
}

// SetOperands replaces all operands. segments is nil unless the op has SegmentedOperands.
func (op *Op) SetOperands(vs []*Value, segments []int) {
	for i := range op.operands {
		op.operands[i].unlink()
	}
	op.operands = make([]Use, len(vs))
	for i, v := range vs {
		op.operands[i].owner, op.operands[i].index = op, i
		op.operands[i].link(v)
	}
	op.segments = segments
}

// Segments returns the number of operands in each slot of an op with SegmentedOperands, and nil otherwise.
func (op *Op) Segments() []int       { return op.segments }
func (op *Op) ResultSegments() []int { return op.resultSegs }

// Group returns the operands in a slot of the op's row.
func (op *Op) Group(slot int) []*Value {
	lo, n := slotRange(op.Def.Operands, op.segments, len(op.operands), slot)
	vs := make([]*Value, n)
	for i := range vs {
		vs[i] = op.operands[lo+i].value
	}
	return vs
}

// Slot returns the operand in a slot of the op's row, or nil when the slot is empty.
func (op *Op) Slot(slot int) *Value {
	lo, n := slotRange(op.Def.Operands, op.segments, len(op.operands), slot)
	if n == 0 {
		return nil
	}
	return op.operands[lo].value
}

// SetGroup replaces the operands of a slot.
func (op *Op) SetGroup(slot int, vs []*Value) {
	lo, n := slotRange(op.Def.Operands, op.segments, len(op.operands), slot)
	all := op.Operands()
	all = slices.Concat(all[:lo], vs, all[lo+n:])
	segments := slices.Clone(op.segments)
	if segments != nil {
		segments[slot] = len(vs)
	}
	op.SetOperands(all, segments)
}

// ResultGroup returns the results in a slot of the op's row.
func (op *Op) ResultGroup(slot int) []*Value {
	lo, n := slotRange(op.Def.Results, op.resultSegs, len(op.results), slot)
	return op.results[lo : lo+n]
}

// slotRange finds the values of a slot: by segments where there are some, else by the rule that the slots
// that are not One share equally what the others leave (almost always there is at most one such slot).
func slotRange(slots []Slot, segments []int, total, slot int) (lo, n int) {
	if segments != nil {
		for i := range slot {
			lo += segments[i]
		}
		return lo, segments[slot]
	}
	if slot >= len(slots) {
		return total, 0
	}
	spare, sharers := total, 0
	for _, s := range slots {
		if s.Arity == One {
			spare--
		} else {
			sharers++
		}
	}
	for i, s := range slots {
		n = 1
		if s.Arity != One {
			n = max(0, spare/sharers)
		}
		if i == slot {
			return min(lo, total), min(n, max(0, total-lo))
		}
		lo += n
	}
	return lo, n
}

// NumResults, Result and Results give the results.
func (op *Op) NumResults() int     { return len(op.results) }
func (op *Op) Result(i int) *Value { return op.results[i] }
func (op *Op) Results() []*Value   { return op.results }

// AddResult appends a result. The op must not have segmented results.
func (op *Op) AddResult(t Type) *Value {
	v := &Value{Type: t, op: op, index: len(op.results)}
	op.results = append(op.results, v)
	return v
}

// ResultTypes returns the types of the results.
func (op *Op) ResultTypes() []Type {
	ts := make([]Type, len(op.results))
	for i, r := range op.results {
		ts[i] = r.Type
	}
	return ts
}

// HasUses reports whether any result is used.
func (op *Op) HasUses() bool {
	return slices.ContainsFunc(op.results, (*Value).HasUses)
}

// Attrs returns the attributes, sorted by name. The slice must not be changed.
func (op *Op) Attrs() []NamedAttr { return op.attrs }

func (op *Op) findAttr(name string) (int, bool) {
	return slices.BinarySearchFunc(op.attrs, name, func(a NamedAttr, n string) int {
		return strings.Compare(a.Name, n)
	})
}

// Attr returns the attribute of a name, or the default of the op's row, or nil.
func (op *Op) Attr(name string) Attr {
	if i, ok := op.findAttr(name); ok {
		return op.attrs[i].Attr
	}
	if s := op.Def.AttrSlot(name); s != nil {
		return s.Default
	}
	return nil
}

// HasAttr reports whether the attribute is there (defaults do not count).
func (op *Op) HasAttr(name string) bool { _, ok := op.findAttr(name); return ok }

// SetAttr sets an attribute; nil removes it.
func (op *Op) SetAttr(name string, a Attr) {
	i, ok := op.findAttr(name)
	switch {
	case a == nil && ok:
		op.attrs = slices.Delete(op.attrs, i, i+1)
	case a == nil:
	case ok:
		op.attrs[i].Attr = a
	default:
		op.attrs = slices.Insert(op.attrs, i, NamedAttr{name, a})
	}
}

// Int returns an integer attribute's value, and whether there is one.
func (op *Op) Int(name string) (int64, bool) {
	a, ok := op.Attr(name).(*IntegerAttr)
	if !ok {
		return 0, false
	}
	return a.Value, true
}

// IntOr returns an integer attribute's value, or def.
func (op *Op) IntOr(name string, def int64) int64 {
	if v, ok := op.Int(name); ok {
		return v
	}
	return def
}

// Text returns a string attribute's value, or "".
func (op *Op) Text(name string) string {
	if a, ok := op.Attr(name).(*StringAttr); ok {
		return a.Value
	}
	return ""
}

// Regions and Region give the regions.
func (op *Op) Regions() []*Region   { return op.regions }
func (op *Op) Region(i int) *Region { return op.regions[i] }

// Body returns the only block of region i, or its first.
func (op *Op) Body(i int) *Block { return op.regions[i].first }

// AddRegion appends a region.
func (op *Op) AddRegion(r *Region) {
	r.parent = op
	op.regions = append(op.regions, r)
}

// Successors returns the blocks a terminator can branch to.
func (op *Op) Successors() []*Block         { return op.successors }
func (op *Op) SetSuccessor(i int, b *Block) { op.successors[i] = b }

// Block returns the block that op is in, or nil; Parent the operation around that block, or nil.
func (op *Op) Block() *Block { return op.block }

func (op *Op) Parent() *Op {
	if op.block == nil || op.block.region == nil {
		return nil
	}
	return op.block.region.parent
}

// ParentOf returns the nearest enclosing operation of the given kind, or nil.
func (op *Op) ParentOf(d *OpDef) *Op {
	for p := op.Parent(); p != nil; p = p.Parent() {
		if p.Def == d {
			return p
		}
	}
	return nil
}

// Prev and Next return the neighbours in the block.
func (op *Op) Prev() *Op { return op.prev }
func (op *Op) Next() *Op { return op.next }

// IsProperAncestor reports whether op lies inside other.
func (op *Op) IsInside(other *Op) bool {
	for p := op.Parent(); p != nil; p = p.Parent() {
		if p == other {
			return true
		}
	}
	return false
}

// Before reports whether op stands before other in their common block.
func (op *Op) Before(other *Op) bool {
	op.block.renumber()
	return op.order < other.order
}

// Remove takes op out of its block without destroying it.
func (op *Op) Remove() {
	if op.block != nil {
		op.block.unlink(op)
	}
}

// Erase removes op from its block and destroys it, with all inside. Its results must have no uses.
func (op *Op) Erase() {
	if op.HasUses() {
		panic(fmt.Sprintf("ir: %s erased while its results are used", op.Name()))
	}
	op.Remove()
	op.DropAllReferences()
}

// DropAllReferences takes op, and everything inside it, off all use lists.
func (op *Op) DropAllReferences() {
	for i := range op.operands {
		op.operands[i].unlink()
	}
	op.successors = nil
	for _, r := range op.regions {
		for b := range r.Blocks() {
			for o := range b.Ops() {
				o.DropAllReferences()
			}
		}
	}
}

// MoveBefore puts op just before other, MoveAfter just after it, wherever op was.
func (op *Op) MoveBefore(other *Op) {
	if op == other {
		return
	}
	op.Remove()
	other.block.link(op, other.prev, other)
}

func (op *Op) MoveAfter(other *Op) {
	if op == other {
		return
	}
	op.Remove()
	other.block.link(op, other, other.next)
}

// MoveToEnd puts op at the end of b.
func (op *Op) MoveToEnd(b *Block) {
	op.Remove()
	b.link(op, b.last, nil)
}

// ReplaceWith makes all users of op's results use vs, one for each result, and erases op.
func (op *Op) ReplaceWith(vs ...*Value) {
	for i, r := range op.results {
		if r.HasUses() {
			r.ReplaceAllUses(vs[i])
		}
	}
	op.Erase()
}

// Effects returns the op's memory effects.
func (op *Op) Effects() Effect {
	d := op.Def
	switch {
	case d.effects != nil:
		return d.effects(op)
	case d.Unregistered:
		return EffUnknown
	case d.Has(RecursiveEffects):
		return op.innerEffects()
	}
	var e Effect
	if d.Has(Reads) {
		e |= EffRead
	}
	if d.Has(Writes) {
		e |= EffWrite
	}
	if d.Has(Allocates) {
		e |= EffAlloc
	}
	if e == 0 && d.Traits&(Pure|NoEffects|Terminator|Speculatable) == 0 {
		return EffUnknown
	}
	return e
}

func (op *Op) innerEffects() Effect {
	var e Effect
	for _, r := range op.regions {
		for b := range r.Blocks() {
			for o := range b.Ops() {
				e |= o.Effects()
			}
		}
	}
	return e
}

// IsPure reports whether op, with all inside, has no effects and may be executed speculatively.
func (op *Op) IsPure() bool {
	if op.Def.Has(RecursiveEffects) {
		for _, r := range op.regions {
			for b := range r.Blocks() {
				for o := range b.Ops() {
					if !o.Def.Has(Terminator) && !o.IsPure() {
						return false
					}
				}
			}
		}
		return true
	}
	d := op.Def
	return d.Has(Pure) || op.Effects() == 0 && (d.Has(Speculatable) || d.mayHoist != nil && d.mayHoist(op))
}

// IsDead reports whether op can be dropped: nobody uses its results and it has no effect but reading or
// allocating.
func (op *Op) IsDead() bool {
	if op.HasUses() || op.Def.Has(Terminator) || op.Def.Has(SymbolOp) {
		return false
	}
	return op.Effects()&^(EffRead|EffAlloc) == 0
}

// Fold asks the op's folder; see FoldFunc.
func (op *Op) Fold(consts []Attr) []FoldResult {
	if op.Def.fold == nil {
		return nil
	}
	return op.Def.fold(op, consts)
}

// HasFolder reports whether the op's row has a folder.
func (op *Op) HasFolder() bool { return op.Def.fold != nil }

// Walk calls f for op and everything inside it, each op before its regions. f returns false to skip the
// regions of an op. The op given to f may be erased or replaced by f, if f then returns false.
func (op *Op) Walk(f func(*Op) bool) {
	if !f(op) {
		return
	}
	for _, r := range op.regions {
		for b := range r.Blocks() {
			for o := range b.Ops() {
				o.Walk(f)
			}
		}
	}
}

// WalkPost calls f for everything inside op and then for op, each op after its regions. f may erase the op it
// is given.
func (op *Op) WalkPost(f func(*Op)) {
	for _, r := range op.regions {
		for b := range r.Blocks() {
			for o := range b.Ops() {
				o.WalkPost(f)
			}
		}
	}
	f(op)
}

// Ops yields op and everything inside it, each op before its regions.
func (op *Op) Ops() iter.Seq[*Op] {
	return func(yield func(*Op) bool) {
		stopped := false
		op.Walk(func(o *Op) bool {
			if !stopped && !yield(o) {
				stopped = true
			}
			return !stopped
		})
	}
}

// String returns op's text, for messages and tests.
func (op *Op) String() string {
	var b strings.Builder
	Print(&b, op, PrintOptions{})
	return strings.TrimSuffix(b.String(), "\n")
}
