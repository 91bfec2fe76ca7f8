// Package inside lends parts of the root package to packages of this module that its API does not serve: genrt, the run time of
// generated code, and the command line. The root package fills the table once, before anybody can call it; the arguments are its
// own types, which this package cannot name.
package inside

import (
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/warm"
)

// Values are the arguments of a launch for a grid that is a function of them.
type Values interface {
	// Integer returns an argument that is an integer, without boxing it.
	Integer(name string) (n int64, ok bool)
	// Value returns any argument. Integers are int64.
	Value(name string) (v any, ok bool)
}

// Root is what the root package lends.
var Root struct {
	// Params returns the parameters of a *nereid.Kernel.
	Params func(kernel any) *args.Params
	// Source returns the file that a *nereid.Kernel is of.
	Source func(kernel any) *lang.Source
	// Launch launches a *nereid.Kernel the long way: stream is a *nereid.Stream, grid a nereid.Programs, list as Kernel.Launch takes
	// it. note is told of the plan, and whether that is good for arguments of the same values only.
	Launch func(kernel, stream, grid any, list []any, note func(p *warm.Plan, byValue bool)) error
	// LaunchPlan launches a *nereid.Kernel by a plan.
	LaunchPlan func(p *warm.Plan, kernel, stream any, grid [3]int, words []uint64) error
	// Overlap reports whether two tensors, each the beginning of a *nereid.Tensor, have memory in common. With orEqual, that does not
	// count if they begin at the same place.
	Overlap func(a, b *args.Tensor, orEqual bool) bool
	// Grid calls a nereid.GridFunc for the arguments of a plan.
	Grid func(p *warm.Plan, kernel, grid any, values Values) ([3]int, error)
}
