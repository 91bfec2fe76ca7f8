package irgen

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// isHandle reports whether t is a block pointer or a descriptor: a value that is passed around but not
// computed with.
func isHandle(t ir.Type) bool { return tt.IsTensorPtr(t) || tt.DescBlock(t) != nil }

// plain is a value in scope that can be computed with.
func (g *generator) plain() *ir.Value {
	for range 8 {
		if v := pick(&g.src, g.scope); !isHandle(v.Type) {
			return v
		}
	}
	return g.constant(ir.I32)
}

// handle is a block pointer or descriptor in scope, or nil.
func (g *generator) handle() *ir.Value {
	var fit []*ir.Value
	for _, v := range g.scope {
		if isHandle(v.Type) {
			fit = append(fit, v)
		}
	}
	if len(fit) == 0 {
		return nil
	}
	return pick(&g.src, fit)
}

// handles makes block pointers and descriptors of matrices inside the buffers, moves them, and loads and
// stores through them. Blocks that stick out are cut off by checks of all boundaries.
func (g *generator) handles() {
	h := g.handle()
	if h == nil || g.src.oneIn(4) {
		g.add(g.newHandle())
		return
	}
	switch k := g.src.n(6); {
	case k < 3:
		g.loadBlock(h)
	case k < 5:
		g.storeBlock(h)
	case tt.IsTensorPtr(h.Type):
		g.add(g.b.Op(tt.Advance, append([]*ir.Value{h}, g.offsets(2)...), []ir.Type{h.Type}).Result(0))
	}
}

// offsets are small numbers, some of them outside.
func (g *generator) offsets(n int) []*ir.Value {
	out := make([]*ir.Value, n)
	for i := range out {
		low := g.b.Val(arith.AndI, ir.I32, g.any(ir.I32), g.fixed(ir.I32, 15))
		out[i] = g.b.Val(arith.SubI, ir.I32, low, g.fixed(ir.I32, 4))
	}
	return out
}

func (g *generator) newHandle() *ir.Value {
	base := g.params[g.src.n(4)]
	elem, _, _ := tt.AsPtr(base.Type)
	block := ir.Tensor(pick(&g.src, [][]int64{{4, 4}, {2, 8}, {8, 2}}), elem, nil)
	rows, cols := int64(1+g.src.n(8)), int64(1+g.src.n(8))
	strides := []*ir.Value{g.fixed(ir.I64, 16), g.fixed(ir.I64, int64(1+g.src.n(2)))}
	if g.src.oneIn(3) && block.Shape[1] >= 4 { // a row of a descriptor's block has at least 16 bytes
		shape := []*ir.Value{g.fixed(ir.I32, rows), g.fixed(ir.I32, cols)}
		strides[1] = g.fixed(ir.I64, 1)
		return g.b.Groups(tt.MakeTensorDesc, [][]*ir.Value{{base}, shape, strides},
			[]ir.Type{tt.Desc(block, true)}).Result(0)
	}
	shape := []*ir.Value{g.fixed(ir.I64, rows), g.fixed(ir.I64, cols)}
	return g.b.Groups(tt.MakeTensorPtr, [][]*ir.Value{{base}, shape, strides, g.offsets(2)},
		[]ir.Type{tt.Ptr(block)}, ir.A("order", ir.I32Array(1, 0))).Result(0)
}

func (g *generator) loadBlock(h *ir.Value) {
	if t := tt.DescTensor(h.Type); t != nil {
		g.add(g.b.Groups(tt.DescLoad, [][]*ir.Value{{h}, g.offsets(2)}, []ir.Type{t}).Result(0))
		return
	}
	g.add(g.b.Groups(tt.Load, [][]*ir.Value{{h}, {nil}, {nil}}, []ir.Type{tt.Pointee(h.Type)},
		ir.A("boundaryCheck", ir.I32Array(0, 1)), ir.A("padding", ir.I32Attr(tt.PadZero))).Result(0))
}

func (g *generator) storeBlock(h *ir.Value) {
	if t := tt.DescTensor(h.Type); t != nil {
		g.b.Groups(tt.DescStore, [][]*ir.Value{{h}, {g.any(t)}, g.offsets(2)}, nil)
		return
	}
	g.b.Groups(tt.Store, [][]*ir.Value{{h}, {g.any(tt.Pointee(h.Type))}, {nil}}, nil,
		ir.A("boundaryCheck", ir.I32Array(0, 1)))
}
