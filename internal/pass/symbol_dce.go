package pass

import (
	"github.com/nereid-lang/nereid/internal/ir"
)

// SymbolDCE erases private functions and other private symbols that nothing public refers to, directly or
// through others.
//
//	tt.func public @k() { … }                tt.func public @k() { … }
//	tt.func private @unused() { … }    =>
var SymbolDCE = Pass{
	Name: "symbol-dce",
	Doc:  "erase private symbols that nothing refers to",
	Run: func(ctx *Context, m *ir.Module) error {
		symbolDCE(ctx, m)
		return nil
	},
}

func symbolDCE(ctx *Context, m *ir.Module) {
	symbols := map[string]*ir.Op{}
	for name, op := range m.Symbols() {
		symbols[name] = op
	}
	live := map[*ir.Op]bool{}
	var work []*ir.Op
	visit := func(op *ir.Op) {
		if op != nil && !live[op] {
			live[op] = true
			work = append(work, op)
		}
	}
	for op := range m.Block().Ops() {
		if !op.Def.Has(ir.SymbolOp) || !isPrivate(op) {
			visit(op)
		}
	}
	for len(work) > 0 {
		op := work[len(work)-1]
		work = work[:len(work)-1]
		for o := range op.Ops() {
			for _, a := range o.Attrs() {
				symbolRefs(a.Attr, func(name string) { visit(symbols[name]) })
			}
		}
	}
	for op := range m.Block().Ops() {
		if !live[op] && ctx.Rewrite() {
			op.Erase()
		}
	}
}

func isPrivate(op *ir.Op) bool { return op.Text("sym_visibility") == "private" }

// symbolRefs calls f with the root of every symbol that an attribute mentions.
func symbolRefs(a ir.Attr, f func(name string)) {
	switch a := a.(type) {
	case *ir.SymbolRefAttr:
		f(a.Root)
	case *ir.ArrayAttr:
		for _, e := range a.Elems {
			symbolRefs(e, f)
		}
	case *ir.DictAttr:
		for _, e := range a.Elems {
			symbolRefs(e.Attr, f)
		}
	}
}
