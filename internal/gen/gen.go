package gen

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	elem "github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/python"
)

// ErrNoKernels is the error of a file without kernels.
var ErrNoKernels = errors.New("has no kernels")

// Options say what to write.
type Options struct {
	Package string
	Kernels []string // which; none: all that look like kernels
	Nested  bool     // those that functions and classes define are among them
	// "kernel.param" to tensor, descriptor, int, float, bool, string, dtype or any, where inference is
	// wrong
	Types map[string]string
	Files map[string]string // the modules that the file imports, by path
	Path  string            // of the file itself among them; "": its name
	Roots []string          // folders in which imports are looked for
	// Source, if not nil, is the file as it was loaded already: its imports need not be read again.
	Source *lang.Source
	// Known are examples of kernels for which none needs to be found; for Examples alone.
	Known map[string]Example
}

// Go is the source of a Go file for the kernels of a Python file.
func Go(name string, src []byte, o Options) ([]byte, error) {
	g, err := newGenerator(name, src, o)
	if err != nil {
		return nil, err
	}
	return g.run()
}

func newGenerator(name string, src []byte, o Options) (*generator, error) {
	s, err := o.Source, error(nil)
	if s == nil {
		s, err = lang.Load(name, src, lang.LoadOptions{OnDisk: true, Roots: o.Roots})
	}
	if err != nil {
		return nil, err
	}
	m, err := python.Parse(diag.NewFileSet(), name, src)
	if err != nil {
		return nil, err
	}
	return &generator{o: o, name: name, src: src, source: s, file: newFile(m)}, nil
}

type generator struct {
	o      Options
	name   string
	src    []byte
	source *lang.Source
	file   *file
	out    bytes.Buffer
}

// param is a parameter with its Go type and name.
type param struct {
	lang.Param
	kind kind
	name string // of the argument, or of the field
}

type kernel struct {
	name   string
	goName string // of its function
	doc    string
	params []param
	tuned  bool // as its decorators complete it
}

func (g *generator) run() ([]byte, error) {
	kernels, err := g.kernels()
	if err != nil {
		return nil, err
	}
	g.head()
	for _, k := range kernels {
		g.consts(k)
		g.function(k)
		if t, ok := g.tuned(k); ok {
			g.consts(t)
			g.function(t)
		}
	}
	code, err := formatted(g.out.Bytes())
	if err != nil {
		return nil, err
	}
	g.out.Reset()
	g.out.WriteString(foldAll(string(code)) + "\n")
	g.embedded()
	return formatted(g.out.Bytes())
}

func formatted(code []byte) ([]byte, error) {
	out, err := format.Source(code)
	if err != nil {
		return nil, fmt.Errorf("internal error: what was generated is no Go: %w", err)
	}
	return out, nil
}

// kernels are the functions to write: those that are asked for, or those that nobody calls and that return
// nothing.
func (g *generator) kernels() ([]kernel, error) {
	names := g.o.Kernels
	if len(names) == 0 {
		for _, n := range g.source.Names() {
			if !g.helper(n) {
				names = append(names, n)
			}
		}
		if g.o.Nested {
			for _, n := range g.source.Nested() {
				if !g.helper(n) {
					names = append(names, n)
				}
			}
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s %w", g.name, ErrNoKernels)
	}
	var out []kernel
	var absent error
	for _, n := range names {
		if _, ok := g.o.Known[n]; ok {
			out = append(out, kernel{name: n})
			continue
		}
		params, err := g.source.Params(n, lang.DefaultTarget)
		if err != nil && len(g.o.Kernels) == 0 { // defined under a condition that does not hold here
			absent = err
			continue
		}
		if err != nil {
			return nil, err
		}
		k := kernel{name: n, doc: docstring(g.file.funcs[n])}
		for _, p := range params {
			kind, err := g.kind(n, p)
			if err != nil {
				return nil, err
			}
			k.params = append(k.params, param{Param: p, kind: kind})
		}
		k.nameParams()
		out = append(out, k)
	}
	if len(out) == 0 {
		return nil, absent
	}
	g.nameKernels(out)
	return out, g.checkTypes(out)
}

// nameKernels gives each kernel's function a name: first to those that have their own in Go, too, so that of
// Add and add the second is Add2.
func (g *generator) nameKernels(kernels []kernel) {
	given := names{g.fileName(): true}
	for _, own := range []bool{true, false} {
		for i := range kernels {
			k := &kernels[i]
			if name := Exported(k.name); (name == k.name) == own {
				k.goName = given.unused(name, "Consts", "Tuned", "TunedConsts")
			}
		}
	}
}

// nameParams gives the parameters names in Go, fields and arguments apart.
func (k *kernel) nameParams() {
	fields, args := names{"Options": true}, names{}
	for i := range k.params {
		p := &k.params[i]
		switch name := field(p.Name); {
		case !p.Constexpr:
			p.name = args.unused(argName(p.Name))
		case fields[name]:
			p.name = fields.unused("X" + p.Name)
		default:
			p.name = fields.unused(name)
		}
	}
}

// checkTypes is an error if the caller says something of a parameter that there is not.
func (g *generator) checkTypes(kernels []kernel) error {
	known := map[string]bool{}
	for _, k := range kernels {
		for _, p := range k.params {
			known[k.name+"."+p.Name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(g.o.Types)) {
		if known[name] {
			continue
		}
		if near := diag.Nearest(name, slices.Sorted(maps.Keys(known))); near != "" {
			return fmt.Errorf("%s has no parameter %s; did you mean %s?", g.name, name, near)
		}
		return fmt.Errorf("%s has no parameter %s; parameters are named KERNEL.PARAM", g.name, name)
	}
	return nil
}

// tuned is the kernel as its decorators complete it: what autotune's configs and heuristics set is no
// argument, and the grid depends on it.
func (g *generator) tuned(k kernel) (kernel, bool) {
	t, err := g.source.Tuning(k.name, lang.DefaultTarget)
	if t == nil || err != nil {
		return k, false
	}
	var set []string
	for _, s := range t.Steps {
		for _, h := range s.Heuristics {
			set = append(set, h.Name)
		}
		if s.Autotune != nil {
			for _, c := range s.Autotune.Configs {
				for _, kw := range c.Kwargs {
					set = append(set, kw.Name)
				}
			}
		}
	}
	k.tuned, k.goName = true, k.goName+"Tuned"
	k.params = slices.DeleteFunc(slices.Clone(k.params), func(p param) bool {
		return slices.Contains(set, p.Name)
	})
	return k, true
}

// helper reports whether a jit function is there to be called by others.
func (g *generator) helper(name string) bool {
	return g.file.funcs[name] != nil && (g.file.uses(name).returns || g.called(name))
}

// called reports whether another jit function of the file calls one.
func (g *generator) called(name string) bool {
	return slices.ContainsFunc(g.source.Names(), func(other string) bool {
		return other != name && g.file.uses(other).called[name]
	})
}

var kindNames = map[string]kind{
	"tensor": tensor, "descriptor": descriptor, "int": integer, "float": float, "number": number,
	"bool": boolean, "string": text, "dtype": dtype, "any": other,
}

// kind is what the caller says, or what the kernel does.
func (g *generator) kind(fn string, p lang.Param) (kind, error) {
	said, ok := g.o.Types[fn+"."+p.Name]
	if !ok {
		return g.file.paramKind(fn, p), nil
	}
	k, ok := kindNames[said]
	if !ok {
		names := slices.Sorted(maps.Keys(kindNames))
		return 0, fmt.Errorf("%s.%s: no type %q; there are %s", fn, p.Name, said, strings.Join(names, ", "))
	}
	return k, nil
}

// docstring is a function's, or "".
func docstring(fn *python.FunctionDef) string {
	if fn == nil || len(fn.Body) == 0 {
		return ""
	}
	if e, ok := fn.Body[0].(*python.ExprStmt); ok {
		if c, ok := e.Value.(*python.Constant); ok {
			s, _ := c.Value.(string)
			return strings.TrimSpace(s)
		}
	}
	return ""
}

func (g *generator) printf(format string, args ...any) { fmt.Fprintf(&g.out, format, args...) }

func (g *generator) head() {
	g.printf("// Code generated by nereid gen %s; DO NOT EDIT.\n\npackage %s\n\nimport (\n"+
		"\t\"github.com/nereid-lang/nereid\"\n\t\"github.com/nereid-lang/nereid/genrt\"\n)\n\n",
		path.Base(g.name), g.o.Package)
}

// goTypes are the types of parameters in Go.
var goTypes = map[kind]string{
	tensor: "*nereid.Tensor", descriptor: "*nereid.Descriptor", integer: "int", float: "float64",
	number: "number", boolean: "bool", text: "string", dtype: "nereid.DType", other: "any",
}

// methods give arguments to a call.
var methods = map[kind]string{
	tensor: "Tensor(%s)", integer: "Int(int64(%s))", float: "Float(%s)", boolean: "Bool(%s)",
	descriptor: "Descriptor(%s)", text: "Any(%s)", dtype: "Any(%s)", other: "Any(%s)",
}

// goType returns the type of the parameter in Go. An annotation may say how large a number is.
func (p param) goType() string {
	if t, ok := elem.Parse(p.Type); ok && t != elem.Bool && t.String() == p.Type && t.Row().Go != "" {
		return t.Row().Go
	}
	return goTypes[p.kind]
}

// give is the call that hands the argument over.
func (p param) give() string {
	name := p.name
	if p.kind == number {
		return fmt.Sprintf("genrt.Give(call, %s)", name)
	}
	if p.kind == float && p.goType() != "float64" {
		name = "float64(" + name + ")"
	}
	return "call." + fmt.Sprintf(methods[p.kind], name)
}

// consts writes the struct of a kernel's compile-time arguments and options.
func (g *generator) consts(k kernel) {
	name := k.goName + "Consts"
	g.printf("// %s are the compile-time arguments and options of %s.\ntype %s struct {\n", name,
		k.name, name)
	var always, unlessDefault []string
	for _, p := range k.params {
		if !p.Constexpr {
			continue
		}
		typ, note, form := p.constField()
		g.printf("%s %s%s\n", p.name, typ, note)
		code := fmt.Sprintf(form, p.name, p.Name)
		if strings.HasPrefix(code, "list = ") {
			unlessDefault = append(unlessDefault, code)
		} else {
			always = append(always, code+", ")
		}
	}
	g.printf("Options nereid.Options // num_warps and the like\n}\n\n")
	list := fmt.Sprintf("[]any{%sc.Options}", strings.Join(always, ""))
	if len(unlessDefault) == 0 {
		g.printf("func (c %s) args() []any {\nreturn %s\n}\n\n", name, list)
		return
	}
	g.printf("func (c %s) args() []any {\nlist := %s\n%s\nreturn list\n}\n\n", name, list,
		strings.Join(unlessDefault, "\n"))
}

// constField returns the type of a compile-time parameter's field, a comment on its default, and how the
// argument is written: an item of the list, or a statement "list = ..." that adds it. A field that a
// program leaves out has Go's zero value, which must mean the kernel's default. Where the default is
// another value, and zero is a value too, the field is a genrt.Opt.
func (p param) constField() (typ, note, form string) {
	typ, form = p.goType(), "nereid.Arg(%[2]q, c.%[1]s)"
	if p.Default == nil {
		return typ, "", form
	}
	value := lang.Repr(lang.ValueOf(p.Default))
	note = " // the kernel's default is " + value
	switch {
	case p.kind == dtype:
		return typ, note + ", also of the zero DType", "list = genrt.AppendDType(list, %[2]q, c.%[1]s)"
	case value == zeros[p.kind]:
		return typ, note, form
	}
	return "genrt.Opt[" + typ + "]", note, "list = c.%[1]s.Append(list, %[2]q)"
}

// zeros are the zero values of kinds in Go, as Python writes them.
var zeros = map[kind]string{integer: "0", float: "0.0", boolean: "False", text: "''", other: "None"}

func (g *generator) function(k kernel) {
	name := k.goName
	value, gridType, launch := unexported(name)+"Typed", "nereid.Grid", "Launch"
	if k.tuned {
		gridType, launch = "nereid.GridFunc", "LaunchFunc"
	}
	again, kinds := "", ""
	if !k.tuned {
		again, kinds = k.again(value)
	}
	g.printf("var %s = genrt.Typed[%sConsts]{Load: %s.Module, Name: %q, Consts: %sConsts.args", value, name,
		g.fileName(), k.name, name)
	if kinds != "" {
		g.printf(", Kinds: %q", kinds)
	}
	g.printf("}\n\n")
	g.comment(name, k)
	list, types := parameters(k)
	g.printf("func %s%s(stream *nereid.Stream, grid %s%s", name, types, gridType, list)
	g.printf(", consts %sConsts) error {\n%scall := %s.Call(consts)\n", name, again, value)
	for _, run := range runs(k) {
		g.printf("%s\n", give(run))
	}
	g.printf("return call.%s(stream, grid)\n}\n\n", launch)
}

// again is the code that launches as the launch before was, where the arguments are like that one's, and
// the kinds of the arguments for it: both empty for kernels with parameters that it does not know.
func (k kernel) again(value string) (code, kinds string) {
	var tensors, scalars []string
	for _, p := range k.params {
		if p.Constexpr {
			continue
		}
		letter, word := p.word()
		switch {
		case letter == 0:
			return "", ""
		case letter == 't':
			tensors = append(tensors, word)
		default:
			scalars = append(scalars, word)
		}
		kinds += string(letter)
	}
	if kinds == "" {
		return "", ""
	}
	return fmt.Sprintf("if done, err := %s.Again(stream, &grid, &consts, %s, %s); done {\nreturn err\n}\n",
		value, list("*nereid.Tensor", tensors), list("int64", scalars)), kinds
}

// list is a slice of values, in Go.
func list(elem string, values []string) string {
	if len(values) == 0 {
		return "nil"
	}
	return "[]" + elem + "{" + strings.Join(values, ", ") + "}"
}

// word is the letter of a parameter's kind and the argument as Typed.Again takes it; the letter is 0 where
// it takes none.
func (p param) word() (letter rune, value string) {
	name := p.name
	switch {
	case p.kind == tensor:
		return 't', name
	case p.kind == integer && !strings.Contains(p.Type, "f"):
		return 'i', "int64(" + name + ")"
	case p.kind == boolean:
		return 'b', "genrt.BoolWord(" + name + ")"
	case p.kind == float && p.Type == "fp64":
		return 'd', "genrt.DoubleWord(" + name + ")"
	case p.kind == float && (p.Type == "" || p.Type == "fp32"):
		return 'f', "genrt.FloatWord(float64(" + name + "))"
	}
	return 0, ""
}

// together are the methods that take several arguments of a kind, and how one is written.
var together = map[kind][2]string{tensor: {"Tensors", "%s"}, integer: {"Ints", "int64(%s)"}}

// runs are the arguments that are not compile-time, those of a kind that can be given together in one.
func runs(k kernel) [][]param {
	var out [][]param
	for _, p := range k.params {
		last := len(out) - 1
		_, joins := together[p.kind]
		switch {
		case p.Constexpr:
		case joins && last >= 0 && out[last][0].kind == p.kind:
			out[last] = append(out[last], p)
		default:
			out = append(out, []param{p})
		}
	}
	return out
}

// give is the call that hands arguments over.
func give(run []param) string {
	if len(run) == 1 {
		return run[0].give()
	}
	method := together[run[0].kind]
	var args []string
	for _, p := range run {
		args = append(args, fmt.Sprintf(method[1], p.name))
	}
	return fmt.Sprintf("call.%s(%s)", method[0], strings.Join(args, ", "))
}

// parameters are those of the function, the type written once where several in a row have it, and its type
// parameters: one for each parameter that takes integers and floats alike.
func parameters(k kernel) (list, types string) {
	var params []param
	for _, p := range k.params {
		if !p.Constexpr {
			params = append(params, p)
		}
	}
	var b strings.Builder
	var numbers []string
	for i, p := range params {
		b.WriteString(", " + p.name)
		if p.kind == number {
			t := fmt.Sprintf("T%d", len(numbers)+1)
			numbers = append(numbers, t)
			b.WriteString(" " + t)
		} else if i+1 == len(params) || params[i+1].goType() != p.goType() {
			b.WriteString(" " + p.goType())
		}
	}
	if len(numbers) > 0 {
		types = "[" + strings.Join(numbers, ", ") + " genrt.Number]"
	}
	return b.String(), types
}

func (g *generator) comment(name string, k kernel) {
	g.printf("// %s launches %s", name, k.name)
	if k.tuned {
		g.printf(" with what its decorators choose")
	}
	g.printf(".")
	if k.doc == "" {
		g.printf(" A nil stream is one of the best device, waited for.\n")
		return
	}
	g.printf("\n//\n")
	for _, line := range strings.Split(k.doc, "\n") {
		g.printf("%s\n", strings.TrimRight("// "+strings.TrimSpace(line), " "))
	}
}

// fileName returns the name of the variable for the file.
func (g *generator) fileName() string { return Exported(path.Base(g.name)) }

// embedded writes the source, and what it imports.
func (g *generator) embedded() {
	base := g.o.Path
	if base == "" {
		base = path.Base(g.name)
	}
	files := maps.Clone(g.o.Files)
	if files == nil {
		files = map[string]string{}
	}
	files[base] = string(g.src)
	g.printf("// %s is %s: its Load sets a configuration, its Module is what the functions launch "+
		"kernels of.\n", g.fileName(), path.Base(g.name))
	g.printf("var %s = genrt.File{Name: %q, Sources: genrt.Sources{\n", g.fileName(), base)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		g.printf("%q: %s,\n", name, literal(files[name]))
	}
	g.printf("}}\n")
}

// literal is a string as people can read it.
func literal(s string) string {
	if strings.ContainsAny(s, "`\r") || strings.Contains(s, "\ufeff") ||
		!strconv.CanBackquote(strings.ReplaceAll(s, "\n", "")) {
		return strconv.Quote(s)
	}
	return "`" + s + "`"
}
