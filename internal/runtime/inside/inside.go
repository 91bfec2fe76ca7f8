// Package inside gives packages of this module access to parts of the root package that are not in its API:
// genrt, the run time of generated code, package bundle, and the command line. The root package fills the
// table in its init functions; arguments are its own types, which this package cannot import.
package inside

import (
	"context"

	"github.com/nereid-lang/nereid/internal/autotune"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/runtime/warm"
	"github.com/nereid-lang/nereid/internal/target"
)

// Values gives a grid function access to the arguments of a launch.
type Values interface {
	// Integer returns an integer argument without boxing it.
	Integer(name string) (n int64, ok bool)
	// Value returns any argument. Integers are int64.
	Value(name string) (v any, ok bool)
}

// Root holds the functions of the root package.
var Root struct {
	// Device returns a *nereid.Device of a back end.
	Device func(b target.Backend) any
	// Params returns the parameters of a *nereid.Kernel.
	Params func(kernel any) *args.Params
	// Source returns the file of a *nereid.Kernel.
	Source func(kernel any) *lang.Source
	// Stages returns the names of the stages of a target of Kernel.CompileFor, or nil for an unknown target.
	Stages func(target string) []string
	// CheckTarget returns an error for a name that is no target of Kernel.CompileFor.
	CheckTarget func(target string) error
	// Compile compiles a *nereid.Kernel like CompileFor, and keeps the text of some stages only.
	Compile func(ctx context.Context, kernel any, target, signature string, opts target.Options, until string,
		only []string) (*code.Result, error)
	// Forms compiles the forms of a specialization for a target, beside what Compile compiles.
	Forms func(ctx context.Context, kernel any, target, signature string, opts target.Options,
		until string) ([]code.SavedForm, error)
	// CompileFor is like Compile and returns a *nereid.Compiled, also beside an error.
	CompileFor func(ctx context.Context, kernel any, target, signature string, opts target.Options,
		until string, only []string) (any, error)
	// StartAt returns a nereid.LoadOption: kernels of the file start from the text of a stage, made by
	// another compiler or by hand. The description of the code (target.Given.Meta) may be nil.
	StartAt func(stage string, text, meta []byte) any
	// Open returns a *nereid.Device that runs compiled code, without a compiler if need be.
	Open func(name string) (any, error)
	// Runs returns nil if a *nereid.Device runs code of a stage compiled for a machine, or else why not.
	Runs func(dev any, stage, machine string) error
	// Load returns a *nereid.Compiled of saved code, loaded on a *nereid.Device.
	Load func(dev any, s *code.Saved) (any, error)
	// Text returns the text of a *nereid.Kernel and of the functions of its file that it calls.
	Text func(kernel any) (string, error)
	// Launched returns the facts of the code that a *nereid.Stream launched last, zeros if it does not know.
	Launched func(stream any) target.Facts
	// Refuse returns an error if a *nereid.Stream is being captured, so that an op, say, cannot be tuned now.
	Refuse func(stream any, name, what string) error
	// Store returns the records behind a *nereid.TuneStore, which may be nil.
	Store func(store any) autotune.Store
	// Built returns the model of a *nereid.Device, its driver, and the compiler with all that code depends
	// on.
	Built func(device any) (model, driver, compiler string)
	// Clone returns a *nereid.Tensor like another, with its contents, in memory of the same kind.
	Clone func(tensor any) (any, error)
	// Bytes returns the bytes of a *nereid.Tensor from its first element to its last.
	Bytes func(tensor any) ([]byte, error)
	// Launch launches a *nereid.Kernel without a plan: stream is a *nereid.Stream, grid a nereid.Programs,
	// list as for Kernel.Launch. note receives the plan, and byValue if it holds only for arguments of the
	// same values.
	Launch func(kernel, stream, grid any, list []any, note func(p *warm.Plan, byValue bool)) error
	// LaunchConfig launches a *nereid.Kernel with a config of its @triton.autotune, by the config's name, and
	// calls the config's hook; with ahead it compiles and launches nothing. Arguments are as for Launch.
	LaunchConfig func(kernel, stream, grid any, list []any, config string, ahead bool) error
	// Freeze returns the plan of launches of a *nereid.Kernel on the device of a *nereid.Stream, with
	// arguments like those of list or, if it is not "", of a signature. Unless apart is set, their memory
	// may overlap.
	Freeze func(kernel, stream any, list []any, signature string, apart bool) (*warm.Plan, error)
	// LaunchPlan launches a *nereid.Kernel by a plan. held holds the tensors, if there are any.
	LaunchPlan func(p *warm.Plan, kernel, stream any, grid [3]int, words []uint64, held args.Holder) error
	// Overlap reports whether two tensors, each the beginning of a *nereid.Tensor, share memory. With
	// orEqual, tensors that begin at the same address do not count.
	Overlap func(a, b *args.Tensor, orEqual bool) bool
	// Grid calls a nereid.GridFunc with the arguments of a plan.
	Grid func(p *warm.Plan, kernel, grid any, values Values) ([3]int, error)
}
