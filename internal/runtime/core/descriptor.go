package core

import (
	"fmt"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/runtime/args"
)

// Descriptor describes a tensor to a kernel that loads and stores blocks of it, like Triton's
// TensorDescriptor. Any memory can be described. On GPUs from sm_90 on, loads and stores are fast where
// Base is aligned to 16 bytes, the last stride is 1, and the others are multiples of 16 bytes.
type Descriptor struct {
	Base    *Tensor // its first element
	Shape   []int64 // in elements
	Strides []int64 // in elements
	Block   []int64 // shape of a block
	NaN     bool    // loads outside the tensor give NaN instead of zero
}

// core returns the descriptor as package args knows it: both structs have the same fields (TestLayouts).
func (d *Descriptor) core() *args.Descriptor { return (*args.Descriptor)(unsafe.Pointer(d)) }

// Describe implements args.Lender: it checks a descriptor and returns the device's words for it.
func (l *Launch) Describe(param string, word int, x *args.Descriptor) (uint64, []uint64, error) {
	d := (*Descriptor)(unsafe.Pointer(x))
	for i := range d.Shape {
		if d.Shape[i] < 0 || i < len(d.Block) && d.Block[i] <= 0 {
			return 0, nil, fmt.Errorf("a descriptor of the shape %v with blocks of %v: sizes are not "+
				"negative, those of blocks not 0", d.Shape, d.Block)
		}
	}
	if d.Base == nil || len(d.Shape) == 0 || len(d.Shape) != len(d.Strides) || len(d.Shape) != len(d.Block) {
		return 0, nil, fmt.Errorf("a descriptor needs a tensor, and as many strides and block sizes as "+
			"dimensions, not %d, %d and %d",
			len(d.Strides), len(d.Block), len(d.Shape))
	}
	maker, ok := l.Dev.b.(device.Describer)
	if !ok && !l.Dev.traits.WordDescriptors {
		return 0, nil, diag.Refuse("tensor descriptors", "%s takes none", l.Dev).By(l.Dev.String())
	}
	base, err := l.Address(param, word, x.Base)
	if err != nil {
		return 0, nil, err
	}
	desc := device.Descriptor{Base: base, Shape: d.Shape, Strides: d.Strides, Block: d.Block,
		ElemSize: d.Base.DType.Size(), NaN: d.NaN}
	if l.Dev.traits.WordDescriptors {
		return base, desc.Words(), nil
	}
	words, release, err := maker.Describe(desc)
	if err != nil {
		return 0, nil, err
	}
	l.done = append(l.done, release)
	return base, words, nil
}
