package world

import (
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// Range is range, tl.range or tl.static_range.
type Range struct {
	Name   string
	Static bool
	Params []string // after start, end, step
}

func (*Range) TypeName() string { return "type" }

// Call makes a plain range where host code, or a comprehension, iterates over one.
func (r *Range) Call(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
	f, _ := pyrun.From(in).Builtin("range")
	return object.Call(in, f, args, kws)
}

var (
	PyRange = &Range{Name: "range"}
	tlRange = &Range{Name: "tl.range",
		Params: []string{"num_stages", "loop_unroll_factor", "disallow_acc_multi_buffer", "flatten",
			"warp_specialize", "disable_licm"}}
	staticRange = &Range{Name: "tl.static_range", Static: true}
)

// Form is a function of kernels that is no operation of the language: package codegen carries it out, by its
// name.
type Form struct {
	Name   string
	Static bool // it looks at the syntax of its call: its arguments are not walked before
	Idle   bool // it can be called in host code too, and does nothing there
}

// TypeName returns "function".
func (*Form) TypeName() string { return "function" }

// Call runs where a plain function calls the form while a kernel is compiled.
func (f *Form) Call(*object.Interp, []object.Value, []object.Keyword) (object.Value, error) {
	if !f.Idle {
		return nil, object.Errorf(object.TypeError, "%s() can be called in a jit function only", f.Name)
	}
	return object.None, nil
}

// HostBuiltin is a function under @core.builtin or @core.extern.
type HostBuiltin struct{ Fn object.Value }

func (*HostBuiltin) TypeName() string { return "builtin_function" }

func (f *HostBuiltin) Call(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value,
	error) {
	return object.Call(in, f.Fn, args, kws)
}

// Parameters returns the parameters of the function below the decorator.
func (f *HostBuiltin) Parameters() []object.Parameter {
	if fn, ok := f.Fn.(object.HasParameters); ok {
		return fn.Parameters()
	}
	return nil
}

// Get returns the function as a method of instance.
func (f *HostBuiltin) Get(_ *object.Interp, instance, _ object.Value) (object.Value, error) {
	if instance == nil {
		return f, nil
	}
	return &object.BoundMethod{Self: instance, Fn: f}, nil
}

func makeHostBuiltin(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
	if len(args) == 1 {
		if _, ok := args[0].(*pyrun.Func); ok {
			return &HostBuiltin{args[0]}, nil
		}
	}
	return identity(in, args, kws)
}
