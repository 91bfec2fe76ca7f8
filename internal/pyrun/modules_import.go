package pyrun

import (
	"regexp"
	"strings"

	"github.com/nereid-lang/nereid/internal/python"
)

func importlibModule(in *Interp) map[string]Value {
	return named(map[string]Value{"util": From(in).LibraryModule("importlib.util"), "metadata": From(in).LibraryModule("importlib.metadata")},
		native("import_module", "name package=", func(in *Interp, a []Value) (Value, error) {
			name, err := text(a[0])
			if err != nil {
				return nil, err
			}
			return From(in).Import(From(in).Caller(), name, in.Site)
		}),
		same("reload"), nothing("invalidate_caches"))
}

func importlibMetadata(*Interp) map[string]Value {
	notFound := newBuiltinClass("PackageNotFoundError", ModuleNotFoundError)
	empty := &Builtin{Name: "entry_points", Fn: func(*Interp, []Value, []Keyword) (Value, error) { return &List{}, nil }}
	return named(map[string]Value{"PackageNotFoundError": notFound}, empty, native("version", "name", func(in *Interp, a []Value) (Value, error) {
		name, err := text(a[0])
		if err != nil {
			return nil, err
		}
		if m, ok := From(in).Registered(name); ok {
			if v, ok, err := m.Get(in, "__version__"); ok || err != nil {
				return plainText(in, v, err)
			}
		}
		if m := From(in).SourceModule(From(in).Caller(), strings.ReplaceAll(name, "-", "_")); m != nil { // installed, since it is here
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
		is("isgenerator", func(v Value) bool { _, ok := v.(Generator); return ok }),
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
			for _, p := range append(append([]*python.Arg{}, f.Params().PosOnlyArgs...), f.Params().Args...) {
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
