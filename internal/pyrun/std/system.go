package std

import (
	"path"
	"strings"

	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

func systemModules() map[string]func(in *object.Interp) map[string]object.Value {
	return map[string]func(in *object.Interp) map[string]object.Value{
		"os": osModule, "os.path": func(in *object.Interp) map[string]object.Value {
			return pathModule()
		}, "posixpath": func(in *object.Interp) map[string]object.Value { return pathModule() },
		"sys": sysModule, "platform": fixed(platformModule), "string": fixed(stringModule),
		"warnings": fixed(warningsModule), "logging": loggingModule, "importlib": importlibModule,
		"importlib.util":     importlibUtil,
		"importlib.metadata": importlibMetadata, "inspect": fixed(inspectModule),
		"packaging":         fixed(nothingThere),
		"packaging.version": fixed(versionModule), "re": fixed(reModule), "textwrap": fixed(textwrapModule),
		"time": fixed(timeModule),
		"builtins": func(in *object.Interp) map[string]object.Value {
			return pyrun.BuiltinNames()
		}, "threading": fixed(threadingModule),
		"queue": fixed(queueModule), "subprocess": fixed(subprocessModule), "struct": fixed(nothingThere),
	}
}

func nothingThere() map[string]object.Value { return nil }

func osModule(in *object.Interp) map[string]object.Value {
	env := in.Environ()
	vars := map[string]object.Value{"environ": env, "name": object.Str("posix"), "sep": object.Str("/"),
		"linesep": object.Str("\n"), "pathsep": object.Str(":"), "PathLike": &object.Typing{Name: "PathLike"}}
	named(vars,
		object.Native("getenv", "key default=",
			func(in *object.Interp, a []object.Value) (object.Value, error) {
				v, ok, err := env.Get(in, a[0])
				if err != nil || ok {
					return v, err
				}
				return object.OrNone(a[1]), nil
			}),
		object.Native("putenv", "key value", func(in *object.Interp, a []object.Value) (object.Value, error) {
			return object.None, env.Set(in, a[0], a[1])
		}),
		object.Native("cpu_count", "", func(*object.Interp, []object.Value) (object.Value, error) {
			return object.MakeInt(1), nil
		}),
		object.Native("getpid", "", func(*object.Interp, []object.Value) (object.Value, error) {
			return object.MakeInt(1), nil
		}),
		object.Native("getcwd", "", func(*object.Interp, []object.Value) (object.Value, error) {
			return object.Str("/"), nil
		}),
		object.Native("fspath", "path", func(_ *object.Interp, a []object.Value) (object.Value, error) {
			return a[0], nil
		}),
	)
	for _, n := range []string{"listdir", "makedirs", "mkdir", "remove", "rename", "walk", "system", "popen",
		"stat", "scandir", "unlink"} {
		vars[n] = object.Refused("os."+n, "touches files or processes")
	}
	vars["path"] = pyrun.From(in).LibraryModule("os.path")
	return vars
}

func pathModule() map[string]object.Value {
	one := func(name string, f func(s string) object.Value) *object.Builtin {
		return object.Native(name, "path", func(_ *object.Interp, a []object.Value) (object.Value, error) {
			s, err := object.Text(a[0])
			if err != nil {
				return nil, err
			}
			return f(s), nil
		})
	}
	no := func(s string) object.Value { return object.Bool(false) }
	return named(map[string]object.Value{"sep": object.Str("/"), "pardir": object.Str(".."),
		"curdir": object.Str(".")},
		object.Native("join", "*parts", func(in *object.Interp, a []object.Value) (object.Value, error) {
			out := ""
			for _, v := range a[0].(*object.Tuple).Items {
				s, err := object.Text(v)
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
			return object.Str(out), in.Alloc(len(out))
		}),
		one("basename", func(s string) object.Value {
			return object.Str(s[strings.LastIndexByte(s, '/')+1:])
		}),
		one("dirname", func(s string) object.Value { return object.Str(dirName(s)) }),
		one("abspath", func(s string) object.Value { return object.Str(absolute(s)) }),
		one("realpath", func(s string) object.Value { return object.Str(absolute(s)) }),
		one("normpath", func(s string) object.Value { return object.Str(path.Clean(s)) }),
		one("expanduser", func(s string) object.Value { return object.Str(s) }),
		one("expandvars", func(s string) object.Value { return object.Str(s) }),
		one("isabs", func(s string) object.Value { return object.Bool(strings.HasPrefix(s, "/")) }),
		one("exists", no), one("isfile", no), one("isdir", no), one("islink", no),
		one("split", func(s string) object.Value {
			return object.NewTuple(object.Str(dirName(s)), object.Str(s[strings.LastIndexByte(s, '/')+1:]))
		}),
		one("splitext", func(s string) object.Value {
			ext := path.Ext(s)
			if base := s[strings.LastIndexByte(s, '/')+1:]; ext == base {
				ext = ""
			}
			return object.NewTuple(object.Str(strings.TrimSuffix(s, ext)), object.Str(ext))
		}),
	)
}

// absolute returns a path with a slash before it. One that leads out of the working folder keeps its first
// "..", so that it can be told what it was: see pyrun's search of sys.path.
func absolute(s string) string {
	if s = path.Clean(s); strings.HasPrefix(s, "../") {
		return "/" + s
	}
	return path.Join("/", s)
}

func dirName(s string) string {
	i := strings.LastIndexByte(s, '/')
	if i == 0 {
		return "/"
	}
	return strings.TrimRight(s[:max(i, 0)], "/")
}

// The release of Python that sys.version_info shows: the one that Triton 3.6 is most often run with.
const (
	pythonMajor, pythonMinor, pythonMicro = 3, 11, 7
)

func sysModule(in *object.Interp) map[string]object.Value {
	info := &object.NamedTuple{Name: "sys.version_info",
		Fields: []string{"major", "minor", "micro", "releaselevel", "serial"}}
	version := &object.Tuple{Class: info,
		Items: []object.Value{object.MakeInt(pythonMajor), object.MakeInt(pythonMinor),
			object.MakeInt(pythonMicro), object.Str("final"), object.MakeInt(0)}}
	return named(map[string]object.Value{
		"version_info": version, "version": object.Str("3.11.7 (nereid)"), "platform": object.Str("linux"),
		"modules": &loadedModules{}, "maxsize": object.MakeInt(1<<63 - 1),
		"argv": &object.List{Items: []object.Value{object.Str("")}}, "path": &object.List{},
		"byteorder": object.Str("little"), "executable": object.Str(""),
		"hexversion": object.MakeInt(pythonMajor<<24 | pythonMinor<<16 | pythonMicro<<8 | 0xf0),
		"implementation": &object.Namespace{Name: "namespace",
			Attrs: map[string]object.Value{"name": object.Str("cpython"),
				"cache_tag": object.Str("cpython-311")}},
		"float_info": &object.Namespace{Name: "float_info",
			Attrs: map[string]object.Value{"max": object.Float(1.7976931348623157e308),
				"min":     object.Float(2.2250738585072014e-308),
				"epsilon": object.Float(2.220446049250313e-16), "dig": object.MakeInt(15),
				"mant_dig": object.MakeInt(53)}},
		"stdout": &object.Namespace{Name: "TextIOWrapper",
			Attrs: map[string]object.Value{"write": nothing("write"), "flush": nothing("flush")}},
		"stderr": &object.Namespace{Name: "TextIOWrapper",
			Attrs: map[string]object.Value{"write": nothing("write"), "flush": nothing("flush")}},
	},
		object.Native("exit", "code=", func(_ *object.Interp, a []object.Value) (object.Value, error) {
			return nil, &object.Exception{Class: object.SystemExit, Args: firstArg(a)}
		}),
		object.Native("getsizeof", "obj", func(*object.Interp, []object.Value) (object.Value, error) {
			return object.MakeInt(64), nil
		}),
		object.Native("getrecursionlimit", "",
			func(in *object.Interp, _ []object.Value) (object.Value, error) {
				return object.MakeInt(int64(in.Limits().MaxDepth)), nil
			}),
		nothing("setrecursionlimit"), same("intern"), nothing("set_int_max_str_digits"),
		object.Native("exc_info", "", func(in *object.Interp, _ []object.Value) (object.Value, error) {
			if e := pyrun.From(in).Handled(); e != nil {
				return object.NewTuple(e.Class, e, object.None), nil
			}
			return object.NewTuple(object.None, object.None, object.None), nil
		}),
	)
}

// loadedModules is sys.modules.
type loadedModules struct{}

func (*loadedModules) TypeName() string { return "dict" }

func (*loadedModules) find(in *object.Interp, i object.Value) (object.Value, bool) {
	name, ok := i.(object.Str)
	if !ok {
		return nil, false
	}
	return pyrun.From(in).Loaded(string(name))
}

func (l *loadedModules) Item(in *object.Interp, i object.Value) (object.Value, error) {
	v, ok := l.find(in, i)
	if !ok {
		return nil, &object.Exception{Class: object.KeyError, Args: []object.Value{i}}
	}
	return v, nil
}

func (l *loadedModules) SetItem(*object.Interp, object.Value, object.Value) error { return nil }

func (l *loadedModules) Contains(in *object.Interp, x object.Value) (bool, error) {
	_, ok := l.find(in, x)
	return ok, nil
}

func (l *loadedModules) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	if name != "get" {
		return nil, false, nil
	}
	return object.Native("get", "name default=",
		func(in *object.Interp, a []object.Value) (object.Value, error) {
			if v, ok := l.find(in, a[0]); ok {
				return v, nil
			}
			return object.OrNone(a[1]), nil
		}), true, nil
}

func constant0(name string, v object.Value) *object.Builtin {
	return &object.Builtin{Name: name,
		Fn: func(*object.Interp, []object.Value, []object.Keyword) (object.Value, error) { return v, nil }}
}

func platformModule() map[string]object.Value {
	return named(map[string]object.Value{}, constant0("system", object.Str("Linux")),
		constant0("machine", object.Str("x86_64")), constant0("python_version", object.Str("3.11.7")),
		constant0("node", object.Str("")), constant0("release", object.Str("")),
		constant0("platform", object.Str("Linux-x86_64")),
		constant0("python_implementation", object.Str("CPython")),
		constant0("processor", object.Str("x86_64")))
}

func stringModule() map[string]object.Value {
	const lower, digits = "abcdefghijklmnopqrstuvwxyz", "0123456789"
	upper := strings.ToUpper(lower)
	return map[string]object.Value{"ascii_lowercase": object.Str(lower), "ascii_uppercase": object.Str(upper),
		"ascii_letters": object.Str(lower + upper), "digits": object.Str(digits),
		"hexdigits": object.Str(digits + "abcdefABCDEF"), "octdigits": object.Str("01234567"),
		"whitespace":  object.Str(" \t\n\r\v\f"),
		"punctuation": object.Str("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")}
}

func warningsModule() map[string]object.Value {
	ctx := &object.Builtin{Name: "catch_warnings",
		Fn: func(*object.Interp, []object.Value, []object.Keyword) (object.Value, error) {
			return &nullContext{&object.List{}}, nil
		}}
	return named(map[string]object.Value{}, nothing("warn"), nothing("warn_explicit"),
		nothing("filterwarnings"), nothing("simplefilter"), nothing("resetwarnings"), ctx,
		object.Native("deprecated", "msg **kws", func(*object.Interp, []object.Value) (object.Value, error) {
			return same("deprecated"), nil
		}))
}

// logger drops everything that is logged.
type logger struct{ name string }

func (*logger) TypeName() string { return "Logger" }

func (l *logger) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	switch name {
	case "name":
		return object.Str(l.name), true, nil
	case "level":
		return object.MakeInt(30), true, nil
	case "handlers":
		return &object.List{}, true, nil
	case "propagate":
		return object.Bool(true), true, nil
	case "isEnabledFor":
		return constant0(name, object.Bool(false)), true, nil
	case "getEffectiveLevel":
		return constant0(name, object.MakeInt(30)), true, nil
	case "getChild":
		return constant0(name, l), true, nil
	}
	if object.IsDunder(name) {
		return nil, false, nil
	}
	return nothing(name), true, nil
}

func (*logger) SetAttr(*object.Interp, string, object.Value) error { return nil }

func loggingModule(*object.Interp) map[string]object.Value {
	vars := map[string]object.Value{"DEBUG": object.MakeInt(10), "INFO": object.MakeInt(20),
		"WARNING": object.MakeInt(30), "WARN": object.MakeInt(30), "ERROR": object.MakeInt(40),
		"CRITICAL": object.MakeInt(50), "NOTSET": object.MakeInt(0), "Logger": &object.Typing{Name: "Logger"},
		"root": &logger{"root"}}
	for _, n := range strings.Fields("debug info warning warn error critical exception log basicConfig " +
		"disable captureWarnings addLevelName setLoggerClass") {
		vars[n] = nothing(n)
	}
	for _, n := range strings.Fields("StreamHandler FileHandler Formatter NullHandler Handler Filter " +
		"LoggerAdapter") {
		vars[n] = &object.Builtin{Name: n,
			Fn: func(*object.Interp, []object.Value, []object.Keyword) (object.Value, error) {
				return &logger{n}, nil
			}}
	}
	return named(vars, object.Native("getLogger", "name=",
		func(_ *object.Interp, a []object.Value) (object.Value, error) {
			return &logger{object.PlainStr(object.OrElse(a[0], object.Str("root")))}, nil
		}))
}

func timeModule() map[string]object.Value {
	vars := map[string]object.Value{}
	for _, n := range strings.Fields("time perf_counter monotonic process_time time_ns perf_counter_ns") {
		vars[n] = object.Refused("time."+n, "gives another value each time")
	}
	return named(vars, nothing("sleep"))
}

func threadingModule() map[string]object.Value {
	lock := &object.Builtin{Name: "Lock",
		Fn: func(*object.Interp, []object.Value, []object.Keyword) (object.Value, error) {
			return &lockObject{}, nil
		}}
	rlock := *lock
	rlock.Name = "RLock"
	return named(map[string]object.Value{}, lock, &rlock, threadFactory(),
		&object.Builtin{Name: "local",
			Fn: func(*object.Interp, []object.Value, []object.Keyword) (object.Value, error) {
				return &object.Instance{Class: object.ObjectClass, Attrs: object.NewDict()}, nil
			}})
}

// lockObject is a lock that is always free: there is one thread.
type lockObject struct{}

func (*lockObject) TypeName() string { return "lock" }

func (l *lockObject) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	switch name {
	case "acquire":
		return constant0(name, object.Bool(true)), true, nil
	case "release":
		return nothing(name), true, nil
	case "locked":
		return constant0(name, object.Bool(false)), true, nil
	}
	return managerAttr(name, func(*object.Interp) (object.Value, error) {
		return object.Bool(true), nil
	}, func(*object.Interp, []object.Value) (object.Value, error) { return object.None, nil })
}

// firstArg returns the first argument as a list; empty where it is not given.
func firstArg(a []object.Value) []object.Value {
	if a[0] == nil {
		return nil
	}
	return a[:1]
}
