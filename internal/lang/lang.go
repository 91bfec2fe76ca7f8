package lang

import "github.com/nereid-lang/nereid/internal/ir"

// Compile makes Triton IR of a kernel for one signature. An error of the user's is a *diag.List.
func (s *Source) Compile(kernel string, args []ArgSpec, opts Options) (*ir.Module, error) {
	return Compile(s, kernel, args, opts)
}
