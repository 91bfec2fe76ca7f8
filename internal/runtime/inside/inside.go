// Package inside gives packages of this module access to parts of the root package that are not in its API:
// genrt, the run time of generated code, package bundle, and the command line. The root package fills the
// table in its init functions; arguments are its own types, which this package cannot import.
package inside

import (
	"context"

	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/runtime/warm"
	"github.com/nereid-lang/nereid/internal/target"
)

// Root holds the functions of the root package.
var Root struct {
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
	// Launch launches a *nereid.Kernel without a plan: stream is a *nereid.Stream, grid a nereid.Programs,
	// list as for Kernel.Launch. note receives the plan, and byValue if it holds only for arguments of the
	// same values.
	Launch func(kernel, stream, grid any, list []any, note func(p *warm.Plan, byValue bool)) error
	// Freeze returns the plan of launches of a *nereid.Kernel on the device of a *nereid.Stream, with
	// arguments like those of list or, if it is not "", of a signature. Unless apart is set, their memory
	// may overlap.
	Freeze func(kernel, stream any, list []any, signature string, apart bool) (*warm.Plan, error)
	// LaunchPlan launches a *nereid.Kernel by a plan. held holds the tensors, if there are any.
	LaunchPlan func(p *warm.Plan, kernel, stream any, grid [3]int, words []uint64, held args.Holder) error
	// Grid calls a nereid.GridFunc with the arguments of a plan.
	Grid func(p *warm.Plan, kernel, grid any, values core.Values) ([3]int, error)
}
