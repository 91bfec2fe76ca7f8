package lang

import (
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang/codegen"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/signature"
)

// Source is a file with kernels. It is parsed once; nothing in it is evaluated before a kernel is asked for.
// It may be used from several goroutines.
type Source struct{ *world.Source }

// Load parses a file. The error is a *diag.List.
func Load(name string, src []byte, opts LoadOptions) (*Source, error) {
	s, err := world.Load(name, src, opts)
	if err != nil {
		return nil, err
	}
	return &Source{s}, nil
}

// Compile makes Triton IR of a kernel for one signature. An error of the user's is a *diag.List.
func (s *Source) Compile(kernel string, args []ArgSpec, opts Options) (*ir.Module, error) {
	return codegen.Compile(s.Source, kernel, args, opts)
}

// What other packages name of a file.
type (
	LoadOptions   = world.LoadOptions
	Target        = world.Target
	InternalError = world.InternalError
)

// What they name of the decorators around a kernel.
type (
	Tuning      = world.Tuning
	Autotune    = world.Autotune
	Heuristic   = world.Heuristic
	Config      = world.Config
	TensorValue = world.TensorValue
	HostFunc    = world.HostFunc

	DescriptorValue = world.DescriptorValue
)

// Options says how a kernel is compiled.
type Options = codegen.Options

// Seen is what a compilation found out about an expression.
type Seen = codegen.Seen

// What they name of the arguments of launches.
type (
	Param    = signature.Param
	ArgSpec  = signature.Arg
	DescSpec = signature.Desc
	FuncRef  = signature.FuncRef
)

// DefaultTarget is what kernels see where nothing else is said: an sm_90 GPU.
var DefaultTarget = world.DefaultTarget

// PointerAttr is the attribute of a function's descriptor argument with signature.Desc.Pointer.
const PointerAttr = codegen.PointerAttr

// ParseSignature reads a signature as Triton's ahead-of-time tool writes it: one entry for each parameter, a
// type (`*fp16`, `i32`) with `:16` or `:1`, or a constant as a Python literal. An error is a *diag.List that
// shows the place in the text.
func ParseSignature(params []Param, text string) ([]ArgSpec, error) {
	return codegen.ParseSignature(params, text)
}

// SplitSignature returns the entries of a signature as text, one for each parameter, once they are known to
// make sense.
func SplitSignature(params []Param, text string) ([]string, error) {
	return codegen.SplitSignature(params, text)
}

// FormatSignature writes arguments as ParseSignature reads them.
func FormatSignature(args []ArgSpec) string { return signature.Format(args) }

// Params returns the parameters of a kernel.
func (s *Source) Params(kernel string, target Target) ([]Param, error) {
	list, err := s.Source.Params(kernel, target)
	if err != nil {
		return nil, err
	}
	return ParamsOf(list), nil
}

// ParamsOf returns the parameters of a jit function as launches see them.
func ParamsOf(list []world.Param) []Param {
	out := make([]Param, len(list))
	for i, p := range list {
		out[i] = Param{Name: p.Name, Constexpr: p.Constexpr, Type: p.Type, Const: p.Const, Pos: p.Pos,
			Var: p.Var, NoSpecialize: p.NoSpecialize, NoAlign: p.NoAlign}
		if p.Default != nil {
			out[i].Default = ConstOf(p.Default)
		}
	}
	return out
}

// ConstOf returns a value known at compile time as a constant of a signature, ValueOf the value of one.
func ConstOf(v object.Value) *signature.Const { return codegen.ConstOf(v) }

// ValueOf returns the value of a constant of a signature.
func ValueOf(c *signature.Const) object.Value { return codegen.ValueOf(c) }

// Repr returns repr(v).
func Repr(v object.Value) string { return world.Repr(v) }
