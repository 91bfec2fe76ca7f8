package pyrun

import (
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// Options says what an Evaluator may see and how much it may do. The zero value of a limit is its default.
type Options struct {
	object.Limits
	Files  *diag.FileSet
	Env    map[string]string // os.environ
	Finder Finder            // reads source modules; nil when there are none
	Roots  []string          // folders to search for source modules after those around the importing file
	// Library holds the modules of Python's own library that are written in Go; nil when there are none.
	Library Library
	// Known returns a module that the user of this package registers, by its dotted name. Such modules come
	// before all others.
	Known func(name string) (*Module, bool)
	// FromSource, when set, reports whether a part of a registered package is read from its source where that
	// is found.
	FromSource func(name string) bool
	// Builtins are names visible everywhere, before those of Python.
	Builtins map[string]object.Value
	// Decorate, when set, applies the decorators of a function in place of Python's own rule; eval evaluates
	// one of them where it stands. It lets the user of this package leave a decorator's arguments unevaluated
	// until they are needed.
	Decorate func(in *object.Interp, fn *Func, decorators []python.Expr,
		eval func(python.Expr) (object.Value, error)) (object.Value, error)
	// Resolve, when set, is asked for a name of a source module before the module's own statements are.
	Resolve func(in *object.Interp, m *Module, name string) (object.Value, bool)
	// Parse reads a source module; python.Parse when nil. Its results may be cached and shared by several
	// Evaluators.
	Parse func(files *diag.FileSet, name string, src []byte) (*python.Module, error)
}

// Evaluator runs host Python: it loads modules and evaluates expressions and statements. It is cheap to make
// and serves one goroutine.
type Evaluator struct {
	*object.Interp
	opts Options

	sources map[string]*Module                  // source modules by file
	natives map[string]*Module                  // modules of the library by name; nil for those that it lacks
	patched map[*Module]map[string]object.Value // attributes set on modules that evaluators share
	scopes  map[python.Node]*scope
	exists  map[string]bool     // answers of the finder
	srcs    []string            // see projects
	tries   int                 // how many try statements around this point catch an ImportError
	handled []*object.Exception // the exceptions being handled, for a bare raise
	finding map[string]int      // star imports being searched, by module and name
}

// New returns an Evaluator with nothing loaded.
func New(o Options) *Evaluator {
	if o.Parse == nil {
		o.Parse = python.Parse
	}
	in := object.NewInterp(o.Limits, o.Files, o.Env)
	ev := &Evaluator{
		Interp: in, opts: o,
		sources: map[string]*Module{}, natives: map[string]*Module{},
		patched: map[*Module]map[string]object.Value{},
		scopes:  map[python.Node]*scope{}, finding: map[string]int{}, exists: map[string]bool{},
	}
	in.Host = ev
	return ev
}

// From returns the Evaluator behind in.
func From(in *object.Interp) *Evaluator { return in.Host.(*Evaluator) }
