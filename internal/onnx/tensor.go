package onnx

import (
	"encoding/binary"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/nereid-lang/nereid/internal/dtype"
)

// Fields of TensorProto.
const (
	tensorDims, tensorType, tensorFloats, tensorInt32s, tensorInt64s, tensorName = 1, 2, 4, 5, 7, 8
	tensorRaw, tensorDoubles, tensorUint64s, tensorExternal, tensorLocation      = 9, 10, 11, 13, 14
	entryKey, entryValue                                                         = 1, 2
)

// Tensor is a constant of a model.
type Tensor struct {
	Name    string
	Element int // TensorProto.DataType
	Dims    []int64
	message message
}

func parseTensor(data []byte) (*Tensor, error) {
	m, err := parse(data)
	if err != nil {
		return nil, err
	}
	t := &Tensor{Name: string(m.bytes(tensorName)), Element: int(m.number(tensorType)), message: m}
	dims, err := m.numbers(tensorDims, protowire.VarintType)
	for _, d := range dims {
		t.Dims = append(t.Dims, int64(d))
	}
	return t, err
}

// Elements returns the number of elements.
func (t *Tensor) Elements() int64 {
	n := int64(1)
	for _, d := range t.Dims {
		n *= d
	}
	return n
}

// External returns the file of a tensor whose data lies outside of the model, or "".
func (t *Tensor) External() (file string, err error) {
	if t.message.number(tensorLocation) != 1 {
		return "", nil
	}
	for _, b := range t.message.all(tensorExternal) {
		entry, err := parse(b)
		if err != nil {
			return "", err
		}
		if string(entry.bytes(entryKey)) == "location" {
			return string(entry.bytes(entryValue)), nil
		}
	}
	return "", fmt.Errorf("tensor %s: its external data has no location", t.Name)
}

// maxConstants bounds the elements of constants that are looked at.
const maxConstants = 64

// Numbers returns the elements of a small tensor of numbers. ok is false for others, and for tensors
// whose data lies outside of the model.
func (t *Tensor) Numbers() (out []float64, ok bool) {
	n := t.Elements()
	if n < 0 || n > maxConstants || t.message.number(tensorLocation) == 1 {
		return nil, false
	}
	element, ok := dtype.OfONNX(t.Element)
	if !ok {
		return nil, false
	}
	if raw := t.message.bytes(tensorRaw); raw != nil {
		out, ok = rawNumbers(raw, element)
	} else {
		out, ok = t.listed(element)
	}
	return out, ok && int64(len(out)) == n
}

// rawNumbers decodes elements that lie side by side in little-endian order.
func rawNumbers(raw []byte, element dtype.Type) (out []float64, ok bool) {
	size := element.Size()
	for ; len(raw) >= size; raw = raw[size:] {
		var word [8]byte
		copy(word[:], raw[:size])
		out = append(out, element.Decode(binary.LittleEndian.Uint64(word[:])))
	}
	return out, len(raw) == 0
}

// listed returns the elements of the field for their type.
func (t *Tensor) listed(element dtype.Type) (out []float64, ok bool) {
	num, typ := protowire.Number(tensorInt32s), protowire.VarintType
	decode := func(bits uint64) float64 { return float64(int64(bits)) }
	switch element {
	case dtype.Float32:
		num, typ = tensorFloats, protowire.Fixed32Type
		decode = func(bits uint64) float64 { return float64(math.Float32frombits(uint32(bits))) }
	case dtype.Float64:
		num, typ = tensorDoubles, protowire.Fixed64Type
		decode = math.Float64frombits
	case dtype.Int64:
		num = tensorInt64s
	case dtype.Uint64, dtype.Uint32:
		num = tensorUint64s
	default:
		if element.IsFloat() { // small floats lie in int32_data as bits
			decode = element.Decode
		}
	}
	list, err := t.message.numbers(num, typ)
	for _, bits := range list {
		out = append(out, decode(bits))
	}
	return out, err == nil
}
