package jit

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

// Config says how the kernels of a module are compiled and launched, and what is kept. The zero value
// compiles in memory, silently. docs/options.md lists what the environment sets.
type Config struct {
	Cache         *Cache // keeps compiled kernels; nil keeps them in memory only
	Dump          string // folder that receives every stage of every compilation
	Override      string // folder whose files, named as Dump names them, replace stages
	AlwaysCompile bool   // compile even if the cache has the kernel
	Debug         bool   // as if Options.Debug were set
	// Check acts as if Options.Check were set: accesses out of bounds are errors. docs/CPU.md tells the cost.
	Check bool
	// NoLines omits line information from GPU code, so that moving a kernel within its file, or the file
	// itself, still hits the cache.
	NoLines     bool
	Timing      io.Writer // receives a line for each stage of each compilation
	DumpPasses  []string  // passes, or "all", after which the IR is printed to standard error
	PrintStages []string  // stages whose text is printed to standard error: "llir", "ptx"
	Verify      bool      // verify the IR after each pass
	Reproducers string    // folder that receives files for running a failed pass again
	// Triton is the release of the Triton language of the module's files, as NEREID_TRITON names it: "3.9".
	// Empty leaves it to a line of the file, `# nereid: triton 3.9`, and to the default, 3.6.
	Triton string
	// Rules overrides thresholds by which the GPU compiler chooses, as NEREID_RULES does:
	// name=value,other=off. docs/RULES.md lists them.
	Rules string
	// Tune says how kernels under @triton.autotune are tuned.
	Tune TuneOptions
	// Budget bounds each compilation. The defaults of the zero value suffice for all real kernels.
	Budget Budget

	// Isolate runs launches on the CPU in child processes: a kernel that crashes becomes an error that names
	// it, and one that does not end is killed when its context ends. docs/CPU.md describes the costs. Other
	// devices ignore it.
	Isolate bool

	// Profile labels what launches do for Go's CPU profiler: samples of a kernel, on the CPU and in the
	// interpreter, have the labels kernel and device. It costs a launch some 300 ns. Execution traces
	// (runtime/trace) name compilations and launches in any case.
	Profile bool

	Forms  Forms        // which forms of code Module.Warmup and Kernel.Compile make
	Strict bool         // a launch that would have to compile or tune fails with ErrNotCompiled
	Record *Recorder    // records launched variants for a manifest
	Hooks  Hooks        // functions called around compilations and launches
	Logger *slog.Logger // receives compilations; may be nil

	// Print receives the output of tl.static_print while kernels are compiled, from several goroutines one
	// text at a time. Nil sends it to Logger, or to slog's default logger, at level Info. io.Discard drops
	// it.
	Print io.Writer
}

// Budget bounds one compilation, so that no source text can exhaust the machine. A zero field has its
// default, a negative one no limit. A compilation over its budget is an error that names the function; it is
// a *BudgetError unless the front end stopped it.
//
// LLVM and the driver's assembler cannot be interrupted. Ops and Memory bound their input; a launch whose
// context or time has ended does not wait for them.
type Budget struct {
	Source int           // bytes of source text, imported files included; 0: 4 MiB
	Ops    int           // operations of the kernel with all that it calls, unrolled and inlined; 0: 500,000
	Time   time.Duration // from the beginning of a compilation to its end; 0: 5 minutes
	// estimated bytes of compile-time values, of IR, and of LLVM's data, each on its own; 0: 1 GiB
	Memory int64
}

// envBudget returns the budget that the environment configures.
func envBudget() Budget {
	return Budget{
		Source: int(knob.MaxSource.Get()), Ops: int(knob.MaxOps.Get()), Time: knob.MaxTime.Get(),
		Memory: knob.MaxMemory.Get(),
	}
}

// EnvConfig returns the configuration of the environment. Modules use it unless With says otherwise.
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
		Rules:         knob.Rules.Get(),
		Triton:        knob.Triton.Get(),
	}
	if passes := knob.DumpPasses.Get(); passes != "" {
		c.DumpPasses = strings.Split(passes, ",")
	}
	if stages := knob.PrintStages.Get(); stages != "" {
		c.PrintStages = strings.Split(stages, ",")
	}
	c.Logger = envLogger()
	if knob.Dump.Get() || knob.DumpDir.IsSet() {
		c.Dump = knob.DumpDir.Get()
		if c.Dump == "" {
			c.Dump = "nereid-dump"
		}
	}
	c.Tune = envTune(c.Cache)
	c.Budget = envBudget()
	c.Strict = knob.Strict.Get()
	c.Profile = knob.Profile.Get()
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
	for _, err := range knob.Refused() {
		c.warn("nereid: "+err.Error(), nil)
	}
	return &c
}

// envLogger returns the logger that the environment asks for, or nil.
func envLogger() *slog.Logger {
	var level slog.Level
	if level.UnmarshalText([]byte(knob.Log.Get())) != nil { // off
		return nil
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
}

// envRecorder returns the recorder of a file, which modules share.
func envRecorder(file string) *Recorder {
	r, _ := envRecorders.LoadOrStore(file, &Recorder{File: file})
	return r.(*Recorder)
}

var envRecorders sync.Map // file name to *Recorder

// envTune returns the tuning options of the environment.
func envTune(c *Cache) TuneOptions {
	o := TuneOptions{Dir: knob.TuneDir.Get(), ReadOnly: knob.Cache.Get() == "readonly",
		Again: knob.TuneAgain.Get()}
	if o.Dir == "" && c != nil {
		o.Dir = filepath.Join(c.Dir(), "tune")
	}
	if knob.Cache.Get() == "off" && !knob.TuneDir.IsSet() {
		o.Dir = ""
	}
	if knob.PrintTuning.Get() {
		o.Print = os.Stderr
	}
	if address := knob.CacheRedis.Get(); address != "" && knob.Cache.Get() != "off" {
		o.Store = envTuneStore(core.TuneStoreOptions{Dir: o.Dir, ReadOnly: o.ReadOnly, Redis: address,
			Key: knob.CacheKey.Get()})
	}
	return o
}

// warn logs a problem that fails nothing, once for each message.
func (c *Config) warn(msg string, err error) {
	if _, told := warned.LoadOrStore(msg, true); told {
		return
	}
	log := c.Logger
	if log == nil {
		log = slog.Default()
	}
	if err == nil {
		log.Warn(msg)
		return
	}
	log.Warn(msg, "err", err)
}

var warned sync.Map // messages logged
