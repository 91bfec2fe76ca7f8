package tma

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/analysis/address"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Accesses to tiles become accesses through descriptors, which are arguments of the kernel.

// replace makes a load or a store one through a descriptor. A tensor whose first dimension is the contiguous
// one is transposed.
func (t *tiler) replace(p *tilePlan) {
	x := p.tensor()
	typ := ttgir.TensorOf(x)
	shape := slices.Clone(typ.Shape)
	if p.swapped {
		slices.Reverse(shape)
	}
	inner := ir.Tensor(shape, typ.Elem, nil)
	block := ir.Tensor(padShape(shape, len(p.dims)), typ.Elem, nil)
	desc := t.descriptor(tt.AttrOfTile(t.tileOf(p)), tt.DescType.Get(block), p.op.Loc)
	b := ir.At(p.op)
	var at []*ir.Value
	for _, d := range p.dims {
		at = append(at, t.emit(b, d.at))
	}
	turn := func(x *ir.Value, to ir.Type) *ir.Value {
		if !p.swapped {
			return x
		}
		return b.ValA(tt.Trans, to, []ir.NamedAttr{ir.A("order", ir.I32Array(1, 0))}, x)
	}
	if p.op.Def == tt.Store {
		b.Groups(tt.DescStore, [][]*ir.Value{{desc}, {turn(x, inner)}, at}, nil)
		p.op.Erase()
		return
	}
	load := b.Groups(tt.DescLoad, [][]*ir.Value{{desc}, at}, []ir.Type{inner})
	load.Result(0).Name = x.Name
	p.op.ReplaceWith(turn(load.Result(0), typ))
}

// tensor returns what a plan's access loads or stores.
func (p *tilePlan) tensor() *ir.Value {
	if p.op.Def == tt.Store {
		return p.op.Slot(1)
	}
	return p.op.Result(0)
}

// tileOf returns the tile of a plan.
func (t *tiler) tileOf(p *tilePlan) tt.Tile {
	size := address.ElementBytes(p.op.Operand(0).Type)
	out := tt.Tile{Base: p.base, Natural: p.natural, Multiples: p.multiples, Guards: p.guards,
		Apart: p.apart}
	for _, d := range p.dims {
		dim := tt.TileDim{Stride: t.tileTerm(d.stride)}
		dim.Stride.Factor /= size
		if d.size != nil {
			for _, s := range t.addr.Terms(d.size) {
				dim.Size = append(dim.Size, t.tileTerm(s))
			}
		}
		out.Dims = append(out.Dims, dim)
	}
	return out
}

func (t *tiler) tileTerm(term address.Term) tt.TileTerm {
	out := tt.TileTerm{Factor: term.Factor}
	for _, s := range term.Of {
		out.Args = append(out.Args, t.argument(s))
	}
	return out
}

// descriptor returns the kernel's argument for a tile, a new one if there is none.
func (t *tiler) descriptor(attr ir.Attr, typ ir.Type, loc ir.Loc) *ir.Value {
	for _, m := range t.maps {
		if m.attr == attr && m.desc.Type == typ {
			return m.desc
		}
	}
	desc := funclike.AddArg(t.fn, typ, loc)
	funclike.SetArgAttr(t.fn, desc.Index(), tt.TileAttr, attr)
	t.maps = append(t.maps, tileMap{attr, desc})
	return desc
}

// emit computes a sum of products in 32 bits.
func (t *tiler) emit(b *ir.Builder, p address.Sum) *ir.Value {
	var sum *ir.Value
	for _, term := range t.addr.Terms(p) {
		var x *ir.Value
		for _, s := range term.Of {
			x = binary(b, arith.MulI, x, s.Value)
		}
		if x == nil || term.Factor != 1 {
			x = binary(b, arith.MulI, x, arith.ConstInt(b, term.Factor, ir.I32))
		}
		sum = binary(b, arith.AddI, sum, x)
	}
	if sum == nil {
		return arith.ConstInt(b, 0, ir.I32)
	}
	return sum
}

// binary returns the result of an operation on x and y, or y if x is nil.
func binary(b *ir.Builder, def *ir.OpDef, x, y *ir.Value) *ir.Value {
	if x == nil {
		return y
	}
	return b.Val(def, ir.I32, x, y)
}
