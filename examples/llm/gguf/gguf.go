// Package gguf reads GGUF files, versions 2 and 3: metadata and tensors as they are stored.
//
// A file is untrusted. All counts and lengths in it are compared with the bytes that are left before memory
// is allocated for them, so that a hostile file costs no more memory than it has bytes, times a small number.
package gguf

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
)

// File is the contents of a GGUF file.
type File struct {
	Version uint32
	// Meta has the metadata. Values are bool, string, the sized integers and floats of Go, and slices of
	// them.
	Meta    map[string]any
	Tensors map[string]Tensor
}

// Tensor is a tensor of a file.
type Tensor struct {
	Name  string
	Type  Type
	Shape []int  // the last dimension is contiguous, the reverse of the file's order
	Data  []byte // of the file's memory
}

// Type is how the elements of a tensor are stored.
type Type uint32

// The types that this package knows, by their numbers in files.
const (
	F32  Type = 0
	F16  Type = 1
	Q4_0 Type = 2
	Q4_1 Type = 3
	Q8_0 Type = 8
	Q4_K Type = 12
	Q6_K Type = 14
	BF16 Type = 30
)

// types has the name of a type, and how many elements and bytes a block of it has.
var types = map[Type]struct {
	name            string
	elements, bytes int
}{
	F32: {"F32", 1, 4}, F16: {"F16", 1, 2}, BF16: {"BF16", 1, 2},
	Q4_0: {"Q4_0", 32, 18}, Q4_1: {"Q4_1", 32, 20}, Q8_0: {"Q8_0", 32, 34},
	Q4_K: {"Q4_K", 256, 144}, Q6_K: {"Q6_K", 256, 210},
}

func (t Type) String() string {
	if x, ok := types[t]; ok {
		return x.name
	}
	return fmt.Sprintf("type %d", uint32(t))
}

const (
	magic            = "GGUF"
	maxDims          = 4
	maxElements      = 1 << 40
	maxDepth         = 4 // of arrays of arrays
	defaultAlignment = 32
	maxAlignment     = 1 << 20
)

// ReadFile reads a file.
func ReadFile(name string) (*File, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	f, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// Parse reads the bytes of a file. Tensors refer to them.
func Parse(data []byte) (f *File, err error) {
	r := &reader{rest: data}
	if string(r.take(len(magic))) != magic {
		return nil, fmt.Errorf("gguf: not a GGUF file: it does not begin with %q", magic)
	}
	f = &File{Version: r.u32(), Meta: map[string]any{}, Tensors: map[string]Tensor{}}
	if r.err == nil && f.Version != 2 && f.Version != 3 {
		return nil, fmt.Errorf("gguf: version %d of the format is not known: 2 and 3 are", f.Version)
	}
	tensors := r.count(8 + 4 + 4 + 8) // the least bytes of a description
	for range r.count(8 + 4 + 1) {
		key := r.str()
		if value := r.value(r.u32(), maxDepth); r.err == nil {
			f.Meta[key] = value
		}
	}
	list := make([]info, tensors)
	for i := range list {
		list[i] = r.info()
	}
	if r.err != nil {
		return nil, r.err
	}
	return f, f.place(list, data, len(data)-len(r.rest))
}

// place finds the data of tensors, which begins at the first aligned position behind the descriptions.
func (f *File) place(list []info, data []byte, end int) error {
	align := defaultAlignment
	if v, ok := f.Meta["general.alignment"].(uint32); ok {
		align = int(v)
	}
	if align <= 0 || align > maxAlignment || align&(align-1) != 0 {
		return fmt.Errorf("gguf: general.alignment is %d, not a power of two up to %d", align, maxAlignment)
	}
	base := (end + align - 1) / align * align
	for _, x := range list {
		size, err := x.size()
		if err != nil {
			return fmt.Errorf("gguf: tensor %q: %w", x.name, err)
		}
		if x.offset%uint64(align) != 0 || base > len(data) || x.offset > uint64(len(data)-base) ||
			size > uint64(len(data)-base)-x.offset {
			return fmt.Errorf("gguf: tensor %q: its %d bytes at offset %d are not in the file", x.name, size,
				x.offset)
		}
		if _, twice := f.Tensors[x.name]; twice {
			return fmt.Errorf("gguf: tensor %q: there are two of this name", x.name)
		}
		from := base + int(x.offset)
		f.Tensors[x.name] = Tensor{x.name, x.kind, x.shape, data[from : from+int(size)]}
	}
	return nil
}

// info describes a tensor.
type info struct {
	name   string
	kind   Type
	shape  []int
	offset uint64 // from the beginning of all data
}

// size returns the bytes of a tensor.
func (x *info) size() (uint64, error) {
	t, ok := types[x.kind]
	if !ok {
		return 0, fmt.Errorf("%s is not known", x.kind)
	}
	n := uint64(1)
	for _, d := range x.shape {
		if d <= 0 || n > maxElements/uint64(d) {
			return 0, fmt.Errorf("its shape is %v", x.shape)
		}
		n *= uint64(d)
	}
	if last := x.shape[len(x.shape)-1]; last%t.elements != 0 {
		return 0, fmt.Errorf("its rows of %d elements are no whole blocks of %s", last, x.kind)
	}
	return n / uint64(t.elements) * uint64(t.bytes), nil
}

// reader reads numbers and strings. After an error it returns zeros.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("gguf: "+format, args...)
		r.rest = nil
	}
}

// take returns the next n bytes, or nil.
func (r *reader) take(n int) []byte {
	if n > len(r.rest) {
		r.fail("the file ends too early")
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) u32() uint32 {
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) u64() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// count reads a number of things that have so many bytes each at least.
func (r *reader) count(bytes int) int {
	n := r.u64()
	if n > uint64(len(r.rest)/bytes) {
		r.fail("a count of %d is more than the file has bytes for", n)
		return 0
	}
	return int(n)
}

func (r *reader) str() string { return string(r.take(r.count(1))) }

func (r *reader) info() info {
	x := info{name: r.str()}
	n := r.u32()
	if n == 0 || n > maxDims {
		r.fail("tensor %q has %d dimensions", x.name, n)
		return x
	}
	x.shape = make([]int, n)
	for i := range x.shape {
		d := r.u64()
		if d > math.MaxInt32 {
			r.fail("tensor %q has a dimension of %d", x.name, d)
		}
		x.shape[len(x.shape)-1-i] = int(d)
	}
	x.kind, x.offset = Type(r.u32()), r.u64()
	return x
}

// value reads a value of the metadata.
func (r *reader) value(kind uint32, depth int) any {
	if kind != arrayKind {
		if k, ok := kinds[kind]; ok {
			return k.one(r)
		}
		r.fail("metadata of type %d is not known", kind)
		return nil
	}
	if depth == 0 {
		r.fail("arrays are nested too deeply")
		return nil
	}
	of := r.u32()
	if of == arrayKind {
		list := make([]any, r.count(4+8))
		for i := range list {
			list[i] = r.value(arrayKind, depth-1)
		}
		return list
	}
	if k, ok := kinds[of]; ok {
		return k.many(r)
	}
	r.fail("metadata of type %d is not known", of)
	return nil
}

const arrayKind = 9

// kinds are the types of metadata besides arrays.
var kinds = map[uint32]kind{
	0:  kindOf(1, func(b []byte) uint8 { return b[0] }),
	1:  kindOf(1, func(b []byte) int8 { return int8(b[0]) }),
	2:  kindOf(2, binary.LittleEndian.Uint16),
	3:  kindOf(2, func(b []byte) int16 { return int16(binary.LittleEndian.Uint16(b)) }),
	4:  kindOf(4, binary.LittleEndian.Uint32),
	5:  kindOf(4, func(b []byte) int32 { return int32(binary.LittleEndian.Uint32(b)) }),
	6:  kindOf(4, func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }),
	7:  kindOf(1, func(b []byte) bool { return b[0] != 0 }),
	8:  {func(r *reader) any { return r.str() }, strs},
	10: kindOf(8, binary.LittleEndian.Uint64),
	11: kindOf(8, func(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) }),
	12: kindOf(8, func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }),
}

// kind reads values of a type: one, or an array.
type kind struct{ one, many func(r *reader) any }

// kindOf returns the kind of numbers of so many bytes.
func kindOf[T any](bytes int, decode func(b []byte) T) kind {
	one := func(r *reader) (v T) {
		if b := r.take(bytes); b != nil {
			v = decode(b)
		}
		return v
	}
	return kind{func(r *reader) any { return one(r) }, func(r *reader) any {
		list := make([]T, r.count(bytes))
		for i := range list {
			list[i] = one(r)
		}
		return list
	}}
}

func strs(r *reader) any {
	list := make([]string, r.count(8))
	for i := range list {
		list[i] = r.str()
	}
	return list
}

// Get returns a value of the metadata, which must be there and of the type.
func Get[T any](f *File, key string) (T, error) {
	v, ok := f.Meta[key].(T)
	if !ok {
		return v, fmt.Errorf("gguf: metadata %q is %T, not %T", key, f.Meta[key], v)
	}
	return v, nil
}
