package core

import (
	"fmt"
	"io"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/safetensors"
)

// safetensorsNames has the names of element types in safetensors files.
var safetensorsNames = map[DType]string{
	Bool: "BOOL", Int8: "I8", Int16: "I16", Int32: "I32", Int64: "I64", Uint8: "U8", Uint16: "U16",
	Uint32: "U32", Uint64: "U64",
	Float16: "F16", BFloat16: "BF16", Float32: "F32", Float64: "F64", Float8E4NV: "F8_E4M3",
	Float8E5: "F8_E5M2", Float8E4B8: "F8_E4M3FNUZ", Float8E5B16: "F8_E5M2FNUZ",
}

// safetensorsTypes has the types by name.
var safetensorsTypes = func() map[string]DType {
	m := map[string]DType{}
	for dt, name := range safetensorsNames {
		m[name] = dt
	}
	return m
}()

// ReadSafetensors reads the tensors of a safetensors file into host memory, by name. A damaged or hostile
// file is an error, and takes no more memory than twice what it has bytes. Tensors of a type that kernels
// do not have are an error, too.
func ReadSafetensors(r io.Reader) (map[string]*Tensor, error) {
	f, err := safetensors.Read(r)
	if err != nil {
		return nil, fmt.Errorf("nereid: %w", err)
	}
	return fromSafetensors(f)
}

// ParseSafetensors reads like ReadSafetensors, from bytes, of a file that is mapped into memory say. The
// tensors share them where they are aligned.
func ParseSafetensors(data []byte) (map[string]*Tensor, error) {
	f, err := safetensors.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("nereid: %w", err)
	}
	return fromSafetensors(f)
}

func fromSafetensors(f *safetensors.File) (map[string]*Tensor, error) {
	out := make(map[string]*Tensor, len(f.Entries))
	for _, e := range f.Entries {
		dt, ok := safetensorsTypes[e.DType]
		if !ok {
			return nil, fmt.Errorf("nereid: the tensor %.200q is of %.20q, which no element type is",
				e.Name, e.DType)
		}
		if err := checkShape(dt, e.Shape); err != nil {
			return nil, fmt.Errorf("nereid: the tensor %.200q: %w", e.Name, err)
		}
		out[e.Name] = hostTensor(dt, aligned(e.Data, dt.Size()), e.Shape)
	}
	return out, nil
}

// aligned returns data, or a copy if its address is no multiple of an element's size.
func aligned(data []byte, size int) []byte {
	if len(data) == 0 || uintptr(unsafe.Pointer(&data[0]))%uintptr(size) == 0 {
		return data
	}
	return append(make([]byte, 0, len(data)), data...) // from the allocator, which aligns by 8
}

// WriteSafetensors writes tensors, of any device, as a safetensors file. Types that such files do not have
// (fp8e4b15) are an error.
func WriteSafetensors(w io.Writer, tensors map[string]*Tensor) error {
	f := &safetensors.File{}
	for name, t := range tensors {
		data, err := t.packed()
		if err != nil {
			return fmt.Errorf("nereid: the tensor %q: %w", name, err)
		}
		dt, ok := safetensorsNames[t.DType]
		if !ok {
			return fmt.Errorf("nereid: the tensor %q is of %s, which safetensors files do not have",
				name, t.DType)
		}
		f.Entries = append(f.Entries, safetensors.Entry{Name: name, DType: dt, Shape: t.Shape, Data: data})
	}
	if err := safetensors.Write(w, f); err != nil {
		return fmt.Errorf("nereid: %w", err)
	}
	return nil
}

// hostTensor makes a tensor like FromBytes, for any shape, one of no dimensions too, that the bytes fit.
func hostTensor(dt DType, data []byte, shape []int) *Tensor {
	buf := device.HostBuffer{Data: data}
	end := buf.Addr() + uint64(len(data))
	return &Tensor{DType: dt, Shape: shape, Strides: contiguous(shape), buf: buf, addr: buf.Addr(), end: end}
}

// packed returns the bytes of the elements in the order of their indices: the memory itself where they lie
// so in the host's.
func (t *Tensor) packed() ([]byte, error) {
	if err := t.fits(); err != nil {
		return nil, err
	}
	n := t.Len() * t.DType.Size()
	if mem := t.hostMemory(); mem != nil && t.Contiguous() && n > 0 {
		return mem[t.offset : t.offset+n], nil
	}
	data := make([]byte, n)
	return data, t.copy(dtype.Type(t.DType), data, false)
}
