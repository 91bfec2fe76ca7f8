package all_test

import (
	"strings"
	"testing"

	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/ir"
)

// eachOp calls f for every op of every table.
func eachOp(f func(op *ir.OpDef)) {
	for _, d := range ir.Dialects() {
		for op := range d.Ops() {
			f(op)
		}
	}
}

func TestFormatsCompile(t *testing.T) { ir.CompileFormats() }

// TestRows checks what a row must say, whatever the op.
func TestRows(t *testing.T) {
	eachOp(func(op *ir.OpDef) {
		t.Run(op.FullName(), func(t *testing.T) {
			if op.Doc == "" || !strings.HasSuffix(op.Doc, ".") || strings.Contains(op.Doc, "\n") {
				t.Errorf("doc %q is not one sentence", op.Doc)
			}
			if (op.PrintFn == nil) != (op.ParseFn == nil) {
				t.Error("prints and parses by different means")
			}
			if op.PrintFn != nil && op.Format != "" {
				t.Error("has both a format and functions")
			}
			checkSlots(t, op, op.Operands, op.Has(ir.SegmentedOperands))
			checkSlots(t, op, op.Results, op.Has(ir.SegmentedResults))
			checkNames(t, op)
			checkTraits(t, op)
		})
	})
}

func checkSlots(t *testing.T, op *ir.OpDef, slots []ir.Slot, segmented bool) {
	flexible := 0
	for _, s := range slots {
		if s.Ok == nil || s.Desc == "" {
			t.Errorf("slot %s has no constraint", s.Name)
		}
		if s.Arity != ir.One {
			flexible++
		}
	}
	if segmented && flexible == 0 {
		t.Error("segments without a slot that needs them")
	}
	if !segmented && flexible > 1 && !equalShares[op.FullName()] {
		t.Errorf("%d slots of open size and no segments", flexible)
	}
}

// equalShares are the ops whose open slots all have the same size.
var equalShares = map[string]bool{"memref.extract_strided_metadata": true, "linalg.reduce": true,
	"tt.make_tensor_ptr": true, "tt.make_tensor_descriptor": true}

// checkNames checks that names are unique, and that rules speak of slots or attributes that exist.
func checkNames(t *testing.T, op *ir.OpDef) {
	names := map[string]bool{}
	add := func(name string) {
		if name == "" || names[name] {
			t.Errorf("name %q is empty or not unique", name)
		}
		names[name] = true
	}
	for _, s := range op.Operands {
		add(s.Name)
	}
	for _, a := range op.Attrs {
		add(a.Name)
		if a.Kind == nil || a.Kind.Desc == "" {
			t.Errorf("attribute %s has no kind", a.Name)
		} else if a.Default != nil && !a.Kind.Ok(a.Default) {
			t.Errorf("the default of %s is not of its kind", a.Name)
		}
	}
	for _, s := range op.Results {
		names[s.Name] = true // a result may bear the name of a region or of an operand, as func.call's do
	}
	for _, r := range op.Types {
		if !names[r.From] || !names[r.To] {
			t.Errorf("rule from %s to %s names no slot", r.From, r.To)
		}
	}
}

func checkTraits(t *testing.T, op *ir.OpDef) {
	effects := op.Traits & (ir.Reads | ir.Writes | ir.Allocates)
	if op.Has(ir.Pure) && effects != 0 {
		t.Error("pure and with effects")
	}
	if op.Has(ir.ImplicitTerminator) != (op.ImplicitTerm != nil) {
		t.Error("an implicit terminator needs its kind")
	}
	if op.ImplicitTerm != nil && !op.ImplicitTerm.Has(ir.Terminator) {
		t.Errorf("%s is no terminator", op.ImplicitTerm)
	}
	if op.Has(ir.ReturnLike) && !op.Has(ir.Terminator) {
		t.Error("return-like and no terminator")
	}
	if op.Has(ir.SymbolOp) && op.AttrSlot("sym_name") == nil {
		t.Error("a symbol without a name")
	}
}
