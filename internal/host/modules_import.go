package host

import (
	"regexp"
	"strings"

	"github.com/nereid-lang/nereid/internal/python"
)

func importlibModule(in *Interp) map[string]Value {
	return named(map[string]Value{"util": in.nativeModule("importlib.util"), "metadata": in.nativeModule("importlib.metadata")},
		native("import_module", "name package=", func(in *Interp, a []Value) (Value, error) {
			name, err := text(a[0])
			if err != nil {
				return nil, err
			}
			return in.Import(in.caller(), name, in.site)
		}),
		same("reload"), nothing("invalidate_caches"))
}

// caller is the module whose code is running, as far as it is a module that is being evaluated.
func (in *Interp) caller() *Module {
	f := in.Files.File(in.site.Start)
	if f == nil {
		return nil
	}
	return in.sources[f.Name]
}

func importlibMetadata(*Interp) map[string]Value {
	notFound := newBuiltinClass("PackageNotFoundError", ModuleNotFoundError)
	empty := &Builtin{Name: "entry_points", Fn: func(*Interp, []Value, []Keyword) (Value, error) { return &List{}, nil }}
	return named(map[string]Value{"PackageNotFoundError": notFound}, empty, native("version", "name", func(in *Interp, a []Value) (Value, error) {
		name, err := text(a[0])
		if err != nil {
			return nil, err
		}
		if in.opts.Known != nil {
			if m, ok := in.opts.Known(name); ok {
				if v, ok, err := m.Get(in, "__version__"); ok || err != nil {
					return plainText(in, v, err)
				}
			}
		}
		if m := in.sourceModule(in.caller(), strings.ReplaceAll(name, "-", "_")); m != nil { // installed, since it is here
			if v, ok, err := m.Get(in, "__version__"); ok && err == nil && v.TypeName() == "str" {
				return v, nil
			}
			return Str("0.0.0"), nil
		}
		return nil, &Exception{Class: notFound, Args: []Value{Str(name)}}
	}))
}

// plainText is str(v).
func plainText(in *Interp, v Value, err error) (Value, error) {
	if err != nil {
		return nil, err
	}
	s, err := ToStr(in, v)
	return Str(s), err
}

func inspectModule() map[string]Value {
	is := func(name string, f func(v Value) bool) *Builtin {
		return native(name, "obj", func(_ *Interp, a []Value) (Value, error) { return Bool(f(a[0])), nil })
	}
	isFunc := func(v Value) bool { _, ok := v.(*Func); return ok }
	return named(map[string]Value{"Parameter": parameterKinds()},
		is("isfunction", isFunc),
		is("isclass", isType),
		is("ismodule", func(v Value) bool { _, ok := v.(*Module); return ok }),
		is("ismethod", func(v Value) bool { _, ok := v.(*BoundMethod); return ok }),
		is("isbuiltin", func(v Value) bool { _, ok := v.(*Builtin); return ok }),
		is("isgenerator", func(v Value) bool { _, ok := v.(*Generator); return ok }),
		is("isroutine", func(v Value) bool {
			switch v.(type) {
			case *Func, *Builtin, *BoundMethod, *method:
				return true
			}
			return false
		}),
		native("signature", "fn", signatureOf),
		native("getfullargspec", "fn", func(_ *Interp, a []Value) (Value, error) {
			f, ok := a[0].(*Func)
			if !ok {
				return nil, Errorf(TypeError, "unsupported callable")
			}
			names := &List{}
			for _, p := range append(append([]*python.Arg{}, f.args().PosOnlyArgs...), f.args().Args...) {
				names.Items = append(names.Items, Str(p.Arg))
			}
			return &namespace{"FullArgSpec", map[string]Value{"args": names, "defaults": orNone(tupleOrNil(f.Defaults))}}, nil
		}),
		native("getdoc", "obj", func(in *Interp, a []Value) (Value, error) {
			v, _, err := in.getAttr(a[0], "__doc__")
			return orNone(v), err
		}),
		refused("getsource", "reads source text"), refused("stack", "looks at the stack"), refused("currentframe", "looks at the stack"),
	)
}

func tupleOrNil(items []Value) Value {
	if items == nil {
		return nil
	}
	return NewTuple(items...)
}

// emptyParam is inspect.Parameter.empty.
var emptyParam = &typing{name: "_empty"}

var paramKinds = []string{"POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD", "VAR_POSITIONAL", "KEYWORD_ONLY", "VAR_KEYWORD"}

func parameterKinds() Value {
	attrs := map[string]Value{"empty": emptyParam}
	for i, k := range paramKinds {
		attrs[k] = MakeInt(int64(i))
	}
	return &namespace{"type", attrs}
}

func signatureOf(in *Interp, a []Value) (Value, error) {
	v := a[0]
	for {
		w, ok := Wrapped(v)
		if !ok {
			break
		}
		v = w
	}
	skip := 0
	if b, ok := v.(*BoundMethod); ok {
		v, skip = b.Fn, 1
	}
	if own, ok, err := in.getAttr(v, "__signature__"); ok || err != nil {
		return own, err
	}
	switch f := v.(type) {
	case *Func:
		return f.signature(skip), nil
	case *Builtin:
		if f.sig != nil {
			return f.sig.object(skip), nil
		}
	case *Unknown:
		return f.derive(".__signature__", true), nil
	}
	return nil, Errorf(TypeError, "no signature found for %s", plainRepr(v))
}

func (f *Func) signature(skip int) Value {
	args := f.args()
	bound := make([]Value, len(ParamNames(args)))
	f.fillDefaults(bound)
	params := NewDict()
	for i, name := range ParamNames(args) {
		if i >= skip {
			params.SetStr(name, parameter(name, bound[i], paramKind(args, i)))
		}
	}
	return &namespace{"Signature", map[string]Value{"parameters": params, "return_annotation": emptyParam}}
}

func (s *signature) object(skip int) Value {
	params := NewDict()
	for i, name := range s.names {
		kind := 1
		switch {
		case i == s.vararg:
			kind = 2
		case i == s.kwarg:
			kind = 4
		case i >= s.pos:
			kind = 3
		}
		var def Value
		if s.optional[i] && kind != 2 && kind != 4 {
			def = None
		}
		if i >= skip {
			params.SetStr(name, parameter(name, def, kind))
		}
	}
	return &namespace{"Signature", map[string]Value{"parameters": params, "return_annotation": emptyParam}}
}

func parameter(name string, def Value, kind int) Value {
	if def == nil {
		def = emptyParam
	}
	return &namespace{"Parameter", map[string]Value{"name": Str(name), "default": def, "kind": MakeInt(int64(kind)), "annotation": emptyParam}}
}

func paramKind(a *python.Arguments, i int) int {
	pos := len(a.PosOnlyArgs) + len(a.Args)
	switch {
	case i < len(a.PosOnlyArgs):
		return 0
	case i < pos:
		return 1
	case i == pos && a.Vararg != nil:
		return 2
	case i < pos+boolInt(a.Vararg != nil)+len(a.KwOnlyArgs):
		return 3
	}
	return 4
}

func textwrapModule() map[string]Value {
	return named(map[string]Value{},
		native("dedent", "text", func(_ *Interp, a []Value) (Value, error) {
			s, err := text(a[0])
			return Str(dedent(s)), err
		}),
		native("indent", "text prefix", func(in *Interp, a []Value) (Value, error) {
			s, err := text(a[0])
			if err != nil {
				return nil, err
			}
			prefix, err := text(a[1])
			if err != nil {
				return nil, err
			}
			lines := strings.SplitAfter(s, "\n")
			for i, l := range lines {
				if strings.TrimFunc(l, isSpace) != "" {
					lines[i] = prefix + l
				}
			}
			out := strings.Join(lines, "")
			return Str(out), in.alloc(len(out))
		}))
}

var leadingSpace = regexp.MustCompile(`(?m)^[ \t]*`)

func dedent(s string) string {
	lines := strings.Split(s, "\n")
	margin, first := "", true
	for i, l := range lines {
		if strings.Trim(l, " \t") == "" {
			lines[i] = ""
			continue
		}
		indent := leadingSpace.FindString(l)
		if first {
			margin, first = indent, false
		}
		for !strings.HasPrefix(indent, margin) {
			margin = margin[:len(margin)-1]
		}
	}
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, margin)
	}
	return strings.Join(lines, "\n")
}
