package std

import (
	"regexp"
	"strings"

	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

func importlibModule(in *object.Interp) map[string]object.Value {
	return named(map[string]object.Value{"util": pyrun.From(in).LibraryModule("importlib.util"),
		"metadata": pyrun.From(in).LibraryModule("importlib.metadata")},
		object.Native("import_module", "name package=",
			func(in *object.Interp, a []object.Value) (object.Value, error) {
				name, err := object.Text(a[0])
				if err != nil {
					return nil, err
				}
				return pyrun.From(in).Import(pyrun.From(in).Caller(), name, in.Site)
			}),
		same("reload"), nothing("invalidate_caches"))
}

func importlibMetadata(*object.Interp) map[string]object.Value {
	notFound := object.NewBuiltinClass("PackageNotFoundError", object.ModuleNotFoundError)
	empty := &object.Builtin{Name: "entry_points",
		Fn: func(*object.Interp, []object.Value, []object.Keyword) (object.Value, error) {
			return &object.List{}, nil
		}}
	return named(map[string]object.Value{"PackageNotFoundError": notFound}, empty,
		object.Native("version", "name", func(in *object.Interp, a []object.Value) (object.Value, error) {
			name, err := object.Text(a[0])
			if err != nil {
				return nil, err
			}
			if m, ok := pyrun.From(in).Registered(name); ok {
				if v, ok, err := m.Get(in, "__version__"); ok || err != nil {
					return plainText(in, v, err)
				}
			}
			if m := pyrun.From(in).SourceModule(pyrun.From(in).Caller(),
				strings.ReplaceAll(name, "-", "_")); m != nil { // installed, since it is here
				if v, ok, err := m.Get(in, "__version__"); ok && err == nil && v.TypeName() == "str" {
					return v, nil
				}
				return object.Str("0.0.0"), nil
			}
			return nil, &object.Exception{Class: notFound, Args: []object.Value{object.Str(name)}}
		}))
}

// plainText returns str(v), or err where that is set.
func plainText(in *object.Interp, v object.Value, err error) (object.Value, error) {
	if err != nil {
		return nil, err
	}
	s, err := object.ToStr(in, v)
	return object.Str(s), err
}

func inspectModule() map[string]object.Value {
	is := func(name string, f func(v object.Value) bool) *object.Builtin {
		return object.Native(name, "obj", func(_ *object.Interp, a []object.Value) (object.Value, error) {
			return object.Bool(f(a[0])), nil
		})
	}
	isFunc := func(v object.Value) bool { _, ok := v.(*pyrun.Func); return ok }
	return named(map[string]object.Value{"Parameter": parameterKinds()},
		is("isfunction", isFunc),
		is("isclass", object.IsType),
		is("ismodule", func(v object.Value) bool { _, ok := v.(*pyrun.Module); return ok }),
		is("ismethod", func(v object.Value) bool { _, ok := v.(*object.BoundMethod); return ok }),
		is("isbuiltin", func(v object.Value) bool { _, ok := v.(*object.Builtin); return ok }),
		is("isgenerator", func(v object.Value) bool { _, ok := v.(object.Generator); return ok }),
		is("isroutine", func(v object.Value) bool {
			switch v.(type) {
			case *pyrun.Func, *object.Builtin, *object.BoundMethod, *object.Method:
				return true
			}
			return false
		}),
		object.Native("signature", "fn", signatureOf),
		object.Native("getfullargspec", "fn", func(_ *object.Interp, a []object.Value) (object.Value, error) {
			f, ok := a[0].(*pyrun.Func)
			if !ok {
				return nil, object.Errorf(object.TypeError, "unsupported callable")
			}
			names := &object.List{}
			for _, p := range append(append([]*python.Arg{}, f.Params().PosOnlyArgs...), f.Params().Args...) {
				names.Items = append(names.Items, object.Str(p.Arg))
			}
			return &object.Namespace{Name: "FullArgSpec",
				Attrs: map[string]object.Value{"args": names,
					"defaults": object.OrNone(tupleOrNil(f.Defaults))}}, nil
		}),
		object.Native("getdoc", "obj", func(in *object.Interp, a []object.Value) (object.Value, error) {
			v, _, err := in.FindAttr(a[0], "__doc__")
			return object.OrNone(v), err
		}),
		object.Refused("getsource", "reads source text"), object.Refused("stack", "looks at the stack"),
		object.Refused("currentframe", "looks at the stack"),
	)
}

func tupleOrNil(items []object.Value) object.Value {
	if items == nil {
		return nil
	}
	return object.NewTuple(items...)
}

func textwrapModule() map[string]object.Value {
	return named(map[string]object.Value{},
		object.Native("dedent", "text", func(_ *object.Interp, a []object.Value) (object.Value, error) {
			s, err := object.Text(a[0])
			return object.Str(dedent(s)), err
		}),
		object.Native("indent", "text prefix",
			func(in *object.Interp, a []object.Value) (object.Value, error) {
				s, err := object.Text(a[0])
				if err != nil {
					return nil, err
				}
				prefix, err := object.Text(a[1])
				if err != nil {
					return nil, err
				}
				lines := strings.SplitAfter(s, "\n")
				for i, l := range lines {
					if strings.TrimFunc(l, object.IsSpace) != "" {
						lines[i] = prefix + l
					}
				}
				out := strings.Join(lines, "")
				return object.Str(out), in.Alloc(len(out))
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
