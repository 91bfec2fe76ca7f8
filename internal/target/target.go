package target

import (
	"bytes"
	"context"
	"io"
	"time"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/pass"
)

// Input is a kernel to be compiled.
type Input struct {
	Module  *ir.Module // the front end's module; the back end may change it
	Kernel  string     // name of its function
	Options Options

	Params    []Param           // arguments of launches
	Constants map[string]string // values that are compiled in, as Python literals by parameter

	Stages Recorder // called for each stage; may be nil
	Until  string   // last stage; "" means all

	// Override returns the text that replaces a stage, or nil. The function may be nil.
	Override func(stage string) []byte
	// Edit returns another text for that of a stage, or nil. The function may be nil.
	Edit func(stage string, text []byte) []byte

	Libs []Lib // libraries of Options.ExternLibs

	// Given is the stage that the compilation starts from; nil means the front end's module.
	Given *Given

	Passes pass.Options // options for running passes
	Dump   io.Writer    // receives the output of Passes
	Watch  PassWatcher  // called before and after each pass; may be nil

	Budget *budget.Meter // bounds the whole compilation; nil means no bound

	// Hosted says that this program launches the code: it can compute parameters for it.
	Hosted bool
	// Way says for which launches the code is made.
	Way device.Way
	// Launch is the launch that waits for the code, nil if there is none or the code is the same for all.
	Launch *Launch
}

// PassWatcher sees the module before and after each pass. It must not keep the module.
type PassWatcher func(pass.Stage)

// Run runs passes over the input's module.
func (in *Input) Run(passes []pass.Pass) error {
	ctx := &pass.Context{Options: in.Passes, Dump: in.Dump, Stage: in.Watch, Budget: in.Budget}
	ctx.DumpAfter = nil
	for _, n := range in.Passes.DumpAfter { // each pipeline prints the passes that it has
		if _, ok := pass.Lookup(passes, n); ok || n == "all" {
			ctx.DumpAfter = append(ctx.DumpAfter, n)
		}
	}
	return pass.Run(ctx, in.Module, passes)
}

// Recorder receives each stage of a compilation: its name, its duration, and a function that returns its
// text.
type Recorder func(stage string, took time.Duration, text func() []byte)

// Record calls r unless it is nil.
func (r Recorder) Record(stage string, took time.Duration, text func() []byte) {
	if r != nil {
		r(stage, took, text)
	}
}

// Backend is a device that compiles kernels for itself.
type Backend interface {
	device.Device
	// Target returns the properties that kernels can see.
	Target() lang.Target
	// Stages returns the names of the stages of a compilation, in order. The last is executed.
	Stages() []string
	// Compile returns an executable.
	Compile(ctx context.Context, in *Input) (Executable, error)
}

// Launch is what a launch passes to a kernel.
type Launch struct {
	Grid  [3]int
	Words []uint64
}

// Chooser is a device that has several codes of a specialization, for different launches.
type Chooser interface {
	// WayOf returns the way of the code that a launch with a grid should run.
	WayOf(grid [3]int) device.Way
	// Distinct returns the way by which the code of a module is made for launches of a way: ways with the
	// same result have the same code. A nil module is not read yet.
	Distinct(m *ir.Module, w device.Way) device.Way
}

// Text returns a module as text, with locations.
func Text(m *ir.Module) []byte {
	var b bytes.Buffer
	if err := ir.Print(&b, m.Op, ir.PrintOptions{Locs: true}); err != nil {
		return []byte("// " + err.Error())
	}
	return b.Bytes()
}
