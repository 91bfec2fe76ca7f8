package std

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// Modules that are here only as far as files use them at their top.

func miscModules() map[string]func(in *object.Interp) map[string]object.Value {
	return map[string]func(in *object.Interp) map[string]object.Value{
		"ast": astModule,
		"argparse": func(*object.Interp) map[string]object.Value {
			return argparseModule()
		}, "traceback": fixed(tracebackModule), "atexit": fixed(func() map[string]object.Value {
			return named(map[string]object.Value{}, same("register"), nothing("unregister"))
		}),
		"weakref": fixed(func() map[string]object.Value {
			return named(map[string]object.Value{"WeakValueDictionary": object.DictClass,
				"WeakKeyDictionary": object.DictClass, "WeakSet": object.SetClass}, same("ref"),
				same("proxy"))
		}),
		"gc": fixed(func() map[string]object.Value {
			return named(map[string]object.Value{}, nothing("collect"), nothing("enable"), nothing("disable"))
		}),
	}
}

func tracebackModule() map[string]object.Value {
	return named(map[string]object.Value{}, constant0("format_exc", object.Str("")), nothing("print_exc"),
		nothing("print_stack"),
		&object.Builtin{Name: "format_stack",
			Fn: func(*object.Interp, []object.Value, []object.Keyword) (object.Value, error) {
				return &object.List{}, nil
			}},
		&object.Builtin{Name: "extract_stack",
			Fn: func(*object.Interp, []object.Value, []object.Keyword) (object.Value, error) {
				return &object.List{}, nil
			}})
}

// argparseModule has parsers of an empty command line: every argument has its default.
func argparseModule() map[string]object.Value {
	return named(map[string]object.Value{"Namespace": simpleNamespace(),
		"ArgumentDefaultsHelpFormatter": &object.Typing{Name: "HelpFormatter"},
		"RawTextHelpFormatter":          &object.Typing{Name: "HelpFormatter"},
		"SUPPRESS":                      object.Str("==SUPPRESS==")},
		object.Native("ArgumentParser", "*args **kws",
			func(*object.Interp, []object.Value) (object.Value, error) {
				return &argParser{object.NewDict()}, nil
			}))
}

type argParser struct{ defaults *object.Dict }

func (*argParser) TypeName() string { return "ArgumentParser" }

func (p *argParser) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	switch name {
	case "add_argument":
		return object.Native(name, "*flags **kws", p.add), true, nil
	case "add_argument_group", "add_mutually_exclusive_group":
		return constant0(name, p), true, nil
	case "set_defaults":
		return object.Native(name, "**kws", func(in *object.Interp, a []object.Value) (object.Value, error) {
			return object.None, in.UpdateDict(p.defaults, a[0])
		}), true, nil
	case "parse_args":
		return object.Native(name, "args= namespace=", p.parse), true, nil
	case "parse_known_args":
		return object.Native(name, "args= namespace=",
			func(in *object.Interp, a []object.Value) (object.Value, error) {
				v, err := p.parse(in, a)
				return object.NewTuple(v, &object.List{}), err
			}), true, nil
	case "error", "exit", "print_help":
		return nothing(name), true, nil
	}
	return nil, false, nil
}

func (p *argParser) parse(*object.Interp, []object.Value) (object.Value, error) {
	ns := &object.Namespace{Name: "Namespace", Attrs: map[string]object.Value{}}
	for k, v := range p.defaults.All() {
		ns.Attrs[object.PlainStr(k)] = v
	}
	return ns, nil
}

func (p *argParser) add(_ *object.Interp, a []object.Value) (object.Value, error) {
	kws := a[1].(*object.Dict)
	name := ""
	for _, f := range a[0].(*object.Tuple).Items {
		s, err := object.Text(f)
		if err != nil {
			return nil, err
		}
		if name == "" || strings.HasPrefix(s, "--") && !strings.HasPrefix(name, "--") {
			name = s
		}
	}
	if dest, ok := kws.GetStr("dest"); ok {
		name = object.PlainStr(dest)
	}
	v, given := kws.GetStr("default")
	if !given {
		v = object.None
		switch object.PlainStr(object.OrNone(kws.MustStr("action"))) {
		case "store_true":
			v = object.Bool(false)
		case "store_false":
			v = object.Bool(true)
		}
	}
	p.defaults.SetStr(strings.ReplaceAll(strings.TrimLeft(name, "-"), "-", "_"), v)
	return object.None, nil
}

// astModule has the functions of module ast that need no syntax tree of Python's own.
func astModule(*object.Interp) map[string]object.Value {
	return named(map[string]object.Value{},
		object.Native("parse", "source filename= mode= **kws", pyrun.ParseText),
		object.Native("literal_eval", "text", pyrun.EvalLiteral))
}
