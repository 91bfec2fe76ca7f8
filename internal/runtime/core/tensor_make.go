package core

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/nereid-lang/nereid/internal/dtype"
)

// To returns a copy of the tensor, contiguous, on a device, or in memory of the host if dev is nil. It waits
// for all work launched on the tensor's device. The caller closes it.
func (t *Tensor) To(dev *Device) (*Tensor, error) {
	if err := t.fits(); err != nil {
		return nil, err
	}
	var to *Tensor
	if dev == nil {
		to = FromBytes(t.DType, make([]byte, t.Len()*t.DType.Size()), t.Shape...)
	} else {
		var err error
		if to, err = NewTensor(dev, t.DType, t.Shape...); err != nil {
			return nil, err
		}
	}
	packed := make([]byte, t.Len()*t.DType.Size())
	if err := t.copy(dtype.Type(t.DType), packed, false); err != nil {
		_ = to.Close()
		return nil, err
	}
	if err := to.CopyBytesFrom(packed); err != nil {
		_ = to.Close()
		return nil, err
	}
	return to, nil
}

// Fill sets all elements to a value, rounded to their type. Work launched afterwards sees it.
func (t *Tensor) Fill(v float64) error {
	if err := t.fits(); err != nil {
		return err
	}
	const piece = 1 << 16 // elements that are written at a time
	size, n := t.DType.Size(), t.Len()
	data := repeated(t.DType, v, min(n, piece))
	if !t.Contiguous() {
		return t.copy(dtype.Type(t.DType), repeated(t.DType, v, n), true)
	}
	for i := 0; i < n; i += piece {
		if err := t.buf.Write(t.offset+i*size, data[:min(piece, n-i)*size]); err != nil {
			return err
		}
	}
	return nil
}

// repeated returns the bytes of n elements of a value.
func repeated(dt DType, v float64, n int) []byte {
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], dt.Encode(v))
	size := dt.Size()
	data := make([]byte, n*size)
	for i := range n {
		copy(data[i*size:], word[:size])
	}
	return data
}

// Arange returns a tensor in host memory with the numbers from 0 to n-1, rounded to a type.
func Arange(dt DType, n int) *Tensor {
	if n < 0 {
		return broken(dt, []int{n}, fmt.Errorf("nereid: there is no tensor of %d elements", n))
	}
	data := make([]float64, n)
	for i := range data {
		data[i] = float64(i)
	}
	return FromFloats(dt, data)
}

// Rand returns a tensor in host memory with random numbers, the same for the same seed: floats from 0 to 1,
// 1 excluded before they are rounded to the type, and integers of all values of their type, or of 53 bits.
func Rand(dt DType, seed uint64, shape ...int) *Tensor {
	if err := checkShape(dt, shape); err != nil {
		return broken(dt, shape, err)
	}
	r := rand.New(rand.NewPCG(seed, 0))
	data := make([]float64, count(shape))
	for i := range data {
		if dt.IsFloat() {
			data[i] = r.Float64()
		} else {
			data[i] = float64(r.Uint64() >> 11) // wraps around to the type
		}
	}
	if len(shape) == 0 {
		return FromFloats(dt, data).Reshape()
	}
	return FromFloats(dt, data, shape...)
}
