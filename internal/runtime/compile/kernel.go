package compile

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/cache"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/target"
)

// Settings says how the kernels of a file are compiled and launched. The root package's Config documents the
// fields that have its names.
type Settings struct {
	Store         *cache.Store // nil keeps compiled kernels in memory only
	Dump          string
	Override      string
	Given         *target.Given // stage that every compilation starts from, or nil
	AlwaysCompile bool
	Debug         bool
	Check         bool
	NoLines       bool
	Rules         string
	Isolate       bool
	Strict        bool
	Timing        io.Writer
	Printer       func(kernel string) io.Writer // where tl.static_print of a kernel writes
	Passes        pass.Options
	Budget        budget.Limits

	Hooks  Hooks        // of compilations
	Around *LaunchHooks // of launches; nil if there are none

	Profile bool // launches carry labels for the profiler
}

// Hooks are functions called around compilations. Any may be nil.
type Hooks struct {
	Before func(ctx context.Context, v Variant) error // an error refuses the compilation
	After  func(v Variant, dev *args.Device, took time.Duration, found bool, err error)
	Stage  func(v Variant, s Stage)
	Built  func(v Variant) // called for each new Build

	// Late, if not nil, is called before a compilation that a launch waits for, with its cause, once Warmed
	// returns true.
	Late   func(v Variant, cause string)
	Warmed func() bool
}

// Stage is one form of a kernel on its way to a device.
type Stage struct {
	Name string
	Took time.Duration
	Text []byte // nil if the texts were not asked for
}

// Kernel is a kernel of a file, with its specializations. It must not be copied.
type Kernel struct {
	Source *lang.Source
	Name   string
	Params []lang.Param
	Set    *Settings

	built builds
	found atomic.Pointer[found] // last answer of elsewhere
}

// Spec is a specialization: a device, the compiler's description of each argument, options.
type Spec struct {
	Dev  *args.Device // nil means no device: compilations end with Triton IR for an sm_90 GPU
	Args []lang.ArgSpec
	Opts target.Options
}

// budget returns a meter for a compilation that begins now, and a context that ends when its time is up.
func (k *Kernel) budget(ctx context.Context) (context.Context, *budget.Meter, context.CancelFunc) {
	meter := budget.New(ctx, k.Set.Budget)
	ctx, cancel := meter.Context(ctx, k.Name)
	return ctx, meter, cancel
}
