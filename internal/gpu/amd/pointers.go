package amd

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/gpu/ttgir"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// CanonicalizePointers writes the addresses of accesses to small tensors as an argument plus 32-bit offsets.
// tt.pointer_range = 32 on an argument says that its tensor is small: all of it lies within 2 GiB behind the
// pointer, so that sums of offsets are exact modulo 2^32, whatever width the kernel computes them in. Loops
// then carry offsets instead of pointers.
//
//	%q = tt.addptr (tt.splat %p), %o           %s = arith.addi %o, %u
//	%r = tt.addptr %q, %u                 =>   %r = tt.addptr (tt.splat %p), %s
//	tt.load %r                                 tt.load %r
var CanonicalizePointers = pass.Pass{
	Name: "tritonamdgpu-canonicalize-pointers",
	Doc:  "write addresses in small tensors as an argument plus offsets",
	Run: func(ctx *pass.Context, m *ir.Module) error {
		for _, fn := range ttgir.OpsOf(m.Op, tt.Func) {
			c := pointerSplit{known: map[*ir.Value]basedOffset{}}
			for _, loop := range ttgir.ForLoops(fn) { // before what depends on them in a circle
				for _, arg := range scf.IterArgs(loop) {
					if tt.IsPtr(ir.ElemOf(arg.Type)) {
						c.split(arg)
					}
				}
			}
			for _, def := range []*ir.OpDef{tt.Load, tt.Store} {
				for _, op := range ttgir.OpsOf(fn, def) {
					ctx.At(op)
					c.rewrite(op)
				}
			}
		}
		return nil
	},
}

// smallPointer reports whether v is an argument of a function whose tensor lies within 2 GiB.
func smallPointer(v *ir.Value) bool {
	if v.Def() != nil || v.Block().Parent().Def != tt.Func {
		return false
	}
	a, ok := funclike.ArgAttr(v.Block().Parent(), v.Index(), "tt.pointer_range").(*ir.IntegerAttr)
	return ok && a.Value <= 32
}

// basedOffset is a pointer, or a tensor of pointers, as an argument plus offsets of its shape.
type basedOffset struct{ base, offset *ir.Value }

// pointerSplit finds arguments and offsets.
type pointerSplit struct{ known map[*ir.Value]basedOffset }

// rewrite gives an access a pointer in two parts.
func (c *pointerSplit) rewrite(op *ir.Op) {
	ptr := op.Operand(0)
	t := ttgir.TensorOf(ptr)
	if _, _, done := bufferParts(ptr); t == nil || done {
		return
	}
	p, ok := c.split(ptr)
	if !ok {
		return
	}
	b := ir.At(op)
	op.SetOperand(0, b.Val(tt.AddPtr, t, b.Val(tt.Splat, t, p.base), p.offset))
}

// isSplit reports whether a tensor of pointers is one pointer plus 32-bit offsets.
func isSplit(ptr *ir.Value) bool {
	add := ptr.DefBy(tt.AddPtr)
	return add != nil && add.Operand(0).DefBy(tt.Splat) != nil &&
		ir.ElemOf(add.Operand(1).Type) == ir.Type(ir.I32)
}

// origin returns the argument that all values of a pointer are computed from; nil if there are several, or it
// comes from something else than small arguments.
func origin(pointer *ir.Value) (base *ir.Value) {
	seen, left := map[*ir.Value]bool{}, []*ir.Value{pointer}
	for len(left) > 0 {
		v := left[len(left)-1]
		left = left[:len(left)-1]
		if seen[v] {
			continue
		}
		seen[v] = true
		if loop, i := carrier(v); loop != nil {
			left = append(left, scf.Inits(loop)[i], loop.Body(0).Last().Operand(i))
			continue
		}
		switch {
		case smallPointer(v) && (base == nil || base == v):
			base = v
		case v.Def() != nil && slices.Contains(moves, v.Def().Def):
			left = append(left, v.Def().Operand(0))
		default:
			return nil
		}
	}
	return base
}

// carrier returns the loop that carries a value, and the number of the value among those that it carries.
func carrier(v *ir.Value) (loop *ir.Op, i int) {
	if def := v.Def(); def != nil && def.Def == scf.For {
		return def, v.Index()
	} else if def == nil && v.Block().Parent().Def == scf.For {
		return v.Block().Parent(), v.Index() - 1
	}
	return nil, 0
}

// moves are what computes pointers from a pointer of the same tensor, their first operand.
var moves = []*ir.OpDef{tt.AddPtr, tt.Splat, tt.Broadcast, tt.ExpandDims, ttg.ConvertLayout}

// split returns the parts of a pointer; ok is false if it has no origin.
func (c *pointerSplit) split(v *ir.Value) (p basedOffset, ok bool) {
	if p, ok := c.known[v]; ok {
		return p, true
	}
	base := origin(v)
	if base == nil {
		return p, false
	}
	if base == v {
		c.known[v] = basedOffset{v, arith.ConstInt(ir.At(v.Block().First()), 0, ir.I32)}
	} else if loop, i := carrier(v); loop != nil {
		c.carry(loop, i, base)
	} else {
		c.known[v] = basedOffset{base, c.offset(v.Def())}
	}
	return c.known[v], true
}

// offset returns the offset of what op, one of moves, computes.
func (c *pointerSplit) offset(op *ir.Op) *ir.Value {
	p, _ := c.split(op.Operand(0))
	b := ir.At(op)
	b.After(op)
	if op.Def == tt.AddPtr {
		return b.Val(arith.AddI, p.offset.Type, p.offset, toI32(b, op.Operand(1)))
	}
	return b.ValA(op.Def, ttgir.TensorOf(op.Result(0)).With(ir.I32), op.Attrs(), p.offset)
}

// toI32 returns integers modulo 2^32.
func toI32(b *ir.Builder, v *ir.Value) *ir.Value {
	t := ir.WithElem(v.Type, ir.I32)
	switch w := ir.BitWidth(ir.ElemOf(v.Type)); {
	case w > 32:
		return b.Val(arith.TruncI, t, v)
	case w < 32:
		return b.Val(arith.ExtSI, t, v)
	}
	return v
}

// carry lets a loop carry the offset of its pointer number i.
func (c *pointerSplit) carry(loop *ir.Op, i int, base *ir.Value) {
	first, _ := c.split(scf.Inits(loop)[i])
	offset := ttgir.Carry(loop, first.offset)
	n := offset.Index() - 1
	c.known[scf.IterArgs(loop)[i]] = basedOffset{base, offset}
	c.known[loop.Result(i)] = basedOffset{base, loop.Result(n)}
	yield := loop.Body(0).Last()
	next, _ := c.split(yield.Operand(i))
	yield.SetOperand(n, next.offset)
}
