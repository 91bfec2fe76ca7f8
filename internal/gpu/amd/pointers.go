package amd

import (
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

// split returns the parts of a pointer; ok is false if it comes from something else than small arguments.
func (c *pointerSplit) split(v *ir.Value) (p basedOffset, ok bool) {
	if p, ok := c.known[v]; ok {
		return p, p.base != nil
	}
	c.known[v] = basedOffset{}
	def := v.Def()
	switch {
	case def == nil && smallPointer(v):
		b := ir.At(v.Block().First())
		p = basedOffset{v, arith.ConstInt(b, 0, ir.I32)}
	case def == nil && v.Block().Parent().Def == scf.For:
		p = c.carried(v.Block().Parent(), v.Index()-1, false)
	case def == nil:
	case def.Def == scf.For:
		p = c.carried(def, v.Index(), true)
	default:
		p = c.computed(def)
	}
	if p.base != nil {
		c.known[v] = p
	}
	return p, p.base != nil
}

// computed returns the parts of what op computes from pointers.
func (c *pointerSplit) computed(op *ir.Op) (p basedOffset) {
	switch op.Def {
	case tt.AddPtr, tt.Splat, tt.Broadcast, tt.ExpandDims, ttg.ConvertLayout:
	default:
		return p
	}
	p, ok := c.split(op.Operand(0))
	if !ok {
		return basedOffset{}
	}
	b := ir.At(op)
	b.After(op)
	if op.Def == tt.AddPtr {
		p.offset = b.Val(arith.AddI, p.offset.Type, p.offset, toI32(b, op.Operand(1)))
		return p
	}
	t := ttgir.TensorOf(op.Result(0)).With(ir.I32)
	p.offset = b.ValA(op.Def, t, op.Attrs(), p.offset)
	return p
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

// carried lets a loop carry offsets beside its pointer number i. It returns the parts of the pointer in the
// body, or of the loop's result.
func (c *pointerSplit) carried(loop *ir.Op, i int, result bool) (p basedOffset) {
	init, ok := c.split(scf.Inits(loop)[i])
	if !ok {
		return p
	}
	old := scf.IterArgs(loop)[i]
	arg := ttgir.Carry(loop, init.offset)
	n := arg.Index() - 1
	c.known[old] = basedOffset{init.base, arg}
	next, ok := c.split(loop.Body(0).Last().Operand(i))
	if !ok || next.base != init.base {
		c.known[old] = basedOffset{}
		return p
	}
	loop.Body(0).Last().SetOperand(n, next.offset)
	c.known[loop.Result(i)] = basedOffset{init.base, loop.Result(n)}
	if result {
		return c.known[loop.Result(i)]
	}
	return c.known[old]
}
