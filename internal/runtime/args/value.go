package args

import (
	"sync/atomic"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/inflight"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/signature"
)

// Device is the identity of a device. Package core's Device begins with it.
type Device struct {
	Backend device.Device
	Traits  device.Traits // the back end's, which launches read
}

// Defaults returns the options of a launch on the device with unset ones filled in.
func (d *Device) Defaults(o device.Options) device.Options {
	if d == nil {
		return o.Defaults()
	}
	return device.DefaultsOn(d.Backend, o)
}

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

// DescribesInWords reports whether descriptors are passed to kernels in words.
func (d *Device) DescribesInWords() bool {
	return d.Traits.WordDescriptors
}

// SharesHost reports whether kernels on the device read host memory in place.
func (d *Device) SharesHost() bool {
	return d != nil && d.Traits.SharesHost
}

// Stream is the part of a stream that a launch reads. Package core's Stream begins with it.
type Stream struct {
	Dev    *Device
	S      device.Stream
	Calls  *inflight.Count // calls under way, of a device.Guarded stream; else nil
	Closed atomic.Bool
}

// Place says where memory is: on a device, or nil for the host. One goroutine may change it, as closing a
// tensor does, while others launch.
type Place struct{ dev unsafe.Pointer }

// PlaceOf returns the place of memory on a device.
func PlaceOf(d *Device) Place { return Place{unsafe.Pointer(d)} }

// Load returns the device.
func (p *Place) Load() *Device { return (*Device)(atomic.LoadPointer(&p.dev)) }

// Swap changes the device and returns the one before.
func (p *Place) Swap(d *Device) *Device {
	return (*Device)(atomic.SwapPointer(&p.dev, unsafe.Pointer(d)))
}

// Tensor is the part of a tensor that a launch reads. Package core's Tensor begins with it.
type Tensor struct {
	Elem dtype.Type
	Dev  Place
	Addr uint64 // address of the first element; a launch by a plan reads no further
	End  uint64 // address behind the memory

	Shape   []int
	Strides []int // in elements
}

// Arg is an argument of a launch, by position or by name. Value is one of
//
//   - an integer, a float or a bool of Go, or nil for None; Scalar: a number of a given type
//   - *Tensor, *Descriptor
//   - a string, dtype.Type, *signature.FuncRef, *signature.Const: compile-time values
//   - Const: a value that is compiled in although its parameter is no constexpr
//   - Fields, or a slice or array of any of these: a tuple
type Arg struct {
	Name  string // "" if given by position
	Value any
}

// Const is a value that is compiled in although its parameter is no constexpr.
type Const struct{ Value any }

// Fields is a named tuple.
type Fields []Arg

// Scalar is a number of a type that the caller chooses, whatever its value. Bits has the value of an integer
// in 64 bits, or the bits of a float of the type.
type Scalar struct {
	Elem dtype.Type
	Bits uint64
}

// value returns the number as a compile-time value.
func (s Scalar) value() *signature.Const {
	switch row := s.Elem.Row(); {
	case s.Elem == dtype.Bool:
		return signature.Bool(s.Bits != 0)
	case row.Kind == dtype.Float:
		return signature.Float(s.Elem.Decode(s.Bits))
	case row.Kind == dtype.Unsigned:
		return signature.Uint(s.Bits)
	}
	return signature.Int(int64(s.Bits))
}

// ItsDefault stands for a default that is compiled in.
type ItsDefault struct{}
