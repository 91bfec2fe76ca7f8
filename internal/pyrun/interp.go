package pyrun

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/python"
)

// Options say what an Interp may see and how much it may do. The zero value of a limit is its default.
type Options struct {
	Files    *diag.FileSet
	Env      map[string]string // os.environ
	MaxSteps int               // expressions and statements evaluated, 10 million
	MaxBytes int               // bytes allocated by containers, strings and ints, freed ones included, 256 MiB
	MaxDepth int               // calls inside calls, 1000 as in Python
	Poll     func()            // called now and then; a panic in it ends the evaluation, and is the caller's to recover; may be nil
	Finder   Finder            // source modules; nil when there are none
	Roots    []string          // folders to search for source modules after those around the importing file
	// Known gives the modules that the user of this package registers, by dotted name. They come before all others.
	Known func(name string) (*Module, bool)
	// FromSource, when set, names the parts of registered packages that are read from their source where that is found.
	FromSource func(name string) bool
	// Builtins are names visible everywhere, before those of Python.
	Builtins map[string]Value
	// Decorate, when set, applies the decorators of a function in place of Python's own rule; eval evaluates one of them where it
	// stands. It lets the user of this package leave a decorator's arguments unevaluated until they are needed.
	Decorate func(in *Interp, fn *Func, decorators []python.Expr, eval func(python.Expr) (Value, error)) (Value, error)
	// Resolve, when set, is asked for a name of a source module before the module's own statements are.
	Resolve func(in *Interp, m *Module, name string) (Value, bool)
	// Parse reads a source module; python.Parse when nil. Its results may be cached and shared by several Interps.
	Parse func(files *diag.FileSet, name string, src []byte) (*python.Module, error)
}

// Interp evaluates host Python. It is cheap to make and serves one goroutine.
type Interp struct {
	Files  *diag.FileSet
	Stdout strings.Builder // what print wrote

	opts    Options
	environ *Dict

	steps, bytes int // what is left
	poll         int // steps until Poll is called
	depth        int

	sources map[string]*Module // by file
	natives map[string]*Module // by name
	patched map[*Module]map[string]Value
	scopes  map[python.Node]*scope
	exists  map[string]bool // answers of the finder
	srcs    []string        // see projects
	foreign map[string]*Class
	ids     map[any]int
	site    diag.Span      // of the call being made
	tries   int            // how many try statements that take an ImportError are around
	handled []*Exception   // being handled, for a bare raise
	busy    map[any]bool   // containers inside whose repr we are
	finding map[string]int // star imports being searched, by module and name
}

const (
	defaultSteps = 10_000_000
	defaultBytes = 256 << 20
	defaultDepth = 1000
)

// NewInterp is an interpreter with nothing loaded.
func NewInterp(o Options) *Interp {
	if o.Files == nil {
		o.Files = diag.NewFileSet()
	}
	if o.Parse == nil {
		o.Parse = python.Parse
	}
	o.MaxSteps = orDefault(o.MaxSteps, defaultSteps)
	o.MaxBytes = orDefault(o.MaxBytes, defaultBytes)
	o.MaxDepth = orDefault(o.MaxDepth, defaultDepth)
	return &Interp{
		Files: o.Files, opts: o, steps: o.MaxSteps, bytes: o.MaxBytes,
		sources: map[string]*Module{}, natives: map[string]*Module{}, patched: map[*Module]map[string]Value{},
		scopes: map[python.Node]*scope{}, foreign: map[string]*Class{}, ids: map[any]int{}, busy: map[any]bool{},
		finding: map[string]int{}, exists: map[string]bool{},
	}
}

func orDefault(v, def int) int {
	if v <= 0 {
		return def
	}
	return v
}

// Site is the span of the call that is being made: where a function written in Go was called from.
func (in *Interp) Site() diag.Span { return in.site }

// Refill gives the interpreter its steps and bytes back, before a new task.
func (in *Interp) Refill() { in.steps, in.bytes = in.opts.MaxSteps, in.opts.MaxBytes }

// work counts n steps.
func (in *Interp) work(n int) error {
	if in.steps -= n; in.steps < 0 {
		return in.spent()
	}
	if in.poll -= n; in.poll < 0 {
		in.poll = stepsPerPoll
		if in.opts.Poll != nil {
			in.opts.Poll()
		}
	}
	return nil
}

// stepsPerPoll steps take less than a millisecond.
const stepsPerPoll = 4096

func (in *Interp) spent() error {
	e := Errorf(RuntimeError, "evaluation takes more than %d steps", in.opts.MaxSteps)
	e.Code, e.fatal = "host-limit", true
	e.Hint = "code that runs at compile time is bounded; compute less there"
	return e
}

// alloc counts n bytes, before they are allocated, and the time it takes to fill them.
func (in *Interp) alloc(n int) error {
	if n < 0 || n > in.bytes {
		e := Errorf(MemoryError, "evaluation needs more than %d bytes", in.opts.MaxBytes)
		e.Code, e.fatal = "host-limit", true
		e.Hint = "code that runs at compile time is bounded; build smaller values there"
		return e
	}
	in.bytes -= n
	return in.work(n / 128)
}

// scan counts the time that n bytes of text take to look at.
func (in *Interp) scan(n int) error {
	if in == nil || n < 128 {
		return nil
	}
	return in.work(n >> 7)
}

// valueSize is what an element of a container counts for.
const valueSize = 16

// enter counts a level of recursion; each enter that succeeds has its leave.
func (in *Interp) enter() error {
	if in.depth >= in.opts.MaxDepth {
		return Errorf(RecursionError, "maximum recursion depth exceeded")
	}
	in.depth++
	return nil
}

func (in *Interp) leave() { in.depth-- }

// idOf numbers the objects that are compared by identity.
func (in *Interp) idOf(key any) int {
	id, ok := in.ids[key]
	if !ok {
		id = len(in.ids) + 1
		in.ids[key] = id
	}
	return id
}

// Environ is os.environ.
func (in *Interp) Environ() *Dict {
	if in.environ == nil {
		in.environ = NewDict()
		for _, k := range sortedKeys(in.opts.Env) {
			in.environ.SetStr(k, Str(in.opts.Env[k]))
		}
	}
	return in.environ
}
