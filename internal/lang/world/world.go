package world

import (
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/pyrun/std"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/triton"
)

// World is everything that one compilation can see: an evaluator of host Python with triton, triton.language
// and torch in it. It belongs to one goroutine.
type World struct {
	Eval    *pyrun.Evaluator
	In      *object.Interp // that of ev
	files   *diag.FileSet
	target  Target
	version triton.Version
	meter   *budget.Meter // of the present use; a shared world has several
	lib     *library
	names   *sem.Names
	known   map[string]*pyrun.Module
	imports map[*python.Module]map[string]string // what each file binds to modules of Triton
}

// New returns the world of one compilation of src; meter bounds what is evaluated in it.
func New(src *Source, target Target, meter *budget.Meter) *World {
	w := &World{files: src.files, target: target, meter: meter, known: map[string]*pyrun.Module{},
		version: src.version, lib: libraryOf(src.version), names: sem.In(src.version),
		imports: map[*python.Module]map[string]string{}}
	w.Eval = pyrun.New(pyrun.Options{
		Limits: object.Limits{Poll: func() { w.meter.Tick() },
			MaxBytes: int(min(meter.Limits().Memory, maxValues))},
		Library: std.Library,
		Files:   src.files, Env: src.opts.Env, Finder: src.finder(), Roots: src.opts.Roots,
		Known:      w.lookupModule,
		FromSource: func(name string) bool { return torchInTriton[name] },
		Parse:      src.parse,
		Decorate:   decorate,
		Resolve:    w.resolve,
	})
	w.In = w.Eval.Interp
	w.In.Class = classOf
	w.register()
	return w
}

// maxValues bounds the bytes of compile-time values whatever the budget says.
const maxValues = 256 << 20

// lookupModule returns a module that is given as values. pynvml is found under any package, since some
// projects carry it with them.
func (w *World) lookupModule(name string) (*pyrun.Module, bool) {
	if strings.HasSuffix(name, ".pynvml") {
		name = "pynvml"
	}
	m, ok := w.known[name]
	return m, ok
}

// register makes the modules of Triton, and of torch as far as code around kernels asks for it.
func (w *World) register() {
	for _, m := range stdlibModules {
		w.known[m.name] = w.stdlibModule(m.name, m.file)
	}
	for _, m := range []*pyrun.Module{
		{Name: "triton.language", Lookup: w.language},
		{Name: "triton.language.core", Lookup: w.lookupIn(sem.InCore)},
		{Name: "triton.language.semantic", Lookup: w.lookupIn(sem.InCore)},
		{Name: "triton.language.math", Lookup: w.lookupIn(sem.InMath)},
		{Name: "triton.language.target_info", Vars: w.targetInfo()},
		{Name: "triton.language.extra"},
		{Name: "triton.language.extra.libdevice", Lookup: w.lookupIn(sem.InLibdevice)},
		{Name: "triton.language.extra.cuda", Lookup: w.lookupIn(sem.InCUDA)},
		{Name: "triton.language.extra.cuda.utils", Lookup: w.lookupIn(sem.InCUDA)},
		{Name: "triton.language.extra.cuda.libdevice", Lookup: w.lookupIn(sem.InLibdevice)},
		{Name: "triton", Vars: w.triton()},
		{Name: "triton.compiler", Open: true},
		{Name: "triton.testing", Open: true},
		{Name: "triton.tools", Open: true},
		{Name: "triton.tools.tensor_descriptor",
			Vars: map[string]object.Value{"TensorDescriptor": descriptorClass}},
		{Name: "triton.backends", Vars: map[string]object.Value{"backends": w.backends()}, Open: true},
		w.nvml(),
		{Name: "triton.profiler", Open: true},
		{Name: "triton.experimental"},
		{Name: "triton.knobs", Open: true},
	} {
		w.known[m.Name] = m
	}
	w.registerGluon()
	w.registerRuntime()
	w.link("triton", "language", "runtime", "errors", "compiler", "testing", "tools", "backends", "knobs",
		"experimental", "profiler")
	w.link("triton.profiler", "language")
	w.link("triton.language", "core", "math", "standard", "random", "extra", "target_info", "semantic")
	w.link("triton.language.extra", "libdevice", "cuda")
	w.link("triton.language.extra.cuda", "libdevice")
	w.link("triton.language.extra.cuda", "utils")
	w.link("triton.tools", "tensor_descriptor", "ragged_tma")
	w.link("triton.experimental", "gluon")
	w.registerTorch()
}

// stdlibModules are the modules of Triton that are written in the language itself, and their files.
var stdlibModules = []struct{ name, file string }{
	{"triton.language.standard", "standard.py"},
	{"triton.language.random", "random.py"},
	{"triton.tools.ragged_tma", "ragged_tma.py"},
	{"triton.profiler.language", "proton.py"},
}

// Defining returns the first of stdlibModules that defines a function of this name, or "".
func Defining(function string) string {
	for _, m := range stdlibModules {
		for _, s := range libraryOf(triton.Default).syntax[m.file].Body {
			if def, ok := s.(*python.FunctionDef); ok && def.Name == function {
				return m.name
			}
		}
	}
	return ""
}

// link makes submodules attributes of their package.
func (w *World) link(pkg string, subs ...string) {
	m := w.known[pkg]
	if m.Vars == nil {
		m.Vars = map[string]object.Value{}
	}
	for _, s := range subs {
		if _, ok := m.Vars[s]; !ok {
			m.Vars[s] = w.known[pkg+"."+s]
		}
	}
}

// stdlibModule returns a module of the language that is written in the language; it is parsed once for the
// process.
func (w *World) stdlibModule(name, file string) *pyrun.Module {
	return &pyrun.Module{Name: name, File: stdlibPath(file), Syntax: w.lib.syntax[file]}
}

// language looks up a name of triton.language: a builtin, a dtype, a class, or a function of the standard
// library.
func (w *World) language(in *object.Interp, name string) (object.Value, bool, error) {
	return w.lookup("", name)
}

func (w *World) lookupIn(module string) func(*object.Interp, string) (object.Value, bool, error) {
	return func(_ *object.Interp, name string) (object.Value, bool, error) { return w.lookup(module, name) }
}

func (w *World) lookup(module, name string) (object.Value, bool, error) {
	b := w.names.Lookup(module, name)
	switch {
	case b == nil:
	case b.Fn != nil && plainFunctions[name]:
		return &ConstexprFunc{Fn: native(name,
			func(_ *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
				return b.Invoke(nil, nil, args, kws, false)
			})}, true, nil
	case b.Fn != nil && languageNames[name] == nil: // a class is for isinstance too
		return b, true, nil
	case b.State == sem.Constant:
		return b.Value, true, nil
	case b.State == sem.Stdlib:
		return w.standard(name)
	}
	if module == "" || module == sem.InCore {
		if v, ok := languageNames[name]; ok {
			return v, true, nil
		}
		switch {
		case name == "_aggregate":
			return w.aggregate(), true, nil
		case name == "aggregate_replace" && w.version.Has(triton.Immutable):
			return replaceFields, true, nil
		}
		return w.standard(name)
	}
	return nil, false, nil
}

// plainFunctions has the functions of the language that make no operation: host code may call them too.
var plainFunctions = map[string]bool{"get_int_dtype": true}

// standard looks up a public function of the library, or a private one that kernels of public projects use
// all the same.
func (w *World) standard(name string) (object.Value, bool, error) {
	for _, mod := range []string{"triton.language.standard", "triton.language.random"} {
		if !slices.Contains(w.lib.names[mod], name) {
			continue
		}
		v, ok, err := w.known[mod].Get(w.In, name)
		return v, ok, err
	}
	return nil, false, nil
}

// Method returns the function behind v.name, or nil.
func (w *World) Method(v object.Value, name string) object.Value {
	b := w.names.Method(v, name)
	switch {
	case b == nil:
		return nil
	case b.Fn != nil:
		return b
	}
	if f, ok, err := w.standard(name); ok && err == nil {
		return f
	}
	return nil
}

// MethodNames returns the methods of a device value, for suggestions.
func (w *World) MethodNames(v object.Value) []string {
	var out []string
	for _, b := range w.names.All() {
		if w.names.Method(v, b.Name) == b {
			out = append(out, b.Name)
		}
	}
	return out
}

// Version returns the release of the language.
func (w *World) Version() triton.Version { return w.version }

// Names returns the names of the language.
func (w *World) Names() *sem.Names { return w.names }

// Vocabulary returns the public names of triton.language.
func (w *World) Vocabulary() []string {
	var out []string
	for _, b := range w.names.All() {
		if b.Public {
			out = append(out, b.Name)
		}
	}
	return out
}
