package compile

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/cache"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/signature"
	"github.com/nereid-lang/nereid/internal/target"
)

// Settings says how the kernels of a file are compiled and launched. Package jit's Config documents the
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
	Print         []string // stages whose text is printed to standard error
	Timing        io.Writer
	Printer       func(kernel string) io.Writer // where tl.static_print of a kernel writes
	Passes        pass.Options
	Watch         target.PassWatcher // may be nil
	Budget        budget.Limits

	Hooks  Hooks             // hooks of compilations
	Around *code.LaunchHooks // hooks around launches; nil if there are none

	Profile bool // launches carry labels for the profiler
}

// Hooks are functions called around compilations. Any may be nil.
type Hooks struct {
	Before func(ctx context.Context, v code.Variant) error // an error refuses the compilation
	After  func(v code.Variant, dev *args.Device, took time.Duration, found bool, err error)
	Stage  func(v code.Variant, s code.Stage)
	Built  func(v code.Variant) // called for each new Build
	// Unload, if not nil, is called when nobody can launch a Build any more and its code is given back.
	Unload func(v code.Variant, dev string)
	// Replace returns another text for that of a stage, or nil.
	Replace func(v code.Variant, stage string, text []byte) []byte

	// Late, if not nil, is called before a compilation that a launch waits for, with its cause, once Warmed
	// returns true.
	Late   func(v code.Variant, cause string)
	Warmed func() bool
}

// Kernel is a kernel of a file, with its specializations. It must not be copied.
type Kernel struct {
	Source *lang.Source
	Name   string
	Params []signature.Param
	Set    *Settings

	built builds
	found atomic.Pointer[found] // last answer of elsewhere
}

// Spec is a specialization: a device, the compiler's description of each argument, options.
type Spec struct {
	Dev  *args.Device // nil means no device: compilations end with Triton IR for an sm_90 GPU
	Args []signature.Arg
	Opts target.Options
}

// budget returns a meter for a compilation that begins now, and a context that ends when its time is up.
func (k *Kernel) budget(ctx context.Context) (context.Context, *budget.Meter, context.CancelFunc) {
	meter := budget.New(ctx, k.Set.Budget)
	ctx, cancel := meter.Context(ctx, k.Name)
	return ctx, meter, cancel
}

// targetName returns the target that a device's code is made for, as hooks see it; "" for none.
func targetName(d *args.Device) string {
	if d == nil {
		return ""
	}
	return device.Kind(d.Backend)
}

// TargetOf returns the properties of a device that kernels can see; no device has the default.
func TargetOf(d *args.Device) lang.Target {
	if d != nil {
		if b, ok := d.Backend.(target.Backend); ok {
			return b.Target()
		}
	}
	return lang.DefaultTarget
}
