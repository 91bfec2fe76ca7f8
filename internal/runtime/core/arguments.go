package core

import (
	"unsafe"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/warm"
	"github.com/nereid-lang/nereid/internal/signature"
)

// Named is an argument given by name; Arg returns one.
type Named struct {
	Name  string // name of the parameter
	Value any    // as for an argument by position
}

// Arg returns an argument given by name, usually for a constexpr: Arg("BLOCK_SIZE", 1024).
func Arg(name string, value any) Named { return Named{name, value} }

// Const is a value that is compiled in although its parameter is no constexpr, as tl.constexpr(v) in Python.
// It is mostly used for items of a tuple.
type Const struct{ Value any }

// Scalar is a number of a type that the caller chooses, where Launch would choose by its value: an int64 that
// is small, a float64. An annotation of the parameter has its way.
type Scalar struct {
	DType DType  // type that the kernel sees
	Bits  uint64 // value of an integer, as an int64 or uint64; bits of a float of the type
}

// ScalarOf returns a number rounded to a type: ScalarOf(Float64, 0.1), ScalarOf(Int64, n).
func ScalarOf[N int | int32 | int64 | uint32 | uint64 | float32 | float64](dt DType, v N) Scalar {
	if dt.IsFloat() {
		return Scalar{dt, dt.Encode(float64(v))}
	}
	return Scalar{dt, uint64(v)}
}

// Fields is a named tuple: kernels access its items by name as well as by position.
//
//	nereid.Fields{nereid.Arg("ptr", x), nereid.Arg("shape", []int{rows, cols})}
type Fields []Named

// Func is a jit function passed as a compile-time argument. An empty File means the kernel's own file.
type Func struct{ File, Name string }

// Device, Stream and Tensor begin with the fields of args.Device, args.Stream and args.Tensor, in the same
// order: a launch passes their addresses on instead of copying. A different order would read wrong memory;
// TestLayouts compares them.

// DeviceCore returns a device as launches see it.
func DeviceCore(d *Device) *args.Device { return (*args.Device)(unsafe.Pointer(d)) }

// StreamCore returns a stream as launches see it.
func StreamCore(s *Stream) *args.Stream { return (*args.Stream)(unsafe.Pointer(s)) }

// TensorCore returns a tensor as launches see it.
func TensorCore(t *Tensor) *args.Tensor { return (*args.Tensor)(unsafe.Pointer(t)) }

func (d *Device) core() *args.Device { return (*args.Device)(unsafe.Pointer(d)) }
func (s *Stream) core() *args.Stream { return (*args.Stream)(unsafe.Pointer(s)) }
func (t *Tensor) core() *args.Tensor { return (*args.Tensor)(unsafe.Pointer(t)) }

// TensorOf returns v as a tensor, or nil if it is none.
func TensorOf(v any) *Tensor {
	t, _ := v.(*args.Tensor)
	return (*Tensor)(unsafe.Pointer(t))
}

// PublicValue returns an argument of a launch as a program passes it: what plainArg returns, turned back.
func PublicValue(v any) any {
	switch v := v.(type) {
	case *args.Tensor:
		return TensorOf(v)
	case *args.Descriptor:
		return (*Descriptor)(unsafe.Pointer(v))
	case args.Scalar:
		return Scalar{DType(v.Elem), v.Bits}
	case dtype.Type:
		return DType(v)
	case *signature.FuncRef:
		return Func{File: v.File, Name: v.Name}
	case *signature.Const:
		return v.Text()
	case args.Const:
		return Const{PublicValue(v.Value)}
	case args.Fields:
		out := make(Fields, len(v))
		for i, f := range v {
			out[i] = Named{Name: f.Name, Value: PublicValue(f.Value)}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = PublicValue(v[i])
		}
		return out
	}
	return v
}

// Frame holds the state of a launch. A kernel keeps a spare frame, so that a repeated launch allocates
// nothing.
type Frame struct {
	list []args.Arg
	args.Matched
	args.Frame
	meta meta
	Cut  [warm.CutWords]uint64 // words of a launch by a short cut
}

// Take separates options from arguments and converts the arguments to the forms of package args.
func (f *Frame) Take(list []any) {
	f.list, f.Opts = f.list[:0], device.Options{}
	for _, v := range list {
		switch v := v.(type) {
		case Options:
			f.Opts = DeviceOptions(v)
		case Named:
			f.list = append(f.list, args.Arg{Name: v.Name, Value: plainArg(v.Value)})
		default:
			f.list = append(f.list, args.Arg{Value: plainArg(v)})
		}
	}
}

// Bind binds the arguments of a launch to the parameters of a kernel.
func (f *Frame) Bind(kernel string, params *args.Params, list []any) error {
	f.Take(list)
	if err := f.Match(params, f.list); err != nil {
		return ArgError(kernel, err)
	}
	return nil
}

// Clear drops all references to the caller's arguments, so that a spare frame keeps nothing alive.
func (f *Frame) Clear() {
	clear(f.list)
	f.Matched.Clear()
	f.meta = meta{}
}

// plainArg returns an argument in the form that package args expects.
func plainArg(v any) any { return plainArgIn(v, 0) }

// plainArgIn converts like plainArg, for a value nested in depth tuples. A slice can contain itself: beyond
// args.MaxDepth it is left as it is, and package args reports the error.
func plainArgIn(v any, depth int) any {
	if depth++; depth > args.MaxDepth {
		return v
	}
	switch v := v.(type) {
	case *Tensor:
		if v == nil {
			return nil
		}
		return v.core()
	case int, nil, float64, bool, string:
		return v
	case DType:
		return dtype.Type(v)
	case Func:
		return &signature.FuncRef{File: v.File, Name: v.Name}
	case *Descriptor:
		if v == nil {
			return nil
		}
		return v.core()
	case Scalar:
		return scalar(v)
	case Const:
		return args.Const{Value: plainArgIn(v.Value, depth)}
	case Fields:
		out := make(args.Fields, len(v))
		for i, f := range v {
			out[i] = args.Arg{Name: f.Name, Value: plainArgIn(f.Value, depth)}
		}
		return out
	case []any:
		return plainArgs(v, depth)
	case []*Tensor:
		return plainArgs(v, depth)
	case []DType:
		return plainArgs(v, depth)
	}
	return v
}

// scalar returns a Scalar with the value that its type can hold, or, for a type that is none, v itself, which
// package args refuses.
func scalar(v Scalar) any {
	row := dtype.Type(v.DType).Row()
	unused := 64 - row.Bits
	switch {
	case row.Bits == 0:
		return v
	case v.DType == Bool: // any number but 0 is true
	case row.Kind == dtype.Signed:
		v.Bits = uint64(int64(v.Bits<<unused) >> unused)
	default:
		v.Bits = v.Bits << unused >> unused
	}
	return args.Scalar{Elem: dtype.Type(v.DType), Bits: v.Bits}
}

func plainArgs[T any](list []T, depth int) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = plainArgIn(v, depth)
	}
	return out
}
