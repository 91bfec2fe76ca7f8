package cform

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/bundle"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/rule"
	"github.com/nereid-lang/nereid/internal/runtime/code"
)

// The parts of the files that are the same for all bundles; PREFIX stands for the form's name.
var (
	//go:embed source.h.txt
	headText string
	//go:embed source.c.txt
	typesText string
	//go:embed runtime.c.txt
	runtimeText string
	//go:embed forms.c.txt
	formsText string
	//go:embed cuda.c.txt
	cudaText string
	//go:embed hip.c.txt
	hipText string
	//go:embed host.c.txt
	hostText string
	//go:embed api.c.txt
	apiText string
	//go:embed verify.c.txt
	verifyText string
	//go:embed group.c.txt
	groupText string
)

// reserved holds the names of functions that every form has; a variant must not have them.
var reserved = map[string]bool{"api": true, "place": true, "variant": true, "variants": true, "count": true,
	"name": true, "group": true, "constant": true, "find": true, "choose": true, "runs": true, "fits": true,
	"measured": true, "CPU": true, "CUDA": true, "HIP": true, "launch": true, "launch_group": true,
	"operators": true, "chosen": true, "error": true, "status": true}

// functions writes a function for each variant and for each group.
func (w *writer) functions() error {
	taken := map[string]string{}
	for _, v := range w.variants {
		switch other, ok := taken[v.id]; {
		case reserved[v.id]:
			return fmt.Errorf("variant %s: %s_%s is a name of the C form: call the variant something else",
				v.entry.Name, w.prefix, v.id)
		case ok:
			return fmt.Errorf("variants %s and %s have the same name in C", other, v.entry.Name)
		}
		taken[v.id] = v.entry.Name
		w.function(v)
	}
	for _, g := range w.groups {
		w.groupTables(g)
		if name, ok := taken[g.id]; ok && (name != g.name || len(g.variants) > 1) || reserved[g.id] {
			return fmt.Errorf("group %s: %s_%s is another function: call the group something else", g.name,
				w.prefix, g.id)
		} else if !ok {
			w.groupFunction(g)
		}
		taken[g.id] = g.name
	}
	return nil
}

// function is a function of the form with typed arguments, for a variant or a group.
type function struct {
	id, about string
	symbol    string   // the variant's table, or the group's
	group     bool     // it chooses among the variants of a group
	grid      bool     // it takes the grid
	sizes     []string // of a group
	args      []code.SavedArg
}

// function notes the function of a variant.
func (w *writer) function(v *variant) {
	w.calls = append(w.calls, function{id: v.id, about: about(v.entry, v.saved), symbol: v.symbol, grid: true,
		args: v.saved.Args})
}

// prototype returns the function's declaration in C.
func (f *function) prototype(prefix string) string {
	list := []string{"const " + prefix + "_place *where"}
	if f.grid {
		list = append(list, "unsigned x", "unsigned y", "unsigned z")
	}
	for i, name := range f.sizes {
		list = append(list, fmt.Sprintf("int64_t s%d_%s", i, cName(name)))
	}
	for i, a := range f.args {
		list = append(list, cType(a)+argName(i, a))
	}
	return fmt.Sprintf("int %s_%s(%s)", prefix, f.id, strings.Join(list, ", "))
}

// c writes the function's definition. A scalar is shorter than the word that passes it, whose other bytes are
// zero. Scalars of other types are passed by their bits.
func (f *function) c(prefix string, b *strings.Builder) {
	fmt.Fprintf(b, "%s {\n\tuint64_t words[%d];\n", f.prototype(prefix), max(1, len(f.args)))
	grid, sizes := "0", "0"
	if f.group && f.grid {
		grid = "grid"
		b.WriteString("\tunsigned grid[3];\n")
	}
	if len(f.sizes) > 0 {
		sizes = "sizes"
		fmt.Fprintf(b, "\tint64_t sizes[%d];\n", len(f.sizes))
	}
	for i, a := range f.args {
		if name := argName(i, a); isFloat(a) {
			fmt.Fprintf(b, "\twords[%d] = 0, memcpy(&words[%d], &%s, sizeof %s);\n", i, i, name, name)
		} else {
			fmt.Fprintf(b, "\twords[%d] = (uint%d_t)%s;\n", i, argBits(a), name)
		}
	}
	if grid == "grid" {
		b.WriteString("\tgrid[0] = x, grid[1] = y, grid[2] = z;\n")
	}
	for i, name := range f.sizes {
		fmt.Fprintf(b, "\tsizes[%d] = s%d_%s;\n", i, i, cName(name))
	}
	if f.group {
		fmt.Fprintf(b, "\treturn %s_launch_group(%s, where, %s, words, %s);\n}\n\n", prefix, f.symbol,
			grid, sizes)
		return
	}
	fmt.Fprintf(b, "\treturn %s_launch(%s, where, x, y, z, words);\n}\n\n", prefix, f.symbol)
}

// isFloat reports whether C passes an argument as a float or a double.
func isFloat(a code.SavedArg) bool {
	t, ok := dtype.Parse(a.Type)
	return !a.Pointer && ok && t.Row().Kind == dtype.Float && t.Row().C != ""
}

// argBits returns the bits of an argument in C.
func argBits(a code.SavedArg) int {
	if t, ok := dtype.Parse(a.Type); !a.Pointer && ok && t.Row().C != "" {
		return max(8, t.Row().Bits)
	}
	return 64
}

// about describes a variant for people.
func about(e *bundle.Entry, s *code.Saved) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, kernel %s(%s)", e.Name, e.Kernel, e.Signature)
	for _, p := range s.Facts.Apart {
		fmt.Fprintf(&b, ";\n   on the CPU the memory of %s and %s must not overlap", s.Args[p.A].Name,
			s.Args[p.B].Name)
		if p.OrEqual {
			b.WriteString(", unless it is the same")
		}
	}
	return b.String()
}

func argName(i int, a code.SavedArg) string { return fmt.Sprintf("a%d_%s", i, cName(a.Name)) }

// cType returns the type of an argument, as it stands before the name.
func cType(a code.SavedArg) string {
	switch {
	case a.Stored:
		return "void *"
	case a.Pointer:
		return "const void *"
	}
	if t, ok := dtype.Parse(a.Type); ok && t.Row().C != "" {
		return t.Row().C + " "
	}
	return "uint64_t "
}

// named puts the form's name into a text.
func (w *writer) named(text string) string { return strings.ReplaceAll(text, "PREFIX", w.prefix) }

// header returns the text of the header.
func (w *writer) header() []byte {
	var b strings.Builder
	b.WriteString(w.named(headText + w.remarks.String()))
	for i := range w.calls {
		f := &w.calls[i]
		fmt.Fprintf(&b, "/* %s */\n%s_API %s;\n\n", strings.ReplaceAll(f.about, "*/", "* /"), w.prefix,
			f.prototype(w.prefix))
	}
	b.WriteString("#ifdef __cplusplus\n}\n#endif\n#endif\n")
	return []byte(b.String())
}

// steps returns the numbers of a rule's steps as C.
func steps() string { return "enum { STEP_" + strings.Join(rule.Ops(), ", STEP_") + " };\n" }

// source returns the text of the source file.
func (w *writer) source() []byte {
	var b strings.Builder
	b.WriteString(w.named(typesText))
	if w.options.ONNX {
		b.WriteString(w.named(onnxTypesText))
	}
	for _, o := range w.objects {
		fmt.Fprintf(&b, "#if defined(__%s__)\nextern host_function %s;\n#define AT_%s %s\n#else\n"+
			"#define AT_%s 0\n#endif\n", o.arch, o.symbol, o.symbol, o.symbol, o.symbol)
	}
	for i := range w.blobs {
		w.blobs[i].c(&b)
	}
	for i := range w.tables {
		w.tables[i].c(&b)
	}
	fmt.Fprintf(&b, "const %s_variant *const %s_variants[] = {\n", w.prefix, w.prefix)
	for _, v := range w.variants {
		fmt.Fprintf(&b, "\t%s,\n", v.symbol)
	}
	fmt.Fprintf(&b, "};\nconst int %s_count = %d;\n", w.prefix, len(w.variants))
	b.WriteString(steps() + formSteps())
	b.WriteString(w.named(runtimeText + formsText + cudaText + hipText + hostText + apiText + verifyText +
		groupText))
	if w.options.ONNX {
		b.WriteString(w.named(onnxText))
	}
	b.WriteByte('\n')
	for i := range w.calls {
		w.calls[i].c(w.prefix, &b)
	}
	return []byte(b.String())
}
