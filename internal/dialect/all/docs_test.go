package all_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestDocs: docs/ops.md is what the tables say. -update writes it.
func TestDocs(t *testing.T) {
	examples := shortUses(t)
	var b strings.Builder
	b.WriteString(docsHead)
	for _, d := range ir.Dialects() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", d.Name, d.Doc)
		writeNames(&b, d)
		for op := range d.Ops() {
			writeOp(&b, op, examples[op])
		}
	}
	txtest.Golden(t, txtest.Path(t, "docs", "ops.md"), b.String())
}

const docsHead = `# The operations

Every operation that the compiler knows, from the tables in ` + "`internal/dialect`" + `. (Written by ` +
	"`go test ./internal/dialect/all -update`" + `.)

An entry has the operands (` + "`name: what fits`" + `, with ` + "`?`" + ` for one that may be absent and ` +
	"`...`" + ` for any number), the results, the attributes of the op
itself, its traits, and its syntax in MLIR's declarative notation; or an example where the syntax is a
function.
`

// shortUses finds the shortest example of each op that is not too long to show.
func shortUses(t *testing.T) map[*ir.OpDef]string {
	uses := map[*ir.OpDef]string{}
	for _, dir := range exampleDirs {
		for _, e := range examples(t, dir) {
			parse(t, e.name, e.src).Op.Walk(func(op *ir.Op) bool {
				if op.Def.Format != "" {
					return true
				}
				text := op.String()
				if old, ok := uses[op.Def]; len(text) < 1000 && (!ok || len(text) < len(old)) {
					uses[op.Def] = text
				}
				return true
			})
		}
	}
	return uses
}

// writeNames lists the dialect's types and attributes.
func writeNames(b *strings.Builder, d *ir.Dialect) {
	for _, t := range d.Types() {
		fmt.Fprintf(b, "\n- `!%s.%s`: %s\n", d.Name, t.Name, t.Doc)
	}
	for _, a := range d.Attrs() {
		fmt.Fprintf(b, "\n- `#%s.%s`: %s\n", d.Name, a.Name, a.Doc)
	}
}

func writeOp(b *strings.Builder, op *ir.OpDef, use string) {
	fmt.Fprintf(b, "\n### `%s`\n\n%s\n\n", op, op.Doc)
	writeSlots(b, "Operands", op.Operands)
	writeSlots(b, "Results", op.Results)
	writeAttrs(b, op.Attrs)
	if len(op.Regions) > 0 {
		fmt.Fprintf(b, "- Regions: %s\n", strings.Join(op.Regions, ", "))
	}
	if len(op.Successors) > 0 {
		fmt.Fprintf(b, "- Successors: %s\n", strings.Join(op.Successors, ", "))
	}
	if traits := traitNames(op); len(traits) > 0 {
		fmt.Fprintf(b, "- Traits: %s\n", strings.Join(traits, ", "))
	}
	switch {
	case op.Format != "":
		fmt.Fprintf(b, "\n```\n%s %s\n```\n", op, op.Format)
	case use != "":
		fmt.Fprintf(b, "\n```mlir\n%s\n```\n", use)
	}
}

func writeSlots(b *strings.Builder, what string, slots []ir.Slot) {
	if len(slots) == 0 {
		return
	}
	var list []string
	for _, s := range slots {
		list = append(list, fmt.Sprintf("`%s%s: %s`", s.Name,
			[...]string{ir.One: "", ir.Opt: "?", ir.Many: "..."}[s.Arity], s.Desc))
	}
	fmt.Fprintf(b, "- %s: %s\n", what, strings.Join(list, ", "))
}

func writeAttrs(b *strings.Builder, attrs []ir.AttrSlot) {
	if len(attrs) == 0 {
		return
	}
	var list []string
	for _, a := range attrs {
		text := fmt.Sprintf("%s: %s", a.Name, a.Kind.Desc)
		switch {
		case a.Optional:
			text = strings.Replace(text, ":", "?:", 1)
		case a.Default != nil:
			text += " = " + defaultText(a)
		}
		list = append(list, "`"+text+"`")
	}
	fmt.Fprintf(b, "- Attributes: %s\n", strings.Join(list, ", "))
}

// defaultText is a default as the syntax writes it.
func defaultText(a ir.AttrSlot) string {
	if i, ok := a.Default.(*ir.IntegerAttr); ok && a.Kind.Enum != nil {
		word, _ := a.Kind.Enum.Word(i.Value)
		return word
	}
	return a.Default.String()
}

// traits are the traits by name, in the order of their declaration.
var traits = []string{"Pure", "Commutative", "Elementwise", "Idempotent", "Involution", "ConstantLike",
	"Terminator", "ReturnLike", "Isolated", "Symbol", "SymbolTable", "SingleBlock", "NoTerminator",
	"RecursiveEffects", "LoopLike", "Reads", "Writes", "Allocates", "Speculatable", "SegmentedOperands",
	"SegmentedResults", "SameOperandsAndResultType", "SameTypeOperands", "SameOperandsAndResultShape",
	"SameOperandsAndResultElem", "SameOperandsAndResultEncoding", "SameOperandsEncoding",
	"SameLoadStoreShape", "TensorSizes", "ImplicitTerminator", "GraphRegion", "NoEffects", "View", "Permutes"}

func traitNames(op *ir.OpDef) []string {
	var out []string
	for i, name := range traits {
		if op.Has(1 << i) {
			out = append(out, name)
		}
	}
	return out
}

func TestTraitNames(t *testing.T) {
	for name, trait := range map[string]ir.Trait{"Pure": ir.Pure, "Isolated": ir.Isolated,
		"Writes": ir.Writes, "SameTypeOperands": ir.SameTypeOperands, "NoEffects": ir.NoEffects,
		"View": ir.View, "Permutes": ir.Permutes} {
		if got := traitNames(&ir.OpDef{Traits: trait}); !slices.Equal(got, []string{name}) {
			t.Errorf("%s is called %v", name, got)
		}
	}
	eachOp(func(op *ir.OpDef) {
		if op.Traits>>len(traits) != 0 {
			t.Errorf("%s has a trait without a name", op)
		}
	})
}
