package pyrun

import "strings"

// Modules of which only so much is here that files which use them at the top can be evaluated.

func miscModules() map[string]func(in *Interp) map[string]Value {
	return map[string]func(in *Interp) map[string]Value{
		"ast":      astModule,
		"argparse": func(*Interp) map[string]Value { return argparseModule() }, "traceback": fixed(tracebackModule), "atexit": fixed(func() map[string]Value {
			return named(map[string]Value{}, same("register"), nothing("unregister"))
		}),
		"weakref": fixed(func() map[string]Value {
			return named(map[string]Value{"WeakValueDictionary": dictClass, "WeakKeyDictionary": dictClass, "WeakSet": setClass}, same("ref"), same("proxy"))
		}),
		"gc": fixed(func() map[string]Value {
			return named(map[string]Value{}, nothing("collect"), nothing("enable"), nothing("disable"))
		}),
	}
}

func tracebackModule() map[string]Value {
	return named(map[string]Value{}, constant0("format_exc", Str("")), nothing("print_exc"), nothing("print_stack"),
		&Builtin{Name: "format_stack", Fn: func(*Interp, []Value, []Keyword) (Value, error) { return &List{}, nil }},
		&Builtin{Name: "extract_stack", Fn: func(*Interp, []Value, []Keyword) (Value, error) { return &List{}, nil }})
}

// argparseModule has parsers of an empty command line: every argument has its default.
func argparseModule() map[string]Value {
	return named(map[string]Value{"Namespace": simpleNamespace(), "ArgumentDefaultsHelpFormatter": &typing{name: "HelpFormatter"},
		"RawTextHelpFormatter": &typing{name: "HelpFormatter"}, "SUPPRESS": Str("==SUPPRESS==")},
		native("ArgumentParser", "*args **kws", func(*Interp, []Value) (Value, error) { return &argParser{NewDict()}, nil }))
}

type argParser struct{ defaults *Dict }

func (*argParser) TypeName() string { return "ArgumentParser" }

func (p *argParser) Attr(_ *Interp, name string) (Value, bool, error) {
	switch name {
	case "add_argument":
		return native(name, "*flags **kws", p.add), true, nil
	case "add_argument_group", "add_mutually_exclusive_group":
		return constant0(name, p), true, nil
	case "set_defaults":
		return native(name, "**kws", func(in *Interp, a []Value) (Value, error) { return None, in.updateDict(p.defaults, a[0]) }), true, nil
	case "parse_args":
		return native(name, "args= namespace=", p.parse), true, nil
	case "parse_known_args":
		return native(name, "args= namespace=", func(in *Interp, a []Value) (Value, error) {
			v, err := p.parse(in, a)
			return NewTuple(v, &List{}), err
		}), true, nil
	case "error", "exit", "print_help":
		return nothing(name), true, nil
	}
	return nil, false, nil
}

func (p *argParser) parse(*Interp, []Value) (Value, error) {
	ns := &namespace{"Namespace", map[string]Value{}}
	for k, v := range p.defaults.All() {
		ns.attrs[plainStr(k)] = v
	}
	return ns, nil
}

func (p *argParser) add(_ *Interp, a []Value) (Value, error) {
	kws := a[1].(*Dict)
	name := ""
	for _, f := range a[0].(*Tuple).Items {
		s, err := text(f)
		if err != nil {
			return nil, err
		}
		if name == "" || strings.HasPrefix(s, "--") && !strings.HasPrefix(name, "--") {
			name = s
		}
	}
	if dest, ok := kws.GetStr("dest"); ok {
		name = plainStr(dest)
	}
	v, given := kws.GetStr("default")
	if !given {
		v = None
		switch plainStr(orNone(kws.mustStr("action"))) {
		case "store_true":
			v = Bool(false)
		case "store_false":
			v = Bool(true)
		}
	}
	p.defaults.SetStr(strings.ReplaceAll(strings.TrimLeft(name, "-"), "-", "_"), v)
	return None, nil
}

// astModule has of Python's own syntax trees only what code does with them unseen.
func astModule(*Interp) map[string]Value {
	return named(map[string]Value{},
		native("parse", "source filename= mode= **kws", ParseText),
		native("literal_eval", "text", EvalLiteral))
}
