package object

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
)

// Limits bounds an evaluation. The zero value of a limit is its default.
type Limits struct {
	MaxSteps int // expressions and statements evaluated, 10 million
	MaxBytes int // bytes allocated by containers, strings and ints, freed ones included, 256 MiB
	MaxDepth int // calls inside calls, 1000 as in Python
	// called now and then; a panic in it ends the evaluation, and is the caller's to recover; may be nil
	Poll func()
}

// Interp is an interpreter as objects see it: what it may still do, and where it stands. Every operation on
// objects takes one. It serves one goroutine.
type Interp struct {
	Files  *diag.FileSet
	Stdout strings.Builder // what print wrote
	// Site is the span of the call that is being made: where a function written in Go was called from.
	Site diag.Span
	// Host is the evaluator that made the Interp, for functions written in Go that need more of it.
	Host any
	// Class returns type(v) for values of other packages that have a class of their own kind, and nil for
	// others. NewInterp sets one that knows no such values.
	Class func(v Value) Value

	limits       Limits
	steps, bytes int // what is left
	poll         int // steps until Poll is called
	depth        int

	env     map[string]string
	environ *Dict

	foreign map[string]*Class // classes of values that other packages define, by name
	ids     map[any]int
	busy    map[any]bool // containers inside whose repr we are
}

const (
	defaultSteps = 10_000_000
	defaultBytes = 256 << 20
	defaultDepth = 1000
)

// NewInterp returns an interpreter with its whole budget; env is its os.environ.
func NewInterp(l Limits, files *diag.FileSet, env map[string]string) *Interp {
	if files == nil {
		files = diag.NewFileSet()
	}
	l.MaxSteps = orDefault(l.MaxSteps, defaultSteps)
	l.MaxBytes = orDefault(l.MaxBytes, defaultBytes)
	l.MaxDepth = orDefault(l.MaxDepth, defaultDepth)
	return &Interp{
		Files: files, limits: l, steps: l.MaxSteps, bytes: l.MaxBytes, env: env,
		Class:   func(Value) Value { return nil },
		foreign: map[string]*Class{}, ids: map[any]int{}, busy: map[any]bool{},
	}
}

func orDefault(v, def int) int {
	if v <= 0 {
		return def
	}
	return v
}

// Refill gives the interpreter its steps and bytes back, before a new task.
func (in *Interp) Refill() {
	in.steps, in.bytes = in.limits.MaxSteps, in.limits.MaxBytes
}

// Step counts one step of the evaluator.
func (in *Interp) Step() error {
	if in.steps--; in.steps < 0 {
		return in.spent()
	}
	return nil
}

// Limits returns the bounds of the evaluation.
func (in *Interp) Limits() Limits { return in.limits }

// Steps returns the number of steps since the last Refill.
func (in *Interp) Steps() int { return in.limits.MaxSteps - in.steps }

// Grant sets what is left of the steps and bytes.
func (in *Interp) Grant(steps, bytes int) { in.steps, in.bytes = steps, bytes }

// Work counts n steps.
func (in *Interp) Work(n int) error {
	if in.steps -= n; in.steps < 0 {
		return in.spent()
	}
	if in.poll -= n; in.poll < 0 {
		in.poll = stepsPerPoll
		if in.limits.Poll != nil {
			in.limits.Poll()
		}
	}
	return nil
}

// stepsPerPoll is the number of steps between calls of Poll: less than a millisecond.
const stepsPerPoll = 4096

func (in *Interp) spent() error {
	e := Errorf(RuntimeError, "evaluation takes more than %d steps", in.limits.MaxSteps)
	e.Code, e.fatal = "host-limit", true
	e.Hint = "code that runs at compile time is bounded; compute less there"
	return e
}

// Alloc counts n bytes before they are allocated, and the time it takes to fill them.
func (in *Interp) Alloc(n int) error {
	if n < 0 || n > in.bytes {
		e := Errorf(MemoryError, "evaluation needs more than %d bytes", in.limits.MaxBytes)
		e.Code, e.fatal = "host-limit", true
		e.Hint = "code that runs at compile time is bounded; build smaller values there"
		return e
	}
	in.bytes -= n
	return in.Work(n / 128)
}

// scan counts the time it takes to look at n bytes of text.
func (in *Interp) scan(n int) error {
	if in == nil || n < 128 {
		return nil
	}
	return in.Work(n >> 7)
}

// ValueSize is the number of bytes that an element of a container counts for.
const ValueSize = 16

// Enter counts a level of recursion; a Leave follows each Enter that succeeds.
func (in *Interp) Enter() error {
	if in.depth >= in.limits.MaxDepth {
		return Errorf(RecursionError, "maximum recursion depth exceeded")
	}
	in.depth++
	return nil
}

// Leave ends a level of recursion.
func (in *Interp) Leave() { in.depth-- }

// idOf returns the number of an object that is compared by identity.
func (in *Interp) idOf(key any) int {
	id, ok := in.ids[key]
	if !ok {
		id = len(in.ids) + 1
		in.ids[key] = id
	}
	return id
}

// Environ returns os.environ.
func (in *Interp) Environ() *Dict {
	if in.environ == nil {
		in.environ = NewDict()
		for _, k := range sortedKeys(in.env) {
			in.environ.SetStr(k, Str(in.env[k]))
		}
	}
	return in.environ
}
