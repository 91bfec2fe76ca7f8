package ir

import (
	"slices"
	"strings"
)

// GenericForm is for operations of which MLIR's generic form shows more than they hold here: a region and
// attributes that follow from the rest, which MLIR demands in this form and hides in every other.
type GenericForm struct {
	// Show makes the attributes and the regions for an operation that verifies. They belong to no operation.
	Show func(op *Op) (attrs []NamedAttr, regions []*Region)
	// Hide takes them out of what was read. It returns an error if they are not those that Show makes.
	Hide func(s *State) error
}

// GenericForms joins generic forms to their ops.
func (d *Dialect) GenericForms(m map[*OpDef]GenericForm) *Dialect {
	for op, f := range m {
		op.generic = f
	}
	return d
}

// shownOp is what the text shows of an operation.
type shownOp struct {
	attrs   []NamedAttr
	regions []*Region
}

// shown returns what the text shows of op, the same regions at each call.
func (n *valueNames) shown(op *Op) shownOp {
	if !n.generic || op.Def.generic.Show == nil || !op.fitsRow() {
		return shownOp{op.attrs, op.regions}
	}
	s, ok := n.shownOps[op]
	if ok {
		return s
	}
	attrs, regions := op.Def.generic.Show(op)
	s = shownOp{slices.Concat(op.attrs, attrs), slices.Concat(op.regions, regions)}
	slices.SortStableFunc(s.attrs, func(a, b NamedAttr) int { return strings.Compare(a.Name, b.Name) })
	n.shownOps[op] = s
	return s
}
