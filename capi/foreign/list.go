package foreign

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	nereid "github.com/nereid-lang/nereid/run"
)

// Reader converts arguments for launches on a device.
type Reader struct {
	Device *nereid.Device // where pointers point
	// Tensor returns the tensor of a handle.
	Tensor func(handle uint64) (*nereid.Tensor, error)
	// Sized is set if pointers must have a size, because accesses are checked against it.
	Sized bool
}

// MaxArgs bounds the arguments of a launch and the items of a tuple: more than any kernel has. A wild number
// would be a walk through memory.
const MaxArgs = 4096

// maxDepth bounds nested tuples.
const maxDepth = 64

// noSize is the size of host memory whose size is unknown: it reaches as far as memory does, so that it
// overlaps all that lies behind it.
const noSize = 1 << 46

// List returns arguments and options in the forms that Kernel.Launch takes. Errors of an argument are
// *args.Error.
func (r *Reader) List(list []Arg, o *Options) ([]any, error) {
	out := make([]any, 0, len(list)+1)
	for i := range list {
		a := list[i]
		v, err := r.value(&a, 0)
		if err != nil {
			name := clone(a.Name)
			if name == "" {
				err = fmt.Errorf("argument %d: %w", i, err)
			}
			return nil, &args.Error{Param: name, Err: err}
		}
		if a.Name != nil {
			v = nereid.Arg(clone(a.Name), v)
		}
		out = append(out, v)
	}
	if o != nil {
		if err := o.check(); err != nil {
			return nil, err
		}
		out = append(out, o.Go())
	}
	return out, nil
}

// check returns an error for options that no version of the library knows.
func (o *Options) check() error {
	if o.Size != 0 && o.Size < uint32(OptionsBytes) {
		return fmt.Errorf("nereid_options.size is %d: it is sizeof(nereid_options), %d, or 0", o.Size,
			OptionsBytes)
	}
	if unknown := o.Flags &^ optKnown; unknown != 0 {
		return fmt.Errorf("nereid_options.flags has unknown bits %#x", unknown)
	}
	return nil
}

// value returns an argument or an item of a tuple.
func (r *Reader) value(a *Arg, depth int) (any, error) {
	if int(a.Kind) >= len(readers) {
		return nil, fmt.Errorf("its kind is %d, which is no nereid_kind", a.Kind)
	}
	v, err := readers[a.Kind](r, a, depth)
	if err != nil || a.Flags&FlagConst == 0 {
		return v, err
	}
	return nereid.Const{Value: v}, nil
}

// readers holds a function for each kind.
var readers []func(r *Reader, a *Arg, depth int) (any, error)

func init() { // the functions refer to the table, through value
	readers = []func(r *Reader, a *Arg, depth int) (any, error){
		None:       func(*Reader, *Arg, int) (any, error) { return nil, nil },
		Bool:       func(_ *Reader, a *Arg, _ int) (any, error) { return a.Value != 0, nil },
		Int:        func(_ *Reader, a *Arg, _ int) (any, error) { return int(a.Value), nil },
		Float:      func(_ *Reader, a *Arg, _ int) (any, error) { return math.Float64frombits(a.Value), nil },
		Scalar:     func(_ *Reader, a *Arg, _ int) (any, error) { return a.scalar() },
		Ptr:        func(r *Reader, a *Arg, _ int) (any, error) { return r.pointer(a) },
		Host:       func(r *Reader, a *Arg, _ int) (any, error) { return r.host(a) },
		Tensor:     func(r *Reader, a *Arg, _ int) (any, error) { return r.Tensor(a.Value) },
		String:     func(_ *Reader, a *Arg, _ int) (any, error) { return a.string("value.s") },
		DType:      func(_ *Reader, a *Arg, _ int) (any, error) { return a.DType, a.typed() },
		Func:       func(_ *Reader, a *Arg, _ int) (any, error) { return a.function() },
		Tuple:      func(r *Reader, a *Arg, depth int) (any, error) { return r.tuple(a, depth+1) },
		Descriptor: func(r *Reader, a *Arg, _ int) (any, error) { return r.descriptor(a) },
	}
}

// typed returns an error if the argument's type is none.
func (a *Arg) typed() error {
	if a.DType.Size() == 0 {
		return fmt.Errorf("its dtype is %d, which is no nereid_dtype", a.DType)
	}
	return nil
}

// scalar returns a number of a type of its own.
func (a *Arg) scalar() (any, error) {
	if err := a.typed(); err != nil {
		return nil, err
	}
	if a.DType.IsFloat() {
		return nereid.ScalarOf(a.DType, math.Float64frombits(a.Value)), nil
	}
	return nereid.Scalar{DType: a.DType, Bits: a.Value}, nil
}

// string returns a text, which must be there.
func (a *Arg) string(field string) (string, error) {
	if a.Value == 0 {
		return "", errors.New(field + " is NULL")
	}
	return strings.Clone(a.text()), nil
}

// function returns a jit function: "name" or "file.py:name".
func (a *Arg) function() (any, error) {
	s, err := a.string("value.s")
	if err != nil {
		return nil, err
	}
	if i := strings.LastIndexByte(s, ':'); i >= 0 {
		return nereid.Func{File: s[:i], Name: s[i+1:]}, nil
	}
	return nereid.Func{Name: s}, nil
}

// tuple returns the items of a tuple, as Fields if they have names.
func (r *Reader) tuple(a *Arg, depth int) (any, error) {
	switch {
	case depth > maxDepth:
		return nil, fmt.Errorf("its tuples are nested more than %d deep", maxDepth)
	case a.Count > MaxArgs:
		return nil, fmt.Errorf("a tuple of %d items: at most %d", a.Count, MaxArgs)
	case a.Count > 0 && a.Value == 0:
		return nil, errors.New("value.items is NULL")
	}
	var fields nereid.Fields
	items := make([]any, 0, a.Count)
	for i, item := range a.items() {
		v, err := r.value(&item, depth)
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		if item.Name != nil {
			fields = append(fields, nereid.Arg(clone(item.Name), v))
		}
		items = append(items, v)
	}
	switch len(fields) {
	case 0:
		return items, nil
	case len(items):
		return fields, nil
	}
	return nil, errors.New("some items of a tuple have names and some have none")
}

// pointer returns memory of the device as a tensor. A null pointer is one without elements.
func (r *Reader) pointer(a *Arg) (*nereid.Tensor, error) {
	null := a.Value == 0 && a.Size == 0 && a.DType.Size() > 0
	dev := deviceOf(r.Device)
	addressed := false
	if dev != nil {
		_, addressed = dev.Backend.(device.Accessible)
	}
	switch {
	case null && !addressed:
		return nereid.FromBytes(a.DType, nil, 0), nil
	case !addressed:
		return r.host(a)
	}
	if err := a.memory(); err != nil && !null {
		return nil, err
	}
	return r.Device.TensorAt(a.Value, a.DType, int(a.Size)/a.DType.Size())
}

// memory returns an error for a pointer without a type or an address.
func (a *Arg) memory() error {
	if err := a.typed(); err != nil {
		return err
	}
	if a.Value == 0 {
		return errors.New("the pointer is NULL: pass nereid_none() for None")
	}
	if a.Size > noSize {
		return fmt.Errorf("its size is %d bytes, more than there is memory", a.Size)
	}
	return nil
}

// host returns host memory as a tensor.
func (r *Reader) host(a *Arg) (*nereid.Tensor, error) {
	if err := a.memory(); err != nil {
		return nil, err
	}
	size := a.Size
	if size == 0 {
		switch dev := deviceOf(r.Device); {
		case r.Sized || dev != nil && (a.Kind == Host || !dev.SharesHost()):
			return nil, fmt.Errorf("its size is not given, and %s needs it", r.Device)
		case a.Flags&FlagApart != 0:
			size = uint64(a.DType.Size())
		default:
			size = noSize
		}
	}
	n := int(size) / a.DType.Size()
	t := nereid.FromBytes(a.DType, unsafe.Slice((*byte)(a.pointer()), size), n)
	return t, t.Err()
}

// descriptor returns a tensor descriptor.
func (r *Reader) descriptor(a *Arg) (any, error) {
	if a.Value == 0 {
		return nil, errors.New("value.desc is NULL: pass nereid_none() for None")
	}
	d := *(*Desc)(a.pointer())
	if d.NDim == 0 || d.NDim > 5 || d.Shape == nil || d.Block == nil {
		return nil, fmt.Errorf("a descriptor has 1 to 5 dimensions, a shape and a block, not %d dimensions",
			d.NDim)
	}
	base, err := r.base(&d.Base)
	if err != nil {
		return nil, fmt.Errorf("the descriptor's base: %w", err)
	}
	shape, block := ints(d.Shape, d.NDim), ints(d.Block, d.NDim)
	x := &nereid.Descriptor{Base: base, Shape: shape, Block: block, NaN: d.NaN != 0}
	if d.Strides != nil {
		x.Strides = ints(d.Strides, d.NDim)
		return x, nil
	}
	x.Strides = make([]int64, d.NDim)
	stride := int64(1)
	for i := len(x.Strides) - 1; i >= 0; i-- {
		x.Strides[i] = stride
		stride *= x.Shape[i]
	}
	return x, nil
}

// base returns the memory of a descriptor.
func (r *Reader) base(a *Arg) (*nereid.Tensor, error) {
	switch a.Kind {
	case Ptr:
		return r.pointer(a)
	case Host:
		return r.host(a)
	case Tensor:
		return r.Tensor(a.Value)
	}
	return nil, errors.New("it is neither NEREID_ARG_PTR nor NEREID_ARG_HOST nor NEREID_ARG_TENSOR")
}

func ints(p *int64, n uint32) []int64 { return slices.Clone(unsafe.Slice(p, n)) }

// clone returns a C string as one of Go.
func clone(s *byte) string { return strings.Clone(text(s)) }

// deviceOf returns the beginning of a device.
func deviceOf(d *nereid.Device) *args.Device { return (*args.Device)(unsafe.Pointer(d)) }
