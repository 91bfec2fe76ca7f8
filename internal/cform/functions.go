package cform

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/bundle"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/rule"
	"github.com/nereid-lang/nereid/internal/runtime/compile"
)

// The parts of the files that are the same for all bundles; PREFIX stands for the form's name.
var (
	//go:embed source.h.txt
	headText string
	//go:embed source.c.txt
	typesText string
	//go:embed runtime.c.txt
	runtimeText string
	//go:embed cuda.c.txt
	cudaText string
	//go:embed host.c.txt
	hostText string
	//go:embed api.c.txt
	apiText string
	//go:embed group.c.txt
	groupText string
)

// reserved holds the names of functions that every form has; a variant must not have them.
var reserved = map[string]bool{"api": true, "place": true, "variant": true, "variants": true, "count": true,
	"name": true, "group": true, "constant": true, "find": true, "choose": true, "runs": true, "fits": true,
	"launch": true, "chosen": true, "error": true, "status": true}

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

// function writes a function with typed arguments for a variant.
func (w *writer) function(v *variant) {
	w.signature(v.id, about(v.entry, v.saved), "unsigned x, unsigned y, unsigned z", v.saved)
	w.words(v.saved)
	fmt.Fprintf(&w.definitions, "\treturn %s_launch(%s, where, x, y, z, words);\n}\n\n", w.prefix, v.symbol)
}

// signature writes a declaration, and the beginning of a definition. params come before the arguments.
func (w *writer) signature(id, comment, params string, s *compile.Saved) {
	var b strings.Builder
	fmt.Fprintf(&b, "int %s_%s(const %s_place *where", w.prefix, id, w.prefix)
	if params != "" {
		b.WriteString(", " + params)
	}
	for i, a := range s.Args {
		fmt.Fprintf(&b, ", %s%s", cType(a), argName(i, a))
	}
	b.WriteByte(')')
	fmt.Fprintf(&w.declarations, "/* %s */\nPREFIX_API %s;\n\n", strings.ReplaceAll(comment, "*/", "* /"),
		b.String())
	w.definitions.WriteString(b.String() + " {\n")
}

// words writes the arguments into an array. A scalar is shorter than a word, whose other bytes are zero.
// Scalars of other types are passed by their bits.
func (w *writer) words(s *compile.Saved) {
	b := &w.definitions
	fmt.Fprintf(b, "\tuint64_t words[%d];\n", max(1, len(s.Args)))
	for i, a := range s.Args {
		name := argName(i, a)
		if t, ok := dtype.Parse(a.Type); !a.Pointer && ok && t.Row().Kind == dtype.Float {
			fmt.Fprintf(b, "\twords[%d] = 0, memcpy(&words[%d], &%s, sizeof %s);\n", i, i, name, name)
			continue
		}
		fmt.Fprintf(b, "\twords[%d] = (%s)%s;\n", i, unsignedType(a), name)
	}
}

// unsignedType returns the type of C that has the bits of a pointer or an integer.
func unsignedType(a compile.SavedArg) string {
	if t, ok := dtype.Parse(a.Type); !a.Pointer && ok && t.Row().C != "" {
		return fmt.Sprintf("uint%d_t", max(8, t.Row().Bits))
	}
	return "uint64_t"
}

// about describes a variant for people.
func about(e *bundle.Entry, s *compile.Saved) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, kernel %s(%s)", e.Name, e.Kernel, e.Signature)
	for _, p := range s.Facts.Apart {
		fmt.Fprintf(&b, ";\n   on the CPU the memory of %s and %s must not overlap", s.Args[p.A].Name,
			s.Args[p.B].Name)
	}
	return b.String()
}

func argName(i int, a compile.SavedArg) string { return fmt.Sprintf("a%d_%s", i, cName(a.Name)) }

// cType returns the type of an argument, as it stands before the name.
func cType(a compile.SavedArg) string {
	if a.Pointer {
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
	return []byte(w.named(headText+w.declarations.String()) + "#ifdef __cplusplus\n}\n#endif\n#endif\n")
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
	b.WriteString(steps() + w.named(runtimeText+cudaText+hostText+apiText+groupText))
	if w.options.ONNX {
		b.WriteString(w.named(onnxText))
	}
	b.WriteString("\n" + w.definitions.String())
	return []byte(b.String())
}
