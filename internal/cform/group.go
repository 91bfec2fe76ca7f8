package cform

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/rule"
	"github.com/nereid-lang/nereid/internal/runtime/code"
)

// choiceWords is the size of the C source's type choices, in words.
const choiceWords = 512

// grouped is a group with a function: its variants take the same arguments and sizes.
type grouped struct {
	name, id string
	variants []*variant
	symbol   string // of its table
	grid     bool   // rules say the grid
	sizes    []string
	measure  bool
}

// group returns the group of a name, or nil.
func (w *writer) group(name string) *grouped {
	for _, g := range w.groups {
		if g.name == name {
			return g
		}
	}
	return nil
}

// makeGroups finds the groups, in the order of the table. Groups among whose variants no choice can be made
// have no function.
func (w *writer) makeGroups() {
	by := map[string]*grouped{}
	var all []*grouped
	for _, v := range w.variants {
		name := v.entry.Group
		if name == "" {
			continue
		}
		g := by[name]
		if g == nil {
			l := v.launch
			g = &grouped{name: name, id: cName(name), grid: l.Grid != nil, sizes: l.Sizes, measure: true}
			by[name] = g
			all = append(all, g)
		}
		g.variants = append(g.variants, v)
		g.measure = g.measure && v.launch.Measure
	}
	for _, g := range all {
		if why := g.undecided(); why != "" {
			fmt.Fprintf(&w.remarks, "/* group %s has no function: %s. */\n\n", g.name, why)
			continue
		}
		g.symbol = "group_" + g.id
		w.groups = append(w.groups, g)
	}
}

// undecided returns why a group has no function, or "".
func (g *grouped) undecided() string {
	first := g.variants[0]
	for _, v := range g.variants {
		switch {
		case !sameArgs(first.saved, v.saved):
			return "its variants take different arguments"
		case !slices.Equal(first.launch.Sizes, v.launch.Sizes) ||
			(first.launch.Grid == nil) != (v.launch.Grid == nil):
			return "its variants have different sizes"
		case v.launch.When == nil && !slices.Equal(first.entry.Constants, v.entry.Constants):
			return "the table does not say when which variant may run"
		}
	}
	return ""
}

// rule writes the steps of a rule and returns the name of their table; "" for none. Names are arguments, then
// sizes.
func (w *writer) rule(r rule.Rule, names []string) ref {
	if r == nil {
		return ""
	}
	t := table{name: fmt.Sprintf("rule_%d", w.rules), ctype: "step"}
	w.rules++
	for _, s := range r {
		at := max(0, slices.Index(names, s.Name))
		t.rows = append(t.rows, []cell{int64(s.Op) | int64(at)<<8, s.Value})
	}
	t.rows = append(t.rows, []cell{int64(rule.End), 0.0})
	w.tables = append(w.tables, t)
	return ref(t.name)
}

// ruleNames returns the names of numbers that a variant's rules see: arguments, then sizes.
func ruleNames(v *variant) (names []string) {
	for _, a := range v.saved.Args {
		names = append(names, a.Name)
	}
	return append(names, v.launch.Sizes...)
}

// launchRules writes the rules of a variant and returns their cells.
func (w *writer) launchRules(v *variant) []cell {
	names := ruleNames(v)
	if v.launch.Grid == nil {
		return []cell{w.rule(v.launch.When, names), ref("")}
	}
	grid := table{name: "grid_" + v.id, ctype: "step *const"}
	for i := range 3 {
		r := ref("")
		if i < len(v.launch.Grid) {
			r = w.rule(v.launch.Grid[i], names)
		}
		grid.rows = append(grid.rows, []cell{r})
	}
	w.tables = append(w.tables, grid)
	return []cell{w.rule(v.launch.When, names), ref(grid.name)}
}

// numberKind returns how the C source reads a scalar: see its type argument.
func numberKind(a code.SavedArg) int {
	t, ok := dtype.Parse(a.Type)
	if a.Pointer || !ok {
		return 0
	}
	switch row := t.Row(); {
	case t == dtype.Float32 || t == dtype.Float64:
		return 100 + row.Bits
	case row.Kind == dtype.Signed:
		return row.Bits
	case row.Kind == dtype.Unsigned:
		return -row.Bits
	}
	return 0
}

// elementKind returns how the C source compares elements that a pointer points to: see its type argument.
func elementKind(a code.SavedArg) int {
	t, ok := dtype.Parse(a.Type)
	switch {
	case !a.Pointer || !ok:
		return 0
	case t == dtype.BFloat16:
		return 117
	case t == dtype.Float16 || t == dtype.Float32 || t == dtype.Float64:
		return 100 + t.Row().Bits
	}
	return 8 * t.Size()
}

// identity names all code and all variants of the library: results of measuring are kept under it.
func (w *writer) identity() string {
	h := sha256.New()
	for _, v := range w.variants {
		fmt.Fprintf(h, "%s %s\n", v.entry.Name, v.entry.Signature)
	}
	for _, b := range w.blobs {
		h.Write(b.data)
	}
	for _, o := range w.objects {
		h.Write(o.data)
	}
	return w.prefix + "-" + hex.EncodeToString(h.Sum(nil)[:12])
}

// groupTables writes the tables of a group.
func (w *writer) groupTables(g *grouped) {
	list := table{name: "list_" + g.id, ctype: w.prefix + "_variant *const"}
	for _, v := range g.variants {
		list.rows = append(list.rows, []cell{ref(v.symbol)})
	}
	measured := ref("")
	if g.measure && len(g.variants) > 1 {
		measured = ref("choices_" + g.id)
		w.tables = append(w.tables, table{name: string(measured), ctype: "choices", variable: true,
			zeros: choiceWords})
	}
	writes := table{name: "writes_" + g.id, ctype: "written"}
	first := g.variants[0]
	for _, x := range first.launch.Writes {
		at := slices.IndexFunc(first.saved.Args, func(a code.SavedArg) bool { return a.Name == x.Arg })
		if at >= 0 && first.saved.Args[at].Pointer {
			writes.rows = append(writes.rows, []cell{number(at), w.rule(x.Elements, ruleNames(first))})
		}
	}
	if measured != "" && len(writes.rows) == 0 && !w.options.ONNX {
		w.left = append(w.left, fmt.Errorf("measuring of the group %s: no rule says what its launches "+
			"write, so that results cannot be compared (writes = \"ARGUMENT: ELEMENTS\")", g.name))
	}
	w.tables = append(w.tables, list, writes, table{name: g.symbol, ctype: "group",
		rows: [][]cell{{g.name, number(len(list.rows)), number(len(first.saved.Args)), number(len(g.sizes)),
			ref(list.name), measured, w.identity(), number(len(writes.rows)), ref(writes.name)}}})
}

// groupFunction notes the function that chooses among the variants of a group: it takes the sizes, or the
// grid if no rule says it.
func (w *writer) groupFunction(g *grouped) {
	how := "the first that takes the arguments"
	if g.measure {
		how = "the fastest that takes the arguments, as measured in the first launch of sizes like these"
	}
	w.calls = append(w.calls, function{id: g.id, symbol: g.symbol, group: true, grid: !g.grid, sizes: g.sizes,
		about: fmt.Sprintf("group %s, %d variants: %s", g.name, len(g.variants), how),
		args:  g.variants[0].saved.Args})
}
