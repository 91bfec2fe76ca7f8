package nereid

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/target"
)

// Descriptor describes a tensor to a kernel that loads and stores blocks of it: Triton's TensorDescriptor.
type Descriptor struct {
	Base    *Tensor
	Shape   []int64
	Strides []int64 // in elements
	Block   []int64 // the shape of the blocks
	NaN     bool    // loads outside the tensor give NaN, not zero
}

// Func is a jit function given as a compile-time argument. File is that of the kernel when empty.
type Func struct{ File, Name string }

// descriptor is what the compiler is told of a descriptor; the device gets words for it, then its shape and strides.
func (l *launch) descriptor(d *Descriptor) (lang.ArgSpec, error) {
	if d.Base == nil || len(d.Shape) == 0 || len(d.Shape) != len(d.Strides) || len(d.Shape) != len(d.Block) {
		return lang.ArgSpec{}, fmt.Errorf("a descriptor needs a tensor, and as many strides and sizes of blocks as dimensions, not %d, %d and %d",
			len(d.Strides), len(d.Block), len(d.Shape))
	}
	elem, err := lang.ParseType(d.Base.DType.String())
	if err != nil {
		return lang.ArgSpec{}, err
	}
	maker, ok := l.dev.b.(target.Describer)
	if !ok {
		return lang.ArgSpec{}, fmt.Errorf("%s takes no tensor descriptors", l.dev)
	}
	base, err := l.address(d.Base)
	if err != nil {
		return lang.ArgSpec{}, err
	}
	words, release, err := maker.Describe(target.Descriptor{
		Base: base, Shape: d.Shape, Strides: d.Strides, Block: d.Block, ElemSize: d.Base.DType.Size(), NaN: d.NaN,
	})
	if err != nil {
		return lang.ArgSpec{}, err
	}
	l.done = append(l.done, release)
	l.point(d.Base, base)
	l.words = append(l.words[:len(l.words)-1], words...) // the first is the base, or stands for it
	for _, n := range d.Shape {
		l.words = append(l.words, uint64(n))
	}
	for _, n := range d.Strides {
		l.words = append(l.words, uint64(n))
	}
	return lang.ArgSpec{Desc: &lang.DescSpec{Elem: elem.(*sem.DType), Block: d.Block}}, nil
}
