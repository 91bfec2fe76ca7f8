package pass

import (
	"io"
	"strings"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Pass is one step of a pipeline: valid IR in, valid IR out.
type Pass struct {
	Name string // "triton-combine": on the command line, in dumps, in timings
	Doc  string // one line for nereid opt --help
	Run  func(*Context, *ir.Module) error
	// Configure returns the pass with options; nil if it has none.
	Configure func(options map[string]string) (Pass, error)
}

// Options say what the runner does around the passes. The tags name the flags of `nereid opt`, and describe
// them.
type Options struct {
	Verify       bool     `flag:"verify" help:"verify the IR before the first pass and after each"`
	Timing       bool     `flag:"timing" help:"print how long each pass took"`
	DumpBefore   []string `flag:"dump-before" help:"print the IR before these passes (names, or all)"`
	DumpAfter    []string `flag:"dump-after" help:"print the IR after these passes (names, or all)"`
	StopAfter    string   `flag:"stop-after" help:"run no pass after the first one of this name"`
	RewriteLimit int      `flag:"rewrite-limit" help:"rewrites at most, to bisect a miscompile (0: no limit)"`
	Reproducers  string   `flag:"reproducers" help:"folder for a reproducer when a pass fails"`
}

// Context is the state of one run of a pipeline. It belongs to one goroutine.
type Context struct {
	Options
	Dump  io.Writer    // where dumps go; nil drops them
	Stage func(Stage)  // called before and after each pass, for traces; may be nil
	Print PrintOptions // how dumps and reproducers are printed

	Budget *budget.Meter // bounds what passes make, and how long they take; nil bounds nothing

	timings   []Timing
	rewrites  int
	unsettled []string
	at        *ir.Op
}

// PrintOptions are those of the IR's printer.
type PrintOptions = ir.PrintOptions

// Timings returns the durations of the passes that have run, in order.
func (c *Context) Timings() []Timing { return c.timings }

// Rewrites returns the number of rewrites made so far.
func (c *Context) Rewrites() int { return c.rewrites }

// Unsettled names the passes whose rewriting was cut off because it did not come to rest: a bug in a pattern,
// though the IR is valid.
func (c *Context) Unsettled() []string { return c.unsettled }

// Rewrite asks for leave to make one more optional rewrite, and counts it.
func (c *Context) Rewrite() bool {
	if c.RewriteLimit > 0 && c.rewrites >= c.RewriteLimit {
		return false
	}
	c.rewrites++
	return true
}

// At notes the operation that a pass is working on, for the report when it panics or goes over its budget. A
// pass calls it for each operation that it spends time on.
func (c *Context) At(op *ir.Op) {
	c.at = op
	c.Budget.Tick()
}

// Stage is the module before or after a pass, as a recorder sees it. The module must not be kept: passes
// change it.
type Stage struct {
	Index  int    // position in the pipeline
	Pass   string // "" for the input
	After  bool
	Module *ir.Module
}

// Title returns the stage in words.
func (s Stage) Title() string {
	if s.After {
		return "after " + s.Pass
	}
	return "before " + s.Pass
}

// wants reports whether a list of pass names takes in name.
func wants(list []string, name string) bool {
	for _, n := range list {
		if n == name || n == "all" {
			return true
		}
	}
	return false
}

// Names joins the names of passes, as --pass-pipeline takes them.
func Names(passes []Pass) string {
	names := make([]string, len(passes))
	for i, p := range passes {
		names[i] = p.Name
	}
	return strings.Join(names, ",")
}

// Lookup returns the pass of a name in a list.
func Lookup(list []Pass, name string) (Pass, bool) {
	for _, p := range list {
		if p.Name == name {
			return p, true
		}
	}
	return Pass{}, false
}
