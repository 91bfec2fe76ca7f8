package pyrun

import (
	"path"
	"strings"
)

func systemModules() map[string]func(in *Interp) map[string]Value {
	return map[string]func(in *Interp) map[string]Value{
		"os": osModule, "os.path": func(in *Interp) map[string]Value { return pathModule() }, "posixpath": func(in *Interp) map[string]Value { return pathModule() },
		"sys": sysModule, "platform": fixed(platformModule), "string": fixed(stringModule),
		"warnings": fixed(warningsModule), "logging": loggingModule, "importlib": importlibModule, "importlib.util": importlibUtil,
		"importlib.metadata": importlibMetadata, "inspect": fixed(inspectModule), "packaging": fixed(nothingThere),
		"packaging.version": fixed(versionModule), "re": fixed(reModule), "textwrap": fixed(textwrapModule), "time": fixed(timeModule),
		"builtins": func(in *Interp) map[string]Value { return BuiltinNames() }, "threading": fixed(threadingModule), "struct": fixed(nothingThere),
	}
}

func nothingThere() map[string]Value { return nil }

func osModule(in *Interp) map[string]Value {
	env := in.Environ()
	vars := map[string]Value{"environ": env, "name": Str("posix"), "sep": Str("/"), "linesep": Str("\n"), "pathsep": Str(":"), "PathLike": &typing{name: "PathLike"}}
	named(vars,
		native("getenv", "key default=", func(in *Interp, a []Value) (Value, error) {
			v, ok, err := env.Get(in, a[0])
			if err != nil || ok {
				return v, err
			}
			return orNone(a[1]), nil
		}),
		native("putenv", "key value", func(in *Interp, a []Value) (Value, error) { return None, env.Set(in, a[0], a[1]) }),
		native("cpu_count", "", func(*Interp, []Value) (Value, error) { return MakeInt(1), nil }),
		native("getpid", "", func(*Interp, []Value) (Value, error) { return MakeInt(1), nil }),
		native("getcwd", "", func(*Interp, []Value) (Value, error) { return Str("/"), nil }),
		native("fspath", "path", func(_ *Interp, a []Value) (Value, error) { return a[0], nil }),
	)
	for _, n := range []string{"listdir", "makedirs", "mkdir", "remove", "rename", "walk", "system", "popen", "stat", "scandir", "unlink"} {
		vars[n] = refused("os."+n, "touches files or processes")
	}
	vars["path"] = From(in).LibraryModule("os.path")
	return vars
}

func pathModule() map[string]Value {
	one := func(name string, f func(s string) Value) *Builtin {
		return native(name, "path", func(_ *Interp, a []Value) (Value, error) {
			s, err := text(a[0])
			if err != nil {
				return nil, err
			}
			return f(s), nil
		})
	}
	no := func(s string) Value { return Bool(false) }
	return named(map[string]Value{"sep": Str("/"), "pardir": Str(".."), "curdir": Str(".")},
		native("join", "*parts", func(in *Interp, a []Value) (Value, error) {
			out := ""
			for _, v := range a[0].(*Tuple).Items {
				s, err := text(v)
				if err != nil {
					return nil, err
				}
				switch {
				case strings.HasPrefix(s, "/") || out == "":
					out = s
				case strings.HasSuffix(out, "/"):
					out += s
				default:
					out += "/" + s
				}
			}
			return Str(out), in.alloc(len(out))
		}),
		one("basename", func(s string) Value { return Str(s[strings.LastIndexByte(s, '/')+1:]) }),
		one("dirname", func(s string) Value { return Str(dirName(s)) }),
		one("abspath", func(s string) Value { return Str(path.Join("/", s)) }),
		one("realpath", func(s string) Value { return Str(path.Join("/", s)) }),
		one("normpath", func(s string) Value { return Str(path.Clean(s)) }),
		one("expanduser", func(s string) Value { return Str(s) }),
		one("expandvars", func(s string) Value { return Str(s) }),
		one("isabs", func(s string) Value { return Bool(strings.HasPrefix(s, "/")) }),
		one("exists", no), one("isfile", no), one("isdir", no), one("islink", no),
		one("split", func(s string) Value { return NewTuple(Str(dirName(s)), Str(s[strings.LastIndexByte(s, '/')+1:])) }),
		one("splitext", func(s string) Value {
			ext := path.Ext(s)
			if base := s[strings.LastIndexByte(s, '/')+1:]; ext == base {
				ext = ""
			}
			return NewTuple(Str(strings.TrimSuffix(s, ext)), Str(ext))
		}),
	)
}

func dirName(s string) string {
	i := strings.LastIndexByte(s, '/')
	if i == 0 {
		return "/"
	}
	return strings.TrimRight(s[:max(i, 0)], "/")
}

// The Python that we say we are: the one that Triton 3.6 is most often run with.
const (
	pythonMajor, pythonMinor, pythonMicro = 3, 11, 7
)

func sysModule(in *Interp) map[string]Value {
	info := &NamedTuple{Name: "sys.version_info", Fields: []string{"major", "minor", "micro", "releaselevel", "serial"}}
	version := &Tuple{Class: info, Items: []Value{MakeInt(pythonMajor), MakeInt(pythonMinor), MakeInt(pythonMicro), Str("final"), MakeInt(0)}}
	return named(map[string]Value{
		"version_info": version, "version": Str("3.11.7 (nereid)"), "platform": Str("linux"), "modules": &loadedModules{}, "maxsize": MakeInt(1<<63 - 1),
		"argv": &List{Items: []Value{Str("")}}, "path": &List{}, "byteorder": Str("little"), "executable": Str(""),
		"hexversion":     MakeInt(pythonMajor<<24 | pythonMinor<<16 | pythonMicro<<8 | 0xf0),
		"implementation": &namespace{"namespace", map[string]Value{"name": Str("cpython"), "cache_tag": Str("cpython-311")}},
		"float_info": &namespace{"float_info", map[string]Value{"max": Float(1.7976931348623157e308), "min": Float(2.2250738585072014e-308),
			"epsilon": Float(2.220446049250313e-16), "dig": MakeInt(15), "mant_dig": MakeInt(53)}},
		"stdout": &namespace{"TextIOWrapper", map[string]Value{"write": nothing("write"), "flush": nothing("flush")}},
		"stderr": &namespace{"TextIOWrapper", map[string]Value{"write": nothing("write"), "flush": nothing("flush")}},
	},
		native("exit", "code=", func(_ *Interp, a []Value) (Value, error) {
			return nil, &Exception{Class: SystemExit, Args: firstArg(a)}
		}),
		native("getsizeof", "obj", func(*Interp, []Value) (Value, error) { return MakeInt(64), nil }),
		native("getrecursionlimit", "", func(in *Interp, _ []Value) (Value, error) { return MakeInt(int64(in.Limits().MaxDepth)), nil }),
		nothing("setrecursionlimit"), same("intern"), nothing("set_int_max_str_digits"),
		native("exc_info", "", func(in *Interp, _ []Value) (Value, error) {
			if e := From(in).Handled(); e != nil {
				return NewTuple(e.Class, e, None), nil
			}
			return NewTuple(None, None, None), nil
		}),
	)
}

// loadedModules is sys.modules.
type loadedModules struct{}

func (*loadedModules) TypeName() string { return "dict" }

func (*loadedModules) find(in *Interp, i Value) (Value, bool) {
	name, ok := i.(Str)
	if !ok {
		return nil, false
	}
	return From(in).Loaded(string(name))
}

func (l *loadedModules) Item(in *Interp, i Value) (Value, error) {
	v, ok := l.find(in, i)
	if !ok {
		return nil, &Exception{Class: KeyError, Args: []Value{i}}
	}
	return v, nil
}

func (l *loadedModules) SetItem(*Interp, Value, Value) error { return nil }

func (l *loadedModules) Contains(in *Interp, x Value) (bool, error) {
	_, ok := l.find(in, x)
	return ok, nil
}

func (l *loadedModules) Attr(_ *Interp, name string) (Value, bool, error) {
	if name != "get" {
		return nil, false, nil
	}
	return native("get", "name default=", func(in *Interp, a []Value) (Value, error) {
		if v, ok := l.find(in, a[0]); ok {
			return v, nil
		}
		return orNone(a[1]), nil
	}), true, nil
}

func constant0(name string, v Value) *Builtin {
	return &Builtin{Name: name, Fn: func(*Interp, []Value, []Keyword) (Value, error) { return v, nil }}
}

func platformModule() map[string]Value {
	return named(map[string]Value{}, constant0("system", Str("Linux")), constant0("machine", Str("x86_64")), constant0("python_version", Str("3.11.7")),
		constant0("node", Str("")), constant0("release", Str("")), constant0("platform", Str("Linux-x86_64")),
		constant0("python_implementation", Str("CPython")), constant0("processor", Str("x86_64")))
}

func stringModule() map[string]Value {
	const lower, digits = "abcdefghijklmnopqrstuvwxyz", "0123456789"
	upper := strings.ToUpper(lower)
	return map[string]Value{"ascii_lowercase": Str(lower), "ascii_uppercase": Str(upper), "ascii_letters": Str(lower + upper), "digits": Str(digits),
		"hexdigits": Str(digits + "abcdefABCDEF"), "octdigits": Str("01234567"), "whitespace": Str(" \t\n\r\v\f"),
		"punctuation": Str("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")}
}

func warningsModule() map[string]Value {
	ctx := &Builtin{Name: "catch_warnings", Fn: func(*Interp, []Value, []Keyword) (Value, error) { return &nullContext{&List{}}, nil }}
	return named(map[string]Value{}, nothing("warn"), nothing("warn_explicit"), nothing("filterwarnings"), nothing("simplefilter"), nothing("resetwarnings"), ctx,
		native("deprecated", "msg **kws", func(*Interp, []Value) (Value, error) { return same("deprecated"), nil }))
}

// logger swallows everything.
type logger struct{ name string }

func (*logger) TypeName() string { return "Logger" }

func (l *logger) Attr(_ *Interp, name string) (Value, bool, error) {
	switch name {
	case "name":
		return Str(l.name), true, nil
	case "level":
		return MakeInt(30), true, nil
	case "handlers":
		return &List{}, true, nil
	case "propagate":
		return Bool(true), true, nil
	case "isEnabledFor":
		return constant0(name, Bool(false)), true, nil
	case "getEffectiveLevel":
		return constant0(name, MakeInt(30)), true, nil
	case "getChild":
		return constant0(name, l), true, nil
	}
	if isDunder(name) {
		return nil, false, nil
	}
	return nothing(name), true, nil
}

func (*logger) SetAttr(*Interp, string, Value) error { return nil }

func loggingModule(*Interp) map[string]Value {
	vars := map[string]Value{"DEBUG": MakeInt(10), "INFO": MakeInt(20), "WARNING": MakeInt(30), "WARN": MakeInt(30), "ERROR": MakeInt(40),
		"CRITICAL": MakeInt(50), "NOTSET": MakeInt(0), "Logger": &typing{name: "Logger"}, "root": &logger{"root"}}
	for _, n := range strings.Fields("debug info warning warn error critical exception log basicConfig disable captureWarnings addLevelName setLoggerClass") {
		vars[n] = nothing(n)
	}
	for _, n := range strings.Fields("StreamHandler FileHandler Formatter NullHandler Handler Filter LoggerAdapter") {
		vars[n] = &Builtin{Name: n, Fn: func(*Interp, []Value, []Keyword) (Value, error) { return &logger{n}, nil }}
	}
	return named(vars, native("getLogger", "name=", func(_ *Interp, a []Value) (Value, error) {
		return &logger{plainStr(orValue(a[0], Str("root")))}, nil
	}))
}

func timeModule() map[string]Value {
	vars := map[string]Value{}
	for _, n := range strings.Fields("time perf_counter monotonic process_time time_ns perf_counter_ns") {
		vars[n] = refused("time."+n, "gives another value each time")
	}
	return named(vars, nothing("sleep"))
}

func threadingModule() map[string]Value {
	lock := &Builtin{Name: "Lock", Fn: func(*Interp, []Value, []Keyword) (Value, error) {
		return &lockObject{}, nil
	}}
	rlock := *lock
	rlock.Name = "RLock"
	return named(map[string]Value{}, lock, &rlock,
		&Builtin{Name: "local", Fn: func(*Interp, []Value, []Keyword) (Value, error) {
			return &Instance{Class: objectClass, Attrs: NewDict()}, nil
		}})
}

// lockObject is a lock that is always free: there is one thread.
type lockObject struct{}

func (*lockObject) TypeName() string { return "lock" }

func (l *lockObject) Attr(_ *Interp, name string) (Value, bool, error) {
	switch name {
	case "acquire":
		return constant0(name, Bool(true)), true, nil
	case "release":
		return nothing(name), true, nil
	case "locked":
		return constant0(name, Bool(false)), true, nil
	}
	return managerAttr(name, func(*Interp) (Value, error) { return Bool(true), nil }, func(*Interp, []Value) (Value, error) { return None, nil })
}

// firstArg is the first argument as a list; empty where it is not given.
func firstArg(a []Value) []Value {
	if a[0] == nil {
		return nil
	}
	return a[:1]
}
