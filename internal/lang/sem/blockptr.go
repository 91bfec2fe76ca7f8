package sem

import (
	"math"
	"slices"

	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// BlockPointer is a block pointer of Triton 3.8, which IR does not know: a group of scalars, of which each
// load and store computes pointers and masks. In all other releases that have block pointers, one is a Tensor
// whose type is a pointer to a block.
type BlockPointer struct {
	Base                    *Tensor
	Shape, Strides, Offsets []*Tensor // int64 scalars
	Block, Order            []int64
}

// TypeName returns the class name in the language.
func (*BlockPointer) TypeName() string { return "_block_ptr" }

// Parts returns the device values that make up a block pointer.
func (p *BlockPointer) Parts() []*Tensor {
	return slices.Concat([]*Tensor{p.Base}, p.Shape, p.Strides, p.Offsets)
}

// WithParts returns the block pointer made of other values, in the order of Parts.
func (p *BlockPointer) WithParts(parts []*Tensor) *BlockPointer {
	n := len(p.Block)
	return &BlockPointer{Base: parts[0], Shape: parts[1 : 1+n], Strides: parts[1+n : 1+2*n],
		Offsets: parts[1+2*n:], Block: p.Block, Order: p.Order}
}

// attr returns a field of a block pointer, or its dtype: the type of its base.
func (p *BlockPointer) attr(name string) object.Value {
	switch name {
	case "dtype":
		return p.Base.Type
	case "base":
		return p.Base
	case "shape":
		return tensorTuple(p.Shape)
	case "strides":
		return tensorTuple(p.Strides)
	case "offsets":
		return tensorTuple(p.Offsets)
	case "block_shape":
		return shapeTuple(p.Block)
	case "order":
		return shapeTuple(p.Order)
	}
	return nil
}

// blockPointerByHand is tl.make_block_ptr of 3.8.
func (c *Call) blockPointerByHand() *BlockPointer {
	p := &BlockPointer{Base: c.blockBase()}
	p.Shape, p.Strides, p.Offsets = c.wideScalars("shape"), c.wideScalars("strides"), c.wideScalars("offsets")
	p.Block = c.shape("block_shape", c.list("block_shape"))
	p.Order = c.blockOrder()
	checkRanks(p.Block, len(p.Shape), len(p.Strides), len(p.Offsets), len(p.Order))
	return p
}

// wideScalars returns a list of integers as int64 scalars.
func (c *Call) wideScalars(name string) []*Tensor {
	defer inArgument(name)
	vs := c.list(name)
	out := make([]*Tensor, len(vs))
	for i, v := range vs {
		x, ok := v.(*Tensor)
		if !ok && !isNumber(v) {
			panic(bad(CodeType, "unsupported element in shape/strides/offsets: %s", describe(v)))
		}
		if !ok {
			x = c.B.toTensor(v)
		}
		if t := scalarType(x); IsBlock(x.Type) || t == nil || !t.IsInt() {
			panic(bad(CodeType,
				"shape, strides and offsets of a block pointer are lists of scalar integers, but one is %s",
				x.Type))
		}
		out[i] = c.B.cast(x, Int64, noRounding)
	}
	return out
}

// moved returns the block pointer after tl.advance.
func (p *BlockPointer) moved(c *Call) *BlockPointer {
	by := c.wideScalars("offsets")
	checkMove(len(p.Block), len(by))
	out := *p
	out.Offsets = make([]*Tensor, len(by))
	for i, x := range by {
		out.Offsets[i] = c.B.add(p.Offsets[i], x, true)
	}
	return &out
}

// elements returns a pointer to each element of the block, and a mask of the dimensions in checked; nil if
// there are none.
func (p *BlockPointer) elements(b *Builder, checked []int64) (ptrs, mask *Tensor) {
	ptrs = p.Base
	for dim, extent := range p.Block {
		at := b.add(p.Offsets[dim], b.arange(0, extent), true)
		for range dim {
			at = b.expandDims(at, 0)
		}
		for range len(p.Block) - dim - 1 {
			at = b.expandDims(at, len(ShapeOf(at.Type)))
		}
		at = b.broadcastTo(at, p.Block)
		ptrs = b.add(ptrs, b.mul(at, p.Strides[dim], true), true)
		if !slices.Contains(checked, int64(dim)) {
			continue
		}
		inside := b.and(b.compare(python.GtE, at, object.MakeInt(0)), b.compare(python.Lt, at, p.Shape[dim]))
		if mask != nil {
			inside = b.and(mask, inside)
		}
		mask = inside
	}
	return ptrs, mask
}

// loadByHand is tl.load of a block pointer of 3.8.
func (c *Call) loadByHand(p *BlockPointer) *Tensor {
	if c.given("mask") || c.given("other") {
		panic(maskOfBlockLoad())
	}
	attrs := c.loadAttrs()
	padding := c.str("padding_option")
	paddings.get("padding option", padding)
	ptrs, mask := p.elements(c.B, c.boundaryDims(len(p.Block)))
	var other *Tensor
	elem, isNumber := pointee(p.Base).(*DType)
	switch {
	case padding == "":
	case padding == "nan" && isNumber && elem.IsInt():
		panic(noNaN(elem))
	case padding == "nan":
		other = c.B.toTensor(object.Float(math.NaN()))
	case isNumber && elem.IsFloating():
		other = c.B.toTensor(object.Float(0))
	default:
		other = c.B.toTensor(object.MakeInt(0))
	}
	checkOther(mask, other)
	return c.B.load(ptrs, mask, other, attrs)
}

// storeByHand is tl.store to a block pointer of 3.8.
func (c *Call) storeByHand(p *BlockPointer) {
	if c.given("mask") {
		panic(maskOfBlockStore())
	}
	attrs := c.memoryAttrs(storeCaches)
	ptrs, mask := p.elements(c.B, c.boundaryDims(len(p.Block)))
	c.B.store(ptrs, c.tensor("value"), mask, attrs)
}
