package nereid

// Made by TestDoors of internal/arch from internal/runtime/jit. DO NOT EDIT.

import (
	"context"
	"io/fs"

	"github.com/nereid-lang/nereid/internal/runtime/jit"
)

// ErrNoLLVM is wrapped by errors of operations that need LLVM where there is none: opening the CPU, compiling
// for a GPU.
var (
	ErrNoLLVM = jit.ErrNoLLVM
)

// ErrNotCompiled is wrapped by the error of a launch in strict mode that would have to compile or tune. The
// error names the variant.
var (
	ErrNotCompiled = jit.ErrNotCompiled
)

// Bound is a kernel with its arguments bound to one specialization on one stream. The Set methods change
// arguments within the specialization; Launch copies and allocates nothing. A Bound must not be used by
// several goroutines at once.
//
// Its methods:
//
//	func (b *Bound) Close() error
//
// Close releases the arguments.
//
//	func (b *Bound) Launch(grid Grid) error
//
// Launch runs the kernel with the current arguments.
//
//	func (b *Bound) Param(name string) int
//
// Param returns the position of a parameter for the Set methods, or -1.
//
//	func (b *Bound) SetFloat(param int, v float64) error
//
// SetFloat changes a float argument.
//
//	func (b *Bound) SetInt(param int, v int64) error
//
// SetInt changes an integer argument within its specialization: if it was divisible by 16, it must stay so
// (except under do_not_specialize); if it was an int32, it must stay one.
//
//	func (b *Bound) SetTensor(param int, t *Tensor) error
//
// SetTensor changes a tensor argument to one of the same type and alignment on the same device.
type Bound = jit.Bound

// Budget bounds one compilation, so that no source text can exhaust the machine. A zero field has its
// default, a negative one no limit. A compilation over its budget is an error that names the function; it is
// a *BudgetError unless the front end stopped it.
//
// LLVM and the driver's assembler cannot be interrupted. Ops and Memory bound their input; a launch whose
// context or time has ended does not wait for them.
//
// Its fields:
//
//	Source int // bytes of source text, imported files included; 0: 4 MiB
//	Ops int // operations of the kernel with all that it calls, unrolled and inlined; 0: 500,000
//	Time time.Duration // from the beginning of a compilation to its end; 0: 5 minutes
//	// estimated bytes of compile-time values, of IR, and of LLVM's data, each on its own; 0: 1 GiB
//	Memory int64
type Budget = jit.Budget

// BudgetError is the error of a compilation that exceeded a limit of its Budget.
//
// Its fields:
//
//	What string // "operations"
//	Limit string // "200000"
//	Where string // function, and the place if it is known, at which the limit was passed; may be ""
//	Field string // field of Budget
//	Variable string // environment variable that sets it
//
// Its methods:
//
//	func (e *BudgetError) Error() string
//
// Error returns the limit, the place, and how to raise the limit.
//
//	func (e *BudgetError) Unwrap() error
//
// Unwrap returns the compiler's own error.
type BudgetError = jit.BudgetError

// Cache keeps compiled kernels in a folder, which several processes may share.
//
// Its methods:
//
//	func (c *Cache) Close() error
//
// Close waits briefly for writes to the shared level.
//
//	func (c *Cache) Dir() string
//
// Dir returns the cache's folder.
//
//	func (c *Cache) Stats() CacheStats
//
// Stats returns the counts since the cache was opened.
type Cache = jit.Cache

// CacheOptions says where a cache is and what it may do.
//
// Its fields:
//
//	Dir string // "" means NEREID_CACHE_DIR, or else `nereid` in the user's cache folder
//	ReadOnly bool // write nothing
//	Limit int64 // bytes; the least recently used kernels are removed first; 0 means no limit
//	// Redis is a second level shared by machines: redis://host:6379/0. It needs the package nereid/redis.
//	Redis string
//	// Key signs entries in Redis; entries without its signature are refused. "" means no signatures.
//	Key string
//	Logger *slog.Logger // receives problems that are no errors; may be nil
//	// Wait is how long a launch waits for another process that compiles the same kernel before it compiles
//	// itself; 0 means 100 ms.
//	Wait time.Duration
type CacheOptions = jit.CacheOptions

// CacheStats counts the operations of a cache since it was opened.
//
// Its fields:
//
//	Disk int64 // kernels found on disk
//	Shared int64 // kernels found in the shared level
//	Compiled int64 // kernels compiled
//	Damaged int64 // entries that were not usable
//	Evicted int64 // kernels removed to make room
//	Lost int64 // kernels that could not be written to disk
type CacheStats = jit.CacheStats

// Choice is what tuning has chosen for arguments, as Triton's AutotuneListener sees it.
//
// Its fields:
//
//	Kernel string // name of the kernel
//	Key []string // values that the choice depends on
//	Best string // config, as Triton writes it; "" if none works
//	All []Tuned // timings of all configs, measured now or before
//	Took time.Duration // time that measuring took; 0 if nothing was measured
//	Found bool // all timings were found, and nothing was measured
type Choice = jit.Choice

// CompileError is the error of a file that cannot be read or a kernel that cannot be compiled because of
// its source.
//
// Its fields:
//
//	Diagnostics []Diagnostic // at least one, in the order of their places
//
// Its methods:
//
//	func (e *CompileError) Error() string
//
// Error returns every diagnostic with its line of the file and a caret.
//
//	func (e *CompileError) Unwrap() error
//
// Unwrap returns the error that the diagnostics were found in.
type CompileError = jit.CompileError

// Config says how the kernels of a module are compiled and launched, and what is kept. The zero value
// compiles in memory, silently. docs/options.md lists what the environment sets.
//
// Its fields:
//
//	Cache *Cache // keeps compiled kernels; nil keeps them in memory only
//	Dump string // folder that receives every stage of every compilation
//	Override string // folder whose files, named as Dump names them, replace stages
//	AlwaysCompile bool // compile even if the cache has the kernel
//	Debug bool // as if Options.Debug were set
//	// Check acts as if Options.Check were set: accesses out of bounds are errors. docs/CPU.md tells the cost.
//	Check bool
//	// NoLines omits line information from GPU code, so that moving a kernel within its file, or the file
//	// itself, still hits the cache.
//	NoLines bool
//	Timing io.Writer // receives a line for each stage of each compilation
//	DumpPasses []string // passes, or "all", after which the IR is printed to standard error
//	PrintStages []string // stages whose text is printed to standard error: "llir", "ptx"
//	Verify bool // verify the IR after each pass
//	Reproducers string // folder that receives files for running a failed pass again
//	// Triton is the release of the Triton language of the module's files, as NEREID_TRITON names it: "3.9".
//	// Empty leaves it to a line of the file, `# nereid: triton 3.9`, and to the default, 3.6.
//	Triton string
//	// Rules overrides thresholds by which the GPU compiler chooses, as NEREID_RULES does:
//	// name=value,other=off. docs/RULES.md lists them.
//	Rules string
//	// Tune says how kernels under @triton.autotune are tuned.
//	Tune TuneOptions
//	// Budget bounds each compilation. The defaults of the zero value suffice for all real kernels.
//	Budget Budget
//	// Isolate runs launches on the CPU in child processes: a kernel that crashes becomes an error that names
//	// it, and one that does not end is killed when its context ends. docs/CPU.md describes the costs. Other
//	// devices ignore it.
//	Isolate bool
//	// Profile labels what launches do for Go's CPU profiler: samples of a kernel, on the CPU and in the
//	// interpreter, have the labels kernel and device. It costs a launch some 300 ns. Execution traces
//	// (runtime/trace) name compilations and launches in any case.
//	Profile bool
//	Forms Forms // which forms of code Module.Warmup and Kernel.Compile make
//	Strict bool // a launch that would have to compile or tune fails with ErrNotCompiled
//	Record *Recorder // records launched variants for a manifest
//	Hooks Hooks // functions called around compilations and launches
//	Logger *slog.Logger // receives compilations; may be nil
//	// Print receives the output of tl.static_print while kernels are compiled, from several goroutines one
//	// text at a time. Nil sends it to Logger, or to slog's default logger, at level Info. io.Discard drops
//	// it.
//	Print io.Writer
type Config = jit.Config

// Diagnostic is a message about a place in a kernel's file.
//
// Its fields:
//
//	Severity string // "error", "warning" or "remark"
//	Code string // short stable identifier such as "shape-mismatch", listed in docs/errors.md; may be ""
//	Message string // what is wrong, in one sentence
//	File string // "" if the message has no place
//	Line int // counted from 1; Column counts characters
//	Column int // counted from 1; Column counts characters
//	EndLine int // behind the last character; equal to the beginning for a point
//	EndColumn int // behind the last character; equal to the beginning for a point
//	Notes []Note // further places and remarks
//	Hint string // remedy; may be ""
//
// Its methods:
//
//	func (d Diagnostic) String() string
//
// String returns the place and the message on one line, as compilers write them.
type Diagnostic = jit.Diagnostic

const (
	AllForms    = jit.AllForms    // all that a launch may choose
	SeenForms   = jit.SeenForms   // those that the variants name: what recorded launches ran
	GeneralForm = jit.GeneralForm // only the code that any launch can begin with
)

// Forms says which forms of a variant's code Module.Warmup makes. Code that serves all launches is always
// among them.
type Forms = jit.Forms

// GeneralRun describes launches that ran code of a more general specialization than their own, because they
// could not compile: in strict mode, or on a stream that was being captured. The code is right for them and
// may be slower.
//
// Its fields:
//
//	Variant Variant // specialization of the launches
//	Code Variant // specialization of the code that ran
//	// Causes says how the launches differ: "parameter seed is 16-divisible, and was not before". To compile
//	// code of their own, record such a launch, or warm up all specializations (nereid warm --all).
//	Causes []string
//	Launches uint64 // how many there were
type GeneralRun = jit.GeneralRun

// Hooks are functions called around compilations and launches, by the goroutine that compiles or launches.
// Any may be nil; a launch without hooks pays nothing for them.
//
// Its fields:
//
//	// BeforeCompile may return an error, which refuses the compilation and fails the launch.
//	BeforeCompile func(ctx context.Context, v Variant) error
//	// AfterCompile is called with the outcome; found reports that the cache had the kernel.
//	AfterCompile func(v Variant, took time.Duration, found bool, err error)
//	Stage func(v Variant, s Stage) // called for each stage; Text may be nil
//	// ReplaceStage is called with the text of each stage from which a compilation can go on (source, ttir,
//	// ttgir, llir, ptx) and returns another text to go on from, or nil. The cache does not keep what is
//	// compiled with it.
//	ReplaceStage func(v Variant, stage string, text []byte) []byte
//	// General is called when a launch that may not compile first runs code of a more general specialization;
//	// Module.General counts such launches.
//	General func(GeneralRun)
//	// Late is called before each compilation that a launch waits for after Module.Warmup, with its cause:
//	// "parameter n was 16-divisible before, and is not". The module need not be strict.
//	Late func(v Variant, cause string)
//	// Unload is called when nobody can launch a compiled kernel any more (its module was collected) and its
//	// code is given back to the device, by a goroutine of the garbage collector's, which it must not keep
//	// waiting.
//	Unload func(v Variant, device string)
//	// Tuned is called with each choice of a config, measured now or found.
//	Tuned func(Choice)
//	BeforeLaunch func(Launching) // called before the work is queued
//	AfterLaunch func(Launching, error) // called when the work is queued, which may be before it is done
type Hooks = jit.Hooks

// InterpOptions says how an interpreter runs kernels. Accesses out of bounds, misaligned accesses and failed
// assertions are always errors.
//
// Its fields:
//
//	// CheckUninit makes it an error to load memory that was never written. A tensor made by NewTensor is such
//	// memory until it is written.
//	CheckUninit bool
//	// CheckRaces makes it an error if two programs store different values to the same address, or if one
//	// loads what another has stored, unless atomics order them. Programs then run one after another.
//	CheckRaces bool
//	// CheckOverflow makes it an error if a sum, difference or product of less than 64 bits wraps around on
//	// its way to an address.
//	CheckOverflow bool
//	IEEE bool // compute products of fp32 in full precision even if the kernel allows tf32
//	Workers int // goroutines that run programs; 0 means one for each core
//	MaxSteps int64 // operations that a program may execute; 0 means no limit
//	Stdout io.Writer // output of tl.device_print; nil means where PrintTo says
type InterpOptions = jit.InterpOptions

// Kernel is a jit function that can be launched.
//
// Its methods:
//
//	func (k *Kernel) Bind(s *Stream, arguments ...any) (*Bound, error)
//
// Bind compiles the kernel for arguments and keeps them for launches on a stream. Decorators complete the
// arguments as in Launch. Bind launches nothing, so a kernel that has not been tuned for these arguments must
// be launched once before. The caller closes the Bound.
//
//	func (k *Kernel) Build(ctx context.Context, dev *Device, signature string, opts Options) error
//
// Build compiles the kernel for a device and a signature, even in strict mode, so that launches with such
// arguments find the code. Unlike Module.Warmup it leaves code that only some launches need to them.
//
//	func (k *Kernel) Compile(ctx context.Context, dev *Device, signature string,
//		opts Options) (*Compiled, error)
//
// Compile compiles the kernel for a device and a signature in the form of Triton's ahead-of-time tool
// ("*fp32:16, *fp32:16, i32, 1024"). A nil device stops at Triton IR for an sm_90 GPU.
//
// On GPUs, launches of the result choose among several forms of the code, as Kernel.Launch does.
// Config.Forms bounds them, and with them the time to compile; with SeenForms they are those that
// Config.Record has seen.
//
//	func (k *Kernel) CompileConfig(s *Stream, grid Programs, config string, arguments ...any) error
//
// CompileConfig compiles what LaunchConfig with these arguments launches.
//
//	func (k *Kernel) CompileFor(ctx context.Context, target, signature string, opts Options,
//		until string) (*Compiled, error)
//
// CompileFor compiles for a target that this machine may not have ("cuda:90", "cuda:80", "hip:gfx942", "cpu",
// "cpu:x86-64-v3", "interp"), up to a stage; "" means all. The result of all stages can be saved, with the
// forms that Compile makes, and launched where the device is.
//
//	func (k *Kernel) Configs(dev *Device) ([]TuneConfig, error)
//
// Configs returns the configs of the kernel's @triton.autotune for a device, before any pruning. A kernel
// without the decorator has none.
//
//	func (k *Kernel) Launch(s *Stream, grid Programs, arguments ...any) error
//
// Launch runs the kernel once for each program of the grid. Arguments are given in the order of the
// parameters or by name (Arg); an Options value among them sets num_warps and the like. An argument may be:
//
//   - for a pointer: a *Tensor, or nil
//   - for a scalar: any integer or float type of Go, a bool, or a Scalar
//   - for a constexpr: an integer, float, bool, string, nil, a DType, a Func, or a slice of these (a tuple)
//   - for a tuple: a slice or array of these, with Const for items that are compiled in; for a named tuple:
//     Fields
//   - for a tensor descriptor: a *Descriptor
//
// Integers become i32 or i64 by value and are specialized on being 1 or divisible by 16, pointers on
// alignment, as in Triton. A new specialization is compiled first, under the stream's context. On a GPU
// Launch returns as soon as the work is queued; Stream.Sync waits for it. On all other devices it returns
// when the kernel has run. A nil stream means a stream of the best device, which Launch waits for.
//
//	func (k *Kernel) LaunchConfig(s *Stream, grid Programs, config string, arguments ...any) error
//
// LaunchConfig launches with a config of the kernel's @triton.autotune, by its name (TuneConfig.Name),
// instead of the one that a tuning chooses, and calls the config's hook.
//
//	func (k *Kernel) Name() string
//
// Name returns the kernel's name in its file.
//
//	func (k *Kernel) Params() []Param
//
// Params returns the kernel's parameters.
//
//	func (k *Kernel) Signature(arguments ...any) (string, error)
//
// Signature returns the signature, in the form that Compile takes, of the specialization that a launch with
// these arguments runs. A kernel of ParseIR has but one, which it also returns without arguments.
//
//	func (k *Kernel) Source(ctx context.Context, arguments ...any) ([]byte, error)
//
// Source returns the Triton IR, before any pass, that a launch with these arguments compiles.
//
//	func (k *Kernel) Text() (string, error)
//
// Text returns the text of the kernel and of the functions of its file that it calls: what its code is made
// of, so that results that were measured with another text are known to be old.
//
//	func (k *Kernel) Tune(s *Stream, grid Programs, arguments ...any) error
//
// Tune chooses the kernel's config for arguments, as their first launch would, and compiles the kernel with
// it, even in strict mode: a service tunes and compiles before it takes requests. Configs are launched to be
// measured, so tensors hold arbitrary results afterwards unless the decorator restores them. A kernel without
// decorators is compiled. Launches with arguments of the same key then find the choice.
type Kernel = jit.Kernel

// LaunchArg is an argument of a launch.
//
// Its fields:
//
//	Name string // name of the parameter
//	Value any // a *Tensor, a *Descriptor, a number, a bool, nil for None, and so on
type LaunchArg = jit.LaunchArg

// Launching describes a launch to hooks.
//
// Its fields:
//
//	Variant Variant // specialization that is launched
//	Device *Device // where it runs
//	Stream *Stream // queue of its work
//	Grid Grid // its programs, without zeros unless there are none
//	Entry string // name of the function in the code, which @triton.jit(repr=…) may choose
//	Shared int // bytes of shared memory of a block
//	Registers int // registers of a thread; 0 if they are not known
//	Spills int // bytes of local memory of a thread; 0 if they are not known
//
// Its methods:
//
//	func (l *Launching) Args() []LaunchArg
//
// Args returns the arguments of the launch, compile-time ones among them, by parameter. A generated function
// passes no compile-time arguments, and its pointers are of type uintptr. The tensors must not be used once
// the hook has returned.
//
//	func (l *Launching) Metadata() (map[string]any, error)
//
// Metadata returns the dict of the function under @triton.jit(launch_metadata=…), which is called now with
// the grid, a description of the code and the arguments, as for Triton's hooks; nil if there is none.
type Launching = jit.Launching

// LoadOption changes how a file is read and its kernels are compiled.
type LoadOption = jit.LoadOption

// Manifest is the contents of a manifest file: a list of variants.
//
// Its fields:
//
//	Version int // version of the format: 1
//	Variants []Variant // in the order of the file
type Manifest = jit.Manifest

// Module is a file with kernels.
//
// Its methods:
//
//	func (m *Module) AllVariants(list []Variant, ranges map[string]Range) ([]Variant, error)
//
// AllVariants returns the Specializations of every variant of a manifest that is of the module's file. Ranges
// of parameters that a kernel does not have do not matter to it.
//
//	func (m *Module) General() (list []GeneralRun)
//
// General returns which launches of the module's kernels ran code of a more general specialization, and how
// many, in the order in which they first came.
//
//	func (m *Module) Kernel(name string) (*Kernel, error)
//
// Kernel returns a kernel of the file, with its decorators.
//
//	func (m *Module) Kernels() []string
//
// Kernels returns the names of the file's jit functions, in order.
//
//	func (m *Module) Specializations(v Variant, ranges map[string]Range) ([]Variant, error)
//
// Specializations returns all variants that launches with the types and constants of v may need: numbers that
// are 1, divisible by 16 or neither, addresses that are divisible by 16 or not. Ranges, by parameter, bound
// the values of numbers; a parameter without one can have any value of its type. For parameters under
// do_not_specialize, only the alignment matters. It is an error if there are more than 4,096.
//
//	func (m *Module) Triton() string
//
// Triton returns the release of the language that the file's kernels are compiled as: "3.6", "3.9+block_ptr".
//
//	func (m *Module) Warmup(ctx context.Context, dev *Device, list []Variant, progress func(done,
//		total int, v Variant, err error)) error
//
// Warmup compiles variants of the module's kernels for a device (nil means the best), several at once, so
// that launches find them. Variants of other files, and of other releases of Triton, are skipped. A file
// matches if it is the module's or one path ends with the other, so that a manifest written with
// kernels/add.py serves a program that loads /srv/kernels/add.py. progress, if not nil, is called after each
// variant, by one goroutine at a time. Warmup returns the joined errors of all variants; it is also an error
// if no variant is of the module's file.
//
// On GPUs, launches choose among several forms of a variant's code: with merged programs, deeper pipelines,
// persistent programs. Config.Forms says which of them Warmup makes.
type Module = jit.Module

// Note is a second place that explains a Diagnostic, or a remark if it has no File.
//
// Its fields:
//
//	Message string // what the place has to do with the message
//	File string // "" for a remark
//	Line int // counted from 1
//	Column int // counted from 1
type Note = jit.Note

// Param describes a parameter of a kernel.
//
// Its fields:
//
//	Name string // as in the file
//	Constexpr bool // known at compile time
//	Optional bool // has a default
type Param = jit.Param

// Range is the values that launches pass for a number, from First to Last.
//
// Its fields:
//
//	First int64
//	Last int64
type Range = jit.Range

// Recorder records the variants that a program launches, for a manifest. The zero value is ready to use.
// Tuned kernels are recorded with every config that was tried.
//
// Its fields:
//
//	// File, if set before the first launch, receives each variant at once. Its contents stay, and processes
//	// may share it. A file that is no manifest is not changed.
//	File string
//
// Its methods:
//
//	func (r *Recorder) Variants() []Variant
//
// Variants returns the recorded variants, sorted.
//
//	func (r *Recorder) WriteFile(name string) error
//
// WriteFile writes a manifest of the recorded variants to a file.
type Recorder = jit.Recorder

// StageText is a kernel in the form of one of its stages, made by Nereid, by another compiler or by hand:
// Triton IR, TTGIR, LLVM IR or PTX.
//
// Its fields:
//
//	Name string // name of the file; its ending names the stage: "x.ttir", "x.ttgir", "x.llir", "x.ptx"
//	Text []byte // the stage itself
//	Kernel string // function of the text; "" means the only one
//	// Description is the JSON that Compiled.LaunchInfo wrote for the kernel. LLVM IR and PTX do not tell
//	// everything that a launch needs without it.
//	Description []byte
//	// Shared is the number of bytes of dynamic shared memory that PTX without a description uses, if it uses
//	// any; 0 means that they are not known.
//	Shared int
type StageText = jit.StageText

// TuneOptions says how kernels under @triton.autotune are tuned. The zero value measures as Triton does and
// keeps nothing.
//
// Its fields:
//
//	Dir string // folder for timings, used by later runs and other processes; "" keeps none
//	ReadOnly bool // do not write to Dir
//	Store *TuneStore // keeps timings instead of Dir, for other machines say; may be nil
//	Warmup time.Duration // for each config, unless the decorator says otherwise; 0 means 25 and 100 ms
//	Rep time.Duration // for each config, unless the decorator says otherwise; 0 means 25 and 100 ms
//	// Budget is the time limit of a tuning: configs not measured by then are skipped. 0 means none.
//	Budget time.Duration
//	Again bool // measure configs even if their timings are kept
//	Print io.Writer // receives a line for each config and each choice; may be nil
//	// Verify launches each config once more and compares its results with those of the first config. A config
//	// that differs by more than rounding is skipped.
//	Verify bool
//	// Journal saves each timing at once and records a config as fatal while it is measured: after a crash,
//	// another process continues behind the config that caused it. A lost device ends the tuning.
//	Journal bool
//	// Done is called with each choice and the timings of all configs, measured now or before; may be nil.
//	Done func(best string, all []Tuned)
//	// Progress is called for each config that was measured or failed. Without it and Print, a tuning of more
//	// than a second is logged (Config.Logger, or slog's default logger): that it goes on, and its end.
//	Progress func(Tuned)
type TuneOptions = jit.TuneOptions

// Tuned is the result of measuring a config.
//
// Its fields:
//
//	Kernel string // name of the kernel
//	Key []string // values that the choice depends on
//	Config string // as Triton writes it
//	Median time.Duration // median of the runs
//	Low time.Duration // quantiles 0.2 and 0.8
//	High time.Duration // quantiles 0.2 and 0.8
//	Failed string // why there is no timing, or ""
//	Index int // position among the configs to measure, and their number
//	Count int // position among the configs to measure, and their number
type Tuned = jit.Tuned

// Variant names a specialization of a kernel: a launch compiles one, and a manifest lists them.
//
// Its fields:
//
//	File string // as the module was loaded
//	Kernel string // name of the kernel
//	Signature string // in the form that Kernel.Compile takes
//	Options Options // defaults filled in
//	// Form names the launches for which the code is, where a recorded launch ran code that serves only some:
//	// those of few programs, or with strides of 1, say. "" is the code that any launch can begin with.
//	Form string
//	// Triton is the release of the language, "3.9"; empty: 3.6
//	Triton string
//
// Its methods:
//
//	func (v Variant) String() string
//
// String returns the variant on one line, with Triton's names of the options.
type Variant = jit.Variant

// CompileStage goes on with a kernel from one of its stages, up to another; "" means all. The passes of the
// stage itself and of those before do not run. target is as for Kernel.CompileFor; "" means the one that the
// text names.
func CompileStage(ctx context.Context, target string, in StageText, opts Options,
	until string) (*Compiled, error) {
	return jit.CompileStage(ctx, target, in, opts, until)
}

// Env sets the environment variables that the file's module-level code sees. Without it there are none.
func Env(vars map[string]string) LoadOption {
	return jit.Env(vars)
}

// EnvCache returns the cache that the environment configures, or nil. Equal settings give the same cache. A
// program with a shared level that ends soon after compiling closes it first.
func EnvCache() *Cache {
	return jit.EnvCache()
}

// EnvConfig returns the configuration of the environment. Modules use it unless With says otherwise.
func EnvConfig() Config {
	return jit.EnvConfig()
}

// Load reads a regular file. Imports of other modules are found below its project: the nearest folder around
// it that has a pyproject.toml, setup.py, setup.cfg or .git, or else the folder of its outermost package, or
// else its own.
func Load(name string, opts ...LoadOption) (*Module, error) {
	return jit.Load(name, opts...)
}

// LoadFS reads a file of a file system such as an embed.FS; imports are found in it too.
func LoadFS(fsys fs.FS, name string, opts ...LoadOption) (*Module, error) {
	return jit.LoadFS(fsys, name, opts...)
}

// NewInterpreter returns an interpreter with its own options, separate from the device "interp" that
// OpenDevice returns.
func NewInterpreter(o InterpOptions) *Device {
	return jit.NewInterpreter(o)
}

// OpenCache returns a cache. If the folder does not exist and cannot be made, or is not writable, nothing is
// kept. A folder that users other than this process's and root can write to is not used, and the logger is
// told: SECURITY.md says why.
func OpenCache(o CacheOptions) (*Cache, error) {
	return jit.OpenCache(o)
}

// OpenTarget returns a device that compiles for a target which this machine need not have: "cuda:90",
// "hip:gfx942". It launches nothing. Module.Warmup with it fills a cache for machines that have such a
// device: their programs find what was compiled, if they are built with the same sources of Nereid and the
// same version of LLVM. GPUs of NVIDIA's assemble the code when they load it.
func OpenTarget(name string) (*Device, error) {
	return jit.OpenTarget(name)
}

// Parse reads kernels from text. The name appears in messages; no file is read for imports unless Roots names
// folders.
func Parse(name string, src []byte, opts ...LoadOption) (*Module, error) {
	return jit.Parse(name, src, opts...)
}

// ParseIR reads a kernel that another front end, Triton's own say, has translated to Triton IR: the text of a
// module with one public function, before any pass. The name appears in messages. Launches pass an argument
// for each parameter of the function; a tensor descriptor, with its shape and strides, is one parameter.
//
// The IR is one specialization, and states what it assumes of its arguments (tt.divisibility). Launches do
// not check that: pass numbers as Scalar of the parameter's type, and pointers that are aligned as the IR
// says.
func ParseIR(name string, text []byte, opts ...LoadOption) (*Module, error) {
	return jit.ParseIR(name, text, opts...)
}

// ParseManifest reads the text of a manifest, one that a program embeds say.
func ParseManifest(data []byte) (*Manifest, error) {
	return jit.ParseManifest(data)
}

// ReadManifest reads a file that a Recorder wrote. A variant that a killed process had begun to add is
// ignored.
func ReadManifest(name string) (*Manifest, error) {
	return jit.ReadManifest(name)
}

// Roots adds folders in which imports are searched and below which files may be read. Without it, Load uses
// the file's project, LoadFS the file system, and Parse none. Nothing in a file (sys.path, relative imports,
// links) leads beyond them.
func Roots(dirs ...string) LoadOption {
	return jit.Roots(dirs...)
}

// StageOf returns the stage that a file's ending names ("source", "ttir", "ttgir", "linalg", "llir",
// "ptx"), or "".
func StageOf(file string) string {
	return jit.StageOf(file)
}

// Triton chooses the release of the Triton language that the file is written in: "3.6" to "3.9", or
// "3.9+block_ptr", which keeps block pointers under the rules of 3.9. It is asked before Config.Triton and
// before the line of the file, `# nereid: triton 3.9`, that says so. Files for which nothing is chosen are
// written in 3.6. docs/VERSIONS.md lists what differs.
func Triton(release string) LoadOption {
	return jit.Triton(release)
}

// WarmMain is a hook for the main function of a program. If the environment variable NEREID_WARM names a
// manifest, it compiles the manifest's variants of these modules into their cache, for the device in
// NEREID_DEVICE or the best one, prints a line for each, and ends the process. Otherwise it does nothing.
//
// Compiled kernels belong to a build of the compiler: a release of this module, or the sources of a checkout.
// What a `nereid warm` of another build compiles is therefore of no use to a program;
// `nereid warm MANIFEST --program ./prog` has the program do it.
func WarmMain(mods ...*Module) {
	jit.WarmMain(mods...)
}

// With compiles the module's kernels under a configuration of the program instead of the environment's.
func With(c Config) LoadOption {
	return jit.With(c)
}
