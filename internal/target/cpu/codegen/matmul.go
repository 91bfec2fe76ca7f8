package codegen

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/bufferization"
	"github.com/nereid-lang/nereid/internal/dialect/indexlist"
	"github.com/nereid-lang/nereid/internal/dialect/linalg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/target/cpu/gemm"
)

// gemmElems holds the element types that package gemm multiplies.
var gemmElems = map[ir.Type]gemm.Elem{ir.F32: gemm.F32, ir.F64: gemm.F64, ir.F16: gemm.F16,
	ir.BF16: gemm.BF16, ir.I8: gemm.I8}

// factor is an operand of a matrix product in memory.
type factor struct {
	w          *view
	rows, cols string // rows and columns that are there; the others are zero
	constant   string // whether its memory is an argument's that no program writes, as an i1
}

// emitMatmul adds the product of two matrices, or of stacks of them, to the accumulator.
func emitMatmul(g *gen, op *ir.Op) {
	out, init := op.Result(0), op.Operand(2)
	t := out.Type.(*ir.TensorType)
	w := g.dest[out]
	if w == nil {
		w = g.newBuffer(t.Elem, t.Shape)
	}
	x, y := ir.ElemOf(op.Operand(0).Type), ir.ElemOf(op.Operand(1).Type)
	fresh := "false" // whether the accumulator is zero, and not in its buffer
	switch {
	case isZeroValue(init) && hasKernel(x, y, t.Elem):
		fresh = "true"
	case g.late[init]:
		fresh = g.round.first(g)
	default:
		g.fillBuffers([]carried{{view: w, t: out.Type}}, []*ir.Value{init})
	}
	g.bindView(out, w)
	a, b := g.factor(op.Operand(0)), g.factor(op.Operand(1))
	if g.err != nil {
		return
	}
	if len(t.Shape) == 2 {
		g.product(op, w, a, b, t.Shape, ir.ShapeOf(op.Operand(0).Type)[1], fresh)
		return
	}
	g.loop("0", itoa(t.Shape[0]), 1, func(i string) {
		g.product(op, g.plane(w, i), factor{g.plane(a.w, i), a.rows, a.cols, "false"},
			factor{g.plane(b.w, i), b.rows, b.cols, "false"},
			t.Shape[1:], ir.ShapeOf(op.Operand(0).Type)[2], fresh)
	})
}

// plane returns one matrix of a stack.
func (g *gen) plane(w *view, i string) *view {
	out := *w
	out.offset = g.add(w.offset, g.mul(i, w.strides[0]))
	out.sizes, out.strides = w.sizes[1:], w.strides[1:]
	return &out
}

// hasKernel reports whether package gemm multiplies elements of types a and b to sums of type c, if need be
// after converting them to f32.
func hasKernel(a, b, c ir.Type) bool {
	if c == ir.Type(ir.F32) && (gemmElems[a] == "" || a != b) {
		a, b = inF32(a), inF32(b)
	}
	elem, ok := gemmElems[a]
	return ok && a == b && gemm.Spec{Elem: elem}.Acc() == elemType(c)
}

func inF32(t ir.Type) ir.Type {
	if isSmallFloat(t) {
		return ir.F32
	}
	return t
}

// product multiplies two matrices with a kernel of package gemm if there is one for the type, also after
// converting to f32 if the sum is in f32.
func (g *gen) product(op *ir.Op, c *view, a, b factor, shape []int64, k int64, fresh string) {
	if c.elem == ir.Type(ir.F32) && (gemmElems[a.w.elem] == "" || a.w.elem != b.w.elem) {
		a.w, b.w = g.inF32(a, shape[0], k), g.inF32(b, k, shape[1])
		a.constant, b.constant = "false", "false"
	}
	if !hasKernel(a.w.elem, b.w.elem, c.elem) {
		g.plainProduct(c, a.w, b.w, shape, k)
		return
	}
	spec := gemm.Spec{M: int(shape[0]), N: int(shape[1]), K: int(k), Elem: gemmElems[a.w.elem]}
	kernel, err := g.gemm.Kernel(spec)
	if err != nil {
		g.fail(op, "%v", err)
		return
	}
	g.callKernel(op, kernel, c, a, b, fresh)
}

// inF32 returns a matrix in f32: itself, or an exact copy.
func (g *gen) inF32(f factor, rows, cols int64) *view {
	if !isSmallFloat(f.w.elem) {
		return f.w
	}
	lanes := int64(1)
	for f.cols == itoa(cols) && lanes*2 <= int64(g.opts.VectorBytes)/4 && cols%(lanes*2) == 0 {
		lanes *= 2
	}
	out := g.newBuffer(ir.F32, []int64{rows, cols})
	g.loop("0", f.rows, 1, func(i string) {
		g.loop("0", f.cols, lanes, func(j string) {
			g.lanes = int(lanes)
			xj := index{base: j, align: lanes}
			if lanes > 1 {
				xj.lanes = counting(int(lanes))
			}
			at := []index{at(i), xj}
			g.store(out, at, g.wide(g.load(f.w, at, nil, val{})), nil)
			g.lanes = 1
		})
	})
	return out
}

func (g *gen) callKernel(op *ir.Op, k *gemm.Kernel, c *view, a, b factor, fresh string) {
	s := g.kernelBuffer(k.Name, k.Scratch)
	panels, packed := g.panels(op, k, b)
	args := []string{"ptr " + g.address(c, "0")}
	for _, f := range []factor{a, b} {
		args = append(args, "ptr "+g.address(f.w, "0"))
		for _, x := range []string{f.w.strides[0], f.w.strides[1], f.rows, f.cols} {
			args = append(args, "i64 "+x)
		}
	}
	flags := g.op("select i1 %s, i64 %d, i64 0", packed, gemm.Packed)
	flags = g.op("or i64 %s, %s", flags, g.op("select i1 %s, i64 %d, i64 0", fresh, gemm.Fresh))
	args = append(args, "ptr "+panels, "i64 "+flags, "ptr "+s.ptr)
	g.do("call void @\"%s\"(%s)", k.Name, strings.Join(args, ", "))
}

// plainProduct multiplies types that package gemm does not have, row by row.
func (g *gen) plainProduct(c, a, b *view, shape []int64, k int64) {
	lanes := int64(1)
	for lanes*2 <= int64(g.opts.VectorBytes)/elemSize(c.elem) && shape[1]%(lanes*2) == 0 {
		lanes *= 2
	}
	g.loop("0", itoa(shape[0]), 1, func(i string) {
		g.loop("0", itoa(k), 1, func(l string) {
			x := g.extend(g.load(a, []index{at(i), at(l)}, nil, val{}), c.elem)
			g.loop("0", itoa(shape[1]), lanes, func(j string) {
				g.lanes = int(lanes)
				xj := index{base: j, align: lanes}
				if lanes > 1 {
					xj.lanes = counting(int(lanes))
				}
				y := g.extend(g.load(b, []index{at(l), xj}, nil, val{}), c.elem)
				sum := g.load(c, []index{at(i), xj}, nil, val{})
				if ir.IsFloat(c.elem) {
					u, _ := g.unify(x, y, sum)
					sum = g.intrinsic("fma", c.elem, u...)
				} else {
					sum = g.binary("add", c.elem, sum, g.binary("mul", c.elem, x, y))
				}
				g.store(c, []index{at(i), xj}, sum, nil)
				g.lanes = 1
			})
		})
	})
}

// extend converts a factor to the type of the sum.
func (g *gen) extend(v val, t ir.Type) val {
	switch {
	case v.t == t:
		return v
	case ir.IsFloat(t):
		return g.toFloat(v, t, rounding{})
	}
	return g.cast("sext", v, t)
}

// factor returns where a matrix lies: in a buffer, or where it is loaded from.
func (g *gen) factor(v *ir.Value) factor {
	shape := ir.ShapeOf(v.Type)
	n := len(shape)
	if w := g.lookupView(v); w != nil {
		return factor{w, itoa(shape[n-2]), itoa(shape[n-1]), "false"}
	}
	if w := g.wraps[v]; w != nil {
		return g.wrapped(v, w)
	}
	if op := v.DefBy(linalg.Transpose); op != nil && g.direct(v) {
		f := g.factor(op.Operand(0))
		w := *f.w
		w.strides = []string{f.w.strides[1], f.w.strides[0]}
		return factor{&w, f.cols, f.rows, f.constant}
	}
	op := v.DefBy(bufferization.ToTensor)
	if op == nil || !g.direct(v) {
		g.failValue(v, "a factor of a matrix product is in no buffer")
		return factor{w: block("null", ir.ElemOf(v.Type), shape), constant: "false"}
	}
	l := g.loadOf(op)
	f := factor{w: g.viewOf(l.src), rows: itoa(shape[n-2]), cols: itoa(shape[n-1]),
		constant: g.constantMemory(l.src)}
	if l.n != nil {
		f.rows, f.cols = g.entry(l.n[n-2]), g.entry(l.n[n-1])
	}
	return f
}

// direct reports whether a matrix product can read a tensor from memory itself: a matrix whose part begins at
// its first element, with zeros around it.
func (g *gen) direct(v *ir.Value) bool {
	if g.opts.Check {
		return false // the loads that fill a buffer are checked
	}
	if op := v.DefBy(linalg.Transpose); op != nil {
		return len(ir.ShapeOf(v.Type)) == 2 && g.direct(op.Operand(0))
	}
	op := v.DefBy(bufferization.ToTensor)
	if op == nil || gemmElems[ir.ElemOf(v.Type)] == "" || len(ir.ShapeOf(v.Type)) != 2 {
		return false
	}
	l := g.loadOf(op)
	if l == nil || l.when != nil {
		return false
	}
	for _, e := range l.lo {
		if !e.IsConst(0) {
			return false
		}
	}
	return l.n == nil || l.other == nil || isZeroValue(l.other) || whole(l.n, ir.ShapeOf(v.Type))
}

func whole(sizes []indexlist.Entry, shape []int64) bool {
	for d, e := range sizes {
		if !e.IsConst(shape[d]) {
			return false
		}
	}
	return true
}

// isZeroValue reports whether a scalar or tensor is known to be zero.
func isZeroValue(v *ir.Value) bool {
	if op := v.DefBy(linalg.Fill); op != nil {
		v = op.Operand(0)
	}
	switch a := arith.Uniform(arith.ValueOf(v)).(type) {
	case *ir.IntegerAttr:
		return a.Value == 0
	case *ir.FloatAttr:
		return a.Value() == 0
	}
	return false
}
