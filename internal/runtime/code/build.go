package code

import (
	"encoding/json"
	"errors"
	"runtime/pprof"
	"slices"
	"time"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/signature"
	"github.com/nereid-lang/nereid/internal/timeline"
)

// Build is compiled code that launches pass to its device.
type Build struct {
	Exec   device.Executable
	Around *LaunchHooks // hooks for launches, or nil

	Apart   []device.Apart // pairs of arguments that must not overlap
	Bounded device.Bounded // Exec if launches must pass the memory of their arguments, else nil

	Variant Variant
	Labels  *pprof.LabelSet // labels of launches for the profiler, or nil
	Log     *timeline.Log   // receives launches; nil if nothing is recorded

	// Metadata returns what the function under launch_metadata= says of a launch. It is nil if there is none.
	Metadata func(Hooked) (map[string]any, error)

	Source Source         // file of the kernel; nil if the code was loaded without it
	Params []device.Param // parameter of each word of a launch; nil if they are not known
}

// Source is the file of a kernel, for the messages of faults.
type Source interface {
	// Around returns the part of a line that an access is: that at a column, or one around it.
	Around(what, file string, line, column int) (span diag.Span, ok bool)
	Files() *diag.FileSet
}

// Direct reports whether nothing happens around launches, so that they may go to Exec.
func (b *Build) Direct() bool { return b.Around == nil && b.Labels == nil && b.Log == nil }

// Param returns the parameter that a word of a launch belongs to; its name is "" if it is not known.
func (b *Build) Param(word int) device.Param {
	if word < 0 || word >= len(b.Params) {
		return device.Param{}
	}
	return b.Params[word]
}

// WordParams returns the parameter of each word of a launch, or nil if the words depend on the device: those
// of descriptors do.
func WordParams(params []signature.Param, specs []signature.Arg) []device.Param {
	if slices.ContainsFunc(specs, func(a signature.Arg) bool { return a.Desc != nil }) {
		return nil
	}
	return args.Describe(params, specs, func(string, *signature.Const) {})
}

// NewBuild returns the build of a kernel whose executable was compiled or loaded elsewhere.
func NewBuild(r *Result, src Source) *Build {
	b := &Build{Exec: r.Exec, Variant: r.Variant, Source: src, Params: r.Saved.wordParams()}
	b.Inspect()
	return b
}

// Inspect finds out what launches of the executable must know.
func (b *Build) Inspect() {
	b.Log = timeline.On()
	if x, ok := b.Exec.(device.Assuming); ok {
		b.Apart = x.Apart()
	}
	if x, ok := b.Exec.(device.Bounded); ok && x.Bounded() {
		b.Bounded = x
	}
}

// Result is the outcome of a compilation.
type Result struct {
	Exec    device.Executable // nil if the compilation ended before the last stage, or if there is no device
	Stages  []Stage
	Variant Variant

	Params    []device.Param    // arguments of launches
	Constants map[string]string // values that are compiled in
	Saved     *Saved            // description of the compiled kernel, without its code; set by Compile
}

// Code returns the code of a finished compilation that serves all launches: that of its executable or, if it
// cannot be taken apart, the text of the last stage.
func (r *Result) Code(last string) (device.Code, error) {
	if s := r.Saved; s != nil && s.Forms != nil { // the executable is that of one form
		return device.Code{Stage: s.Stage, Data: s.Code, Meta: s.Meta}, nil
	}
	if k, ok := r.Exec.(device.Kept); ok {
		return k.Code()
	}
	for _, s := range r.Stages {
		if s.Name == last && s.Text != nil && r.Exec != nil {
			meta, err := json.Marshal(r.Variant.Options)
			return device.Code{Stage: last, Data: s.Text, Meta: meta}, err
		}
	}
	return device.Code{}, errors.New("the compilation ended before there was code")
}

// Stage is one form of a kernel on its way to a device.
type Stage struct {
	Name string
	Took time.Duration
	Text []byte // nil if the texts were not asked for

	Target string // for which it was made: "cuda:90", "hip:gfx942", "cpu", "interp"; "" in saved code
}
