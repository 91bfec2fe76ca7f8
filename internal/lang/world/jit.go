package world

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/signature"
)

// JITFunction is a function under @triton.jit.
type JITFunction struct {
	Func     *pyrun.Func
	Params   []Param
	NoInline bool
	Debug    bool
	MustUse  string       // why its result must be used, or ""
	Repr     object.Value // repr=, or nil
	Metadata object.Value // launch_metadata=, or nil
	Wrappers []Wrapper    // autotune, heuristics and the like around it, innermost first
	Gluon    bool         // under @gluon.jit
	Foreign  bool         // decorators of other packages are around it, which were passed over
}

// Wrapper is a decorator around a jit function that launches look at. Its arguments are evaluated only when
// they are asked for: compiling for given constants needs none of them.
type Wrapper struct {
	Kind string // "autotune" or "heuristics"
	Call *python.Call
	Eval func(python.Expr) (object.Value, error)
}

// Param is a parameter of a jit function.
type Param struct {
	Name      string
	Constexpr bool
	Type      string // the scalar or pointer type that the annotation fixes, "i64", "*fp16", or ""
	Const     bool   // a pointer that is only read
	Default   object.Value
	Pos       diag.Span

	Var bool // *name: a tuple of all further arguments

	NoSpecialize, NoAlign bool // do_not_specialize, do_not_specialize_on_alignment
}

func (*JITFunction) TypeName() string { return "JITFunction" }

// ReprText returns the text that Triton prints for a jit function.
func (f *JITFunction) ReprText() string {
	return "JITFunction(" + f.Func.Module.Name + ":" + f.Func.QualName + ")"
}

// Str returns the text of a jit function in mangled names.
func (f *JITFunction) Str() string { return f.ReprText() }

// FullName returns the function's name after its module's.
func (f *JITFunction) FullName() string { return f.Func.Module.Name + "." + f.Func.QualName }

// Attr returns an attribute that host code reads from a jit function.
func (f *JITFunction) Attr(in *object.Interp, name string) (object.Value, bool, error) {
	switch name {
	case "__name__", "_fn_name":
		return object.Str(f.Func.Name), true, nil
	case "__qualname__":
		return object.Str(f.Func.QualName), true, nil
	case "__module__":
		return object.Str(f.Func.Module.Name), true, nil
	case "fn":
		return f, true, nil
	case "run", "warmup", "preload", "add_pre_run_hook":
		return native(name, nothing), true, nil
	case "arg_names":
		l := &object.List{}
		for _, p := range f.Params {
			l.Items = append(l.Items, object.Str(p.Name))
		}
		return l, true, nil
	case "configs":
		if w := f.autotune(); w != nil {
			v, err := w.argument("configs", 0)
			return v, v != nil, err
		}
	}
	if f.Foreign && !strings.HasPrefix(name,
		"__") { // a method of what another package's decorator made of it
		return native(name, nothing), true, nil
	}
	return nil, false, nil
}

// autotune returns the outermost decorator of that name, or nil.
func (f *JITFunction) autotune() *Wrapper {
	for i := len(f.Wrappers) - 1; i >= 0; i-- {
		if f.Wrappers[i].Kind == "autotune" {
			return &f.Wrappers[i]
		}
	}
	return nil
}

// argument returns the value of an argument of the decorator; nil if it is not given.
func (w *Wrapper) argument(name string, at int) (object.Value, error) {
	for _, k := range w.Call.Keywords {
		if k.Arg == name {
			return w.Eval(k.Value)
		}
	}
	if at < len(w.Call.Args) {
		return w.Eval(w.Call.Args[at])
	}
	return nil, nil
}

// Item returns kernel[grid]: a launch in host code that runs when its file is loaded. The function that it
// returns launches nothing, since kernels are only compiled here.
func (f *JITFunction) Item(in *object.Interp, grid object.Value) (object.Value, error) {
	return native(f.Func.Name, nothing), nil
}

// HashKey lets jit functions be keys, by identity.
func (f *JITFunction) HashKey() (any, error) { return f, nil }

// newJIT wraps a function; opts are the keyword arguments of @triton.jit. varArgs says whether *args is a
// parameter.
func newJIT(fn *pyrun.Func, opts []object.Keyword, varArgs bool) (*JITFunction, error) {
	if fn.Def == nil {
		return nil, fmt.Errorf("@triton.jit needs a function defined by def")
	}
	j := &JITFunction{Func: fn}
	args := fn.Def.Args
	all := append(append([]*python.Arg(nil), args.PosOnlyArgs...), args.Args...)
	if args.Vararg != nil && varArgs {
		all = append(all, args.Vararg)
	}
	all = append(all, args.KwOnlyArgs...)
	firstDefault := len(args.PosOnlyArgs) + len(args.Args) - len(fn.Defaults)
	file := fn.Module.Syntax.File
	for i, a := range all {
		p := Param{Name: a.Arg, Pos: a.Span()}
		p.annotate(file, a.Annotation)
		if i >= firstDefault && i-firstDefault < len(fn.Defaults) {
			p.Default = Unwrap(fn.Defaults[i-firstDefault])
		}
		if a == args.Vararg {
			p.Var, p.Default = true, object.NewTuple()
		}
		if d, ok := fn.KwDefs[a.Arg]; ok {
			p.Default = Unwrap(d)
		}
		j.Params = append(j.Params, p)
	}
	for _, k := range opts {
		if err := j.option(k.Name, k.Value); err != nil {
			return nil, err
		}
	}
	return j, nil
}

func (f *JITFunction) option(name string, v object.Value) error {
	switch name {
	case "noinline":
		f.NoInline = IsTrue(v)
	case "debug":
		f.Debug = IsTrue(v)
	case "repr":
		f.Repr = given(v)
	case "launch_metadata":
		f.Metadata = given(v)
	case "do_not_specialize":
		return f.mark(v, func(p *Param) { p.NoSpecialize = true })
	case "do_not_specialize_on_alignment":
		return f.mark(v, func(p *Param) { p.NoAlign = true })
	case "version":
	default:
		e := object.Errorf(object.TypeError, "jit() got an unexpected keyword argument '%s'", name)
		e.Hint = "its options are debug, noinline, repr, do_not_specialize, " +
			"do_not_specialize_on_alignment, launch_metadata, version"
		return e
	}
	return nil
}

// given returns v, or nil for None.
func given(v object.Value) object.Value {
	if v == object.None {
		return nil
	}
	return v
}

// mark calls set for the parameters that a list names, by name or position.
func (f *JITFunction) mark(list object.Value, set func(*Param)) error {
	if list == object.None {
		return nil
	}
	items, err := object.Iterate(scratch(), list)
	if err != nil {
		return err
	}
	for _, item := range items {
		for i := range f.Params {
			n, isInt := object.AsInt64(item)
			if s, ok := item.(object.Str); ok && string(s) == f.Params[i].Name || isInt && int(n) == i {
				set(&f.Params[i])
			}
		}
	}
	return nil
}

// annotate reads the parameter's annotation as text: it may say constexpr, or name a type.
func (p *Param) annotate(file *diag.File, ann python.Expr) {
	if ann == nil {
		return
	}
	text := AnnotationText(file, ann)
	if strings.Contains(text, "constexpr") {
		p.Constexpr = true
		return
	}
	name := text[strings.LastIndex(text, ".")+1:]
	if name == "const" {
		p.Const = true
		return
	}
	p.Type = canonicalType(text)
	p.Const = strings.HasPrefix(p.Type, "*k")
}

// AnnotationText returns the source text of an annotation, or the text inside a string annotation.
func AnnotationText(file *diag.File, ann python.Expr) string {
	if c, ok := ann.(*python.Constant); ok {
		if s, ok := c.Value.(string); ok {
			return strings.TrimSpace(s)
		}
	}
	span := ann.Span()
	return string(file.Src[file.Offset(span.Start):file.Offset(span.End)])
}

// IsConstexprAnnotation reports whether an annotation says constexpr.
func IsConstexprAnnotation(file *diag.File, ann python.Expr) bool {
	return strings.Contains(AnnotationText(file, ann), "constexpr")
}

// canonicalType returns Triton's name for the type that an annotation names, or "".
func canonicalType(text string) string {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "const "); ok {
		if t := canonicalType(rest); strings.HasPrefix(t, "*") {
			return "*k" + t[1:]
		}
		return ""
	}
	if rest, ok := strings.CutSuffix(text, "*"); ok {
		text = "*" + rest
	}
	if rest, ok := strings.CutPrefix(text, "*"); ok {
		if t := canonicalType(rest); t != "" {
			return "*" + t
		}
		return ""
	}
	text = text[strings.LastIndex(text, ".")+1:]
	t, _ := dtype.Parse(strings.TrimSuffix(text, "_t"))
	return signature.CanonicalName(t)
}

// Bind matches arguments with parameters, as a call of the function in Python would. omitted marks the
// parameters that take their default.
func (f *JITFunction) Bind(args []object.Value, kws []object.Keyword) (out []object.Value, omitted []bool,
	err error) {
	out, omitted = make([]object.Value, len(f.Params)), make([]bool, len(f.Params))
	if i := slices.IndexFunc(f.Params, func(p Param) bool { return p.Var }); i >= 0 && len(args) > i {
		args = append(slices.Clone(args[:i]), object.NewTuple(slices.Clone(args[i:])...))
	}
	if len(args) > len(f.Params) {
		return nil, nil, f.badCall("", "%s() takes %s, but %d were given", f.Func.Name,
			sem.Count(len(f.Params), "argument"), len(args))
	}
	copy(out, args)
	for _, k := range kws {
		i := f.ParamIndex(k.Name)
		switch {
		case i < 0:
			err := f.badCall(k.Name, "%s() got an unexpected keyword argument '%s'", f.Func.Name, k.Name)
			if in, ok := strings.CutPrefix(f.Func.Module.Name, "triton.language."); ok {
				err.Hint = cmp.Or(sem.ParamHint(in, f.Func.Name, k.Name), err.Hint)
			}
			return nil, nil, err
		case out[i] != nil:
			return nil, nil, f.badCall(k.Name, "%s() got multiple values for argument '%s'", f.Func.Name,
				k.Name)
		}
		out[i] = k.Value
	}
	for i, p := range f.Params {
		if out[i] == nil {
			out[i], omitted[i] = p.Default, true
		}
		if out[i] == nil {
			return nil, nil, f.badCall("", "%s() is missing its argument '%s'", f.Func.Name, p.Name)
		}
	}
	return out, omitted, nil
}

// badCall returns the error of a call whose arguments do not fit.
func (f *JITFunction) badCall(param, format string, args ...any) *sem.Error {
	list := make([]string, len(f.Params))
	for i, p := range f.Params {
		list[i] = p.Name
		if p.Default != nil {
			list[i] += "=" + Repr(p.Default)
		}
	}
	return &sem.Error{Code: sem.CodeArgs, Param: param, Msg: fmt.Sprintf(format, args...),
		Hint: "its parameters are (" + strings.Join(list, ", ") + ")"}
}

// ParamIndex returns the position of the parameter of that name, or -1.
func (f *JITFunction) ParamIndex(name string) int {
	for i, p := range f.Params {
		if p.Name == name {
			return i
		}
	}
	return -1
}
