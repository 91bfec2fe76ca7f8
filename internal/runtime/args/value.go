package args

import (
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/target"
)

// Device is the identity of a device. The root package's Device begins with it.
type Device struct{ Backend target.Backend }

// String returns the device's name: "cpu", "cuda:0".
func (d *Device) String() string {
	switch {
	case d == nil:
		return "the host"
	case d.Backend == nil:
		return "no device"
	}
	return d.Backend.Name()
}

// SharesHost reports whether kernels on the device read memory of the host where it lies.
func (d *Device) SharesHost() bool {
	if d == nil {
		return false
	}
	h, ok := d.Backend.(interface{ SharesHost() bool })
	return ok && h.SharesHost()
}

// Stream is what a launch looks at in a stream. The root package's Stream begins with it.
type Stream struct {
	Dev *Device
	S   target.Stream
}

// Tensor is all that a launch looks at in a tensor. The root package's Tensor begins with it.
type Tensor struct {
	Elem dtype.Type
	Dev  *Device // nil for memory of the host
	Addr uint64  // of the first element
}

// Arg is one argument of a launch, by position or by name. Value is one of
//
//   - an integer, a float or a bool of Go, or nil for None
//   - *Tensor, *Descriptor
//   - a string, dtype.Type, lang.FuncRef, pyrun.Value: compile-time values
//   - Const: a value that is compiled in though its parameter is no constexpr
//   - Fields, or a slice or array of any of these: a tuple
type Arg struct {
	Name  string // "" by position
	Value any
}

// Const is a value that is compiled in though its parameter is no constexpr.
type Const struct{ Value any }

// Fields is a named tuple.
type Fields []Arg

// Descriptor is a tensor descriptor made by the host.
type Descriptor struct {
	Base  *Tensor
	Desc  target.Descriptor // Base and ElemSize are filled in here
	Owner any               // what the caller needs to reach Base's memory
}

// ItsDefault stands for a default that is compiled in.
type ItsDefault struct{}
