package compile

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/analysis/address"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/runtime/code"
)

// storedArgs returns through which arguments a kernel may write; nil if that is not known.
func storedArgs(m *ir.Module, kernel string) []bool {
	fn := m.Lookup(kernel)
	if fn == nil {
		return nil
	}
	a := address.New(fn)
	var written []*ir.Value
	for op := range m.Ops() { // those of functions that it calls too
		written = append(written, writtenBy(a, op)...)
	}
	stored := make([]bool, len(fn.Body(0).Args()))
	for i, arg := range fn.Body(0).Args() {
		stored[i] = slices.Contains(written, arg) || slices.Contains(written, nil)
	}
	return stored
}

// writtenBy returns the arguments that an operation may write through: among them nil, for all of them, if
// that is not known.
func writtenBy(a *address.Analysis, op *ir.Op) (list []*ir.Value) {
	if op.Def == tt.Load || op.Def == tt.DescLoad || !op.Def.Has(ir.Writes) {
		return nil
	}
	for _, v := range op.Operands() {
		if tt.IsPtrLike(v.Type) || tt.DescBlock(v.Type) != nil {
			list = append(list, a.Roots(v)...)
		}
	}
	return list
}

// markStored notes which of the pointers of a launch a kernel may write through: all if that is not known.
func markStored(list []code.SavedArg, stored []bool) {
	for i := range list {
		list[i].Stored = list[i].Pointer && (len(stored) != len(list) || stored[i])
	}
}
