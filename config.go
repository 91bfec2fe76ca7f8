package nereid

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/knob"
)

// Config is how the kernels of a module are compiled and what is kept of it. The zero value compiles in memory, silently.
// docs/options.md says what the environment sets.
type Config struct {
	Cache         *Cache    // where compiled kernels are kept; nil: in memory alone
	Dump          string    // a folder that gets every stage of every kernel that is compiled
	Override      string    // a folder whose files, at the places where Dump writes them, take the place of stages
	AlwaysCompile bool      // even what is kept already
	Debug         bool      // as if Options.Debug were set
	Check         bool      // as if Options.Check were set: accesses out of bounds are errors; docs/CPU.md tells the cost
	NoLines       bool      // code for GPUs does not say its lines: what is moved in its file, or with it, is found in the cache all the same
	Timing        io.Writer // gets a line for each stage of each compilation
	DumpPasses    []string  // passes, or "all", after which the IR is printed to standard error
	Verify        bool      // the IR is verified after each pass
	Reproducers   string    // a folder that gets what is needed to run a pass again that failed
	Tune          TuneOptions
	Budget        Budget // bounds each compilation; the zero value has defaults that no kernel of use meets

	// Isolate runs launches on the CPU in child processes: a kernel that crashes is an error that names it, and one that does not end is
	// ended with its context. docs/CPU.md tells how and what it costs. Other devices do not need it, and pay no heed to it.
	Isolate bool

	Strict bool      // a launch that would have to compile or to tune is an error: ErrNotCompiled
	Record *Recorder // notes what is launched, for a manifest
	Hooks  Hooks
	Logger *slog.Logger // of compilations; may be nil
}

// Budget bounds one compilation, so that no source text can take the machine. A field that is zero has its default; a negative one is no
// limit. A compilation that goes over its budget is an error that names the function, and *BudgetError is in it where it was not the
// front end that stopped it.
//
//   - Source: bytes of source text, imported files included (4 MiB)
//   - Ops: operations of the kernel with all that it calls, unrolled and inlined (500,000)
//   - Time: from the beginning of a compilation to its end (5 minutes)
//   - Memory: bytes of compile-time values, of IR and of what LLVM makes of it, each for itself, as estimated (1 GiB)
//
// LLVM and the driver's assembler cannot be interrupted. What they are given is bounded by Ops and Memory; a launch whose context or time
// has ended does not wait for them.
type Budget = budget.Limits

// BudgetError says which limit of a Budget was met.
type BudgetError = budget.Error

// envBudget is the budget that the environment asks for.
func envBudget() Budget {
	return Budget{
		Source: int(knob.MaxSource.Get()), Ops: int(knob.MaxOps.Get()), Time: knob.MaxTime.Get(), Memory: knob.MaxMemory.Get(),
	}
}

// EnvConfig is the configuration that the environment asks for; modules have it unless With says otherwise.
func EnvConfig() Config {
	c := Config{
		Cache:         EnvCache(),
		Override:      knob.OverrideDir.Get(),
		AlwaysCompile: knob.AlwaysCompile.Get(),
		Debug:         knob.Debug.Get(),
		Check:         knob.Checked.Get(),
		Isolate:       knob.Isolate.Get(),
		NoLines:       knob.Lines.IsSet() && !knob.Lines.Get(),
		Verify:        knob.Verify.Get(),
		Reproducers:   knob.Reproducers.Get(),
	}
	if passes := knob.DumpPasses.Get(); passes != "" {
		c.DumpPasses = strings.Split(passes, ",")
	}
	if knob.Dump.Get() || knob.DumpDir.IsSet() {
		c.Dump = knob.DumpDir.Get()
		if c.Dump == "" {
			c.Dump = "nereid-dump"
		}
	}
	c.Tune = envTune(c.Cache)
	c.Budget = envBudget()
	c.Strict = knob.Strict.Get()
	if file := knob.Record.Get(); file != "" {
		c.Record = envRecorder(file)
	}
	if knob.Timing.Get() {
		c.Timing = os.Stderr
	}
	return c
}

func defaultConfig() *Config {
	c := EnvConfig()
	return &c
}

// timed prints the time of a stage.
func (c *Config) timed(kernel string, s Stage) {
	if c.Timing != nil {
		fmt.Fprintf(c.Timing, "%s %s %.3f ms\n", kernel, s.Name, float64(s.Took.Microseconds())/1000)
	}
}

// envRecorder is the one of a file: modules share it.
func envRecorder(file string) *Recorder {
	r, _ := envRecorders.LoadOrStore(file, &Recorder{File: file})
	return r.(*Recorder)
}

var envRecorders sync.Map // of names to *Recorder

// envTune is how the environment wants kernels tuned.
func envTune(c *Cache) TuneOptions {
	o := TuneOptions{Dir: knob.TuneDir.Get(), ReadOnly: knob.Cache.Get() == "readonly", Again: knob.TuneAgain.Get()}
	if o.Dir == "" && c != nil {
		o.Dir = filepath.Join(c.Dir(), "tune")
	}
	if knob.Cache.Get() == "off" && !knob.TuneDir.IsSet() {
		o.Dir = ""
	}
	if knob.PrintTuning.Get() {
		o.Print = os.Stderr
	}
	return o
}

// warn tells of something that costs time and fails nothing, once for each message.
func (c *Config) warn(msg string, err error) {
	if _, told := warned.LoadOrStore(msg, true); told {
		return
	}
	log := c.Logger
	if log == nil {
		log = slog.Default()
	}
	log.Warn(msg, "err", err)
}

var warned sync.Map // of messages
