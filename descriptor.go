package nereid

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/target"
)

// Descriptor describes a tensor to a kernel that loads and stores blocks of it, like Triton's
// TensorDescriptor.
type Descriptor struct {
	Base    *Tensor
	Shape   []int64
	Strides []int64 // in elements
	Block   []int64 // shape of a block
	NaN     bool    // loads outside the tensor give NaN instead of zero
}

// Describe implements args.Lender: it checks a descriptor and returns the device's words for it.
func (l *launch) Describe(param string, word int, x *args.Descriptor) ([]uint64, error) {
	d := x.Owner.(*Descriptor)
	for i := range d.Shape {
		if d.Shape[i] < 0 || i < len(d.Block) && d.Block[i] <= 0 {
			return nil, fmt.Errorf("a descriptor of the shape %v with blocks of %v: sizes are not negative, those of blocks not 0", d.Shape, d.Block)
		}
	}
	if d.Base == nil || len(d.Shape) == 0 || len(d.Shape) != len(d.Strides) || len(d.Shape) != len(d.Block) {
		return nil, fmt.Errorf("a descriptor needs a tensor, and as many strides and block sizes as dimensions, not %d, %d and %d",
			len(d.Strides), len(d.Block), len(d.Shape))
	}
	maker, ok := l.dev.b.(target.Describer)
	if !ok {
		return nil, diag.Refuse("tensor descriptors", "%s takes none", l.dev).By(l.dev.String())
	}
	base, err := l.Address(param, word, x.Base)
	if err != nil {
		return nil, err
	}
	desc := x.Desc
	desc.Base, desc.ElemSize = base, d.Base.DType.Size()
	words, release, err := maker.Describe(desc)
	if err != nil {
		return nil, err
	}
	l.done = append(l.done, release)
	return words, nil
}
