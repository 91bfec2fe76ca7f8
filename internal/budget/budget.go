// Package budget bounds a compilation: the text that it reads, the operations that it makes, the time that it
// takes and the memory that it holds.
//
// Limits are what a user sets. A Meter measures one compilation against them and against its context; it
// travels with the compilation through the front end, the passes and the code generators. Whoever makes
// operations tells the meter before it makes them, and whoever works for long asks it now and then whether to
// go on. A nil *Meter bounds nothing, so that tests and tools need none.
//
// Code that returns errors asks Check; code deep inside a pass calls Tick, Ops and Wrote, which panic with a
// *Stop. Recovered turns that panic back into the error, once, at the runner of the stage.
package budget

import (
	"context"
	"fmt"
	"time"
)

// Limits bound one compilation. A field that is zero has its default; a negative one is no limit.
type Limits struct {
	Source int // bytes of source text, those of imported files included; default 4 MiB
	// operations of a kernel with all it calls, after unrolling and inlining; default 500,000
	Ops  int
	Time time.Duration // from the beginning of the compilation; default 5 minutes
	// bytes of compile-time values, of IR and of code for LLVM, each for itself, as estimated; default 1 GiB
	Memory int64
}

// The defaults. The shared kernels have at most 600 operations when all is inlined, and no module of the
// tests reaches 70,000.
const (
	DefaultSource = 4 << 20
	DefaultOps    = 500_000
	DefaultTime   = 5 * time.Minute
	DefaultMemory = 1 << 30
)

// unlimited stands for a limit that is not there.
const unlimited = 1 << 62

// WithDefaults replaces zero fields by their defaults and negative ones by what no compilation reaches.
func (l Limits) WithDefaults() Limits {
	return Limits{
		Source: limit(l.Source, DefaultSource), Ops: limit(l.Ops, DefaultOps),
		Time: limit(l.Time, DefaultTime), Memory: limit(l.Memory, DefaultMemory),
	}
}

func limit[T int | int64 | time.Duration](v, def T) T {
	switch {
	case v == 0:
		return def
	case v < 0:
		return unlimited
	}
	return v
}

// Error says that a compilation went over its budget.
type Error struct {
	What  string // what there is too much of: "operations"
	Limit string // how much there may be, "200000"
	// the function, and where known the place, at which the limit was passed: "f12 at k.py:7:12"; may be
	// empty
	Where string
	Field string // of Limits
	Knob  string // the variable of the environment that sets it

	less string // how to need less
}

func (e *Error) Error() string {
	where := ""
	if e.Where != "" {
		where = " in " + e.Where
	}
	return fmt.Sprintf("the compilation takes more than %s %s%s [limit]\nhint: %s", e.Limit, e.What, where,
		e.Hint())
}

// Hint says what to do about it.
func (e *Error) Hint() string {
	return fmt.Sprintf("%s; Config.Budget.%s and %s raise the limit", e.less, e.Field, e.Knob)
}

const lessCode = "unroll less (range instead of tl.static_range), call less, use smaller blocks"

// Fields of Limits with the variables that set them.
var (
	sourceError = Error{What: "bytes of source text", Field: "Source", Knob: "NEREID_MAX_SOURCE",
		less: "give the kernel a file of its own"}
	opsError    = Error{What: "operations", Field: "Ops", Knob: "NEREID_MAX_OPS", less: lessCode}
	timeError   = Error{What: "of time", Field: "Time", Knob: "NEREID_MAX_COMPILE_TIME", less: lessCode}
	memoryError = Error{What: "bytes of memory", Field: "Memory", Knob: "NEREID_MAX_COMPILE_MEMORY",
		less: lessCode}
)

// at completes an error.
func (e Error) at(limit any, where string) error {
	e.Limit, e.Where = fmt.Sprint(limit), where
	return &e
}

// OpBytes is what an operation counts for in memory: about what it takes with its operands, results, location
// and place in the tables of passes.
const OpBytes = 2 << 10

// Meter measures one compilation. It belongs to one goroutine. A nil Meter bounds nothing.
type Meter struct {
	limits Limits
	ctx    context.Context
	start  time.Time
	ticks  uint32
	where  func() string // says what is being worked on
	text   int64         // bytes of LLVM IR written
}

// New is a meter for a compilation that begins now.
func New(ctx context.Context, l Limits) *Meter {
	return &Meter{limits: l.WithDefaults(), ctx: ctx, start: time.Now()}
}

// Context is a context that ends when the time is up, with an *Error as its cause, for those who wait for
// native code. The function frees it.
func (m *Meter) Context(ctx context.Context, name string) (context.Context, context.CancelFunc) {
	return context.WithDeadlineCause(ctx, m.start.Add(m.limits.Time), timeError.at(m.limits.Time, name))
}

// Restart has the time begin anew, for a meter that serves several tasks.
func (m *Meter) Restart() {
	if m != nil {
		m.start = time.Now()
	}
}

// Limits are what the meter measures against; without a meter there are none.
func (m *Meter) Limits() Limits {
	if m == nil {
		return Limits{-1, -1, -1, -1}.WithDefaults()
	}
	return m.limits
}

// Within has errors say what is being worked on: f returns the name of a function, with its place where that
// is known.
func (m *Meter) Within(f func() string) {
	if m != nil {
		m.where = f
	}
}

func (m *Meter) place() string {
	if m.where == nil {
		return ""
	}
	return m.where()
}

// Check reports that the context has ended or the time is up.
func (m *Meter) Check() error {
	if m == nil {
		return nil
	}
	if err := m.ctx.Err(); err != nil {
		return err
	}
	if time.Since(m.start) > m.limits.Time {
		return timeError.at(m.limits.Time, m.place())
	}
	return nil
}

// CheckSource reports that n bytes of source text are too many.
func (m *Meter) CheckSource(n int, file string) error {
	if m == nil || n <= m.limits.Source {
		return nil
	}
	return sourceError.at(m.limits.Source, file)
}

// CheckOps reports that n operations are too many, or take too much memory.
func (m *Meter) CheckOps(n int) error {
	if m == nil {
		return nil
	}
	if n > m.limits.Ops {
		return opsError.at(m.limits.Ops, m.place())
	}
	return m.CheckMemory(int64(n) * OpBytes)
}

// CheckMemory reports that n bytes are too many.
func (m *Meter) CheckMemory(n int64) error {
	if m == nil || n <= m.limits.Memory {
		return nil
	}
	return memoryError.at(m.limits.Memory, m.place())
}

// Stop carries an error up to Recovered.
type Stop struct{ Err error }

// Unwrap makes a Stop that nobody caught readable.
func (s *Stop) Error() string { return s.Err.Error() }

// ticksPerCheck is how many calls of Tick look at the clock once: a tick is some nanoseconds of work or some
// microseconds.
const ticksPerCheck = 64

// Tick is called once for each small piece of work, and panics with a *Stop when the compilation is to end.
func (m *Meter) Tick() {
	if m == nil {
		return
	}
	if m.ticks++; m.ticks%ticksPerCheck == 0 {
		stop(m.Check())
	}
}

// Ops panics with a *Stop when n operations are too many, or the compilation is to end. It is asked before
// many are made.
func (m *Meter) Ops(n int) {
	stop(m.Check())
	stop(m.CheckOps(n))
}

// llvmBytes is the memory that LLVM takes for a byte of its IR's text, from the text to machine code.
const llvmBytes = 64

// Wrote counts n more bytes of LLVM IR, and panics with a *Stop when LLVM would take too much memory for all
// of it: once LLVM is at work it cannot be stopped.
func (m *Meter) Wrote(n int) {
	if m == nil {
		return
	}
	m.text += int64(n)
	if m.ticks++; m.ticks%ticksPerCheck == 0 {
		stop(m.Check())
		stop(m.CheckMemory(m.text * llvmBytes))
	}
}

func stop(err error) {
	if err != nil {
		panic(&Stop{err})
	}
}

// Recovered is the error of a recovered panic if that was a *Stop.
func Recovered(r any) (error, bool) {
	if s, ok := r.(*Stop); ok {
		return s.Err, true
	}
	return nil, false
}
