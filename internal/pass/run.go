package pass

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/ir"
)

// InternalError is a fault of the compiler: a pass panicked, or left IR that is not valid.
type InternalError struct {
	Pass       string
	Op         string // the operation that was being worked on, "" when unknown
	Loc        string // where that came from, "" when unknown
	Err        error
	Stack      string // stack of a panic
	Reproducer string // the file that shows the fault, "" when none was written
}

func (e *InternalError) Error() string {
	s := "internal error in pass " + e.Pass
	if e.Op != "" {
		s += " at " + e.Op
	}
	if e.Loc != "" {
		s += " from " + e.Loc
	}
	s += ": " + e.Err.Error()
	if e.Reproducer != "" {
		s += "\nto reproduce: nereid opt --run-reproducer " + e.Reproducer
	}
	return s
}

func (e *InternalError) Unwrap() error { return e.Err }

// Run runs passes over m in order. When one fails, m is as it left it, and the error says which.
func Run(ctx *Context, m *ir.Module, passes []Pass) error {
	if err := ctx.check(passes); err != nil {
		return err
	}
	if ctx.Verify {
		if err := ir.Verify(m.Op); err != nil {
			return fmt.Errorf("the input is not valid: %w", err)
		}
	}
	for i, p := range passes {
		if err := ctx.runOne(i, m, passes); err != nil {
			return err
		}
		if p.Name == ctx.StopAfter {
			break
		}
	}
	return nil
}

// check refuses options that name passes the pipeline does not have.
func (c *Context) check(passes []Pass) error {
	for _, n := range slices.Concat(c.DumpBefore, c.DumpAfter, []string{c.StopAfter}) {
		known := n == "" || n == "all" && n != c.StopAfter || slices.ContainsFunc(passes, func(p Pass) bool {
			return p.Name == n
		})
		if !known {
			return fmt.Errorf("the pipeline has no pass %q", n)
		}
	}
	return nil
}

func (c *Context) runOne(i int, m *ir.Module, passes []Pass) error {
	p := passes[i]
	c.record(Stage{i, p.Name, false, m})
	var before *ir.Module
	if c.Reproducers != "" {
		before = m.Clone()
	}
	start := time.Now()
	c.Budget.Within(c.place)
	err := c.guard(p, m)
	c.Budget.Within(nil)
	c.timings = append(c.timings, Timing{p.Name, time.Since(start)})
	if err == nil && c.Verify {
		if bad := ir.Verify(m.Op); bad != nil {
			err = &InternalError{Pass: p.Name, Err: bad}
		}
	}
	if err != nil {
		return c.reproduce(err, before, passes[i:])
	}
	c.record(Stage{i, p.Name, true, m})
	return nil
}

// guard runs one pass and turns a panic into an InternalError.
func (c *Context) guard(p Pass, m *ir.Module) (err error) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if over, ok := budget.Recovered(r); ok {
			err = fmt.Errorf("%s: %w", p.Name, over)
			return
		}
		e := &InternalError{Pass: p.Name, Stack: string(debug.Stack())}
		e.Op, e.Loc = describe(c.at)
		if e.Err, _ = r.(error); e.Err == nil {
			e.Err = fmt.Errorf("%v", r)
		}
		err = e
	}()
	c.at = nil
	if err := c.Budget.Check(); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	if err := p.Run(c, m); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	if c.Budget != nil {
		c.at = nil
		c.Budget.Ops(countOps(m.Op))
	}
	return nil
}

// countOps returns the number of operations inside op.
func countOps(op *ir.Op) int {
	n := -1
	op.Walk(func(*ir.Op) bool { n++; return true })
	return n
}

// place returns the function that holds the operation being worked on, with its place in the source.
func (c *Context) place() string {
	if c.at == nil {
		return ""
	}
	_, loc := describe(c.at)
	f := c.at
	for f != nil && !f.Def.Has(ir.SymbolOp) {
		f = f.Parent()
	}
	switch {
	case f == nil:
		return loc
	case loc == "":
		return f.Text("sym_name")
	}
	return f.Text("sym_name") + " at " + loc
}

// describe names an operation and its place, without trusting it: it may be half built.
func describe(op *ir.Op) (name, loc string) {
	if op == nil {
		return "", ""
	}
	defer func() { _ = recover() }()
	name = op.Name()
	if f := ir.FileLocOf(op.Loc); f != nil {
		loc = fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Col)
	}
	return name, loc
}

// record hands a stage to the recorder and to the dump.
func (c *Context) record(s Stage) {
	if c.Stage != nil {
		c.Stage(s)
	}
	list := c.DumpBefore
	if s.After {
		list = c.DumpAfter
	}
	if c.Dump != nil && wants(list, s.Pass) {
		fmt.Fprintf(c.Dump, "// ----- IR %s -----\n", s.Title())
		ir.Print(c.Dump, s.Module.Op, c.Print)
	}
}

// reproduce writes a reproducer for a failure, if one is wanted, and notes its name in an InternalError.
func (c *Context) reproduce(err error, before *ir.Module, rest []Pass) error {
	if before == nil {
		return err
	}
	file, werr := writeReproducer(c.Reproducers, before, rest, err, c.Print)
	if werr != nil {
		return errors.Join(err, fmt.Errorf("no reproducer: %w", werr))
	}
	if e := (*InternalError)(nil); errors.As(err, &e) {
		e.Reproducer = file
		return err
	}
	return fmt.Errorf("%w\nto reproduce: nereid opt --run-reproducer %s", err, file)
}
