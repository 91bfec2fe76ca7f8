package interp

import (
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/num"
)

// product is a matrix product c + a*b: its extents, and for each batch the rows it works on.
type product struct{ batch, m, n, k int }

// productOf reads the extents from the types.
func productOf(a, b ir.Type) (p product, ok bool) {
	x, y := toInts(ir.ShapeOf(a)), toInts(ir.ShapeOf(b))
	if len(x) == 2 && len(y) == 2 {
		x, y = append([]int{1}, x...), append([]int{1}, y...)
	}
	if len(x) != 3 || len(y) != 3 || x[2] != y[1] || x[0] != y[0] {
		return p, false
	}
	return product{x[0], x[1], y[2], x[2]}, true
}

// lowerDot multiplies tensors. On TTGIR's warp_group_dot the operands may lie in shared memory.
func lowerDot(c *compiler, op *ir.Op) step {
	a, b := c.full(op.Operand(0)), c.full(op.Operand(1))
	p, ok := productOf(op.Operand(0).Type, op.Operand(1).Type)
	if !ok {
		return c.errorf(op, "%s times %s is not supported", op.Operand(0).Type, op.Operand(1).Type)
	}
	return c.dot(op, p, a, b, c.in(op.Operand(2)), c.out(op.Result(0)))
}

// dot makes the step of a product of rows.
func (c *compiler) dot(op *ir.Op, p product, a, b, acc, d value) step {
	if a.kind.isInt() && b.kind.isInt() && d.kind == kI32 {
		return c.intDot(op, p, a, b, acc, d)
	}
	if !a.kind.isFloat() || !b.kind.isFloat() || !d.kind.isFloat() {
		return c.errorf(op, "%s times %s is not supported", op.Operand(0).Type, op.Operand(1).Type)
	}
	wa, wb := c.temp(kF64, p.m*p.k).reg, c.temp(kF64, p.n*p.k).reg
	tf32 := op.IntOr("inputPrecision", tt.PrecisionIEEE) == tt.PrecisionTF32 && a.fmt == num.F32 &&
		b.fmt == num.F32 && !c.ring
	floats := c.productFloats()
	return func(f *frame) {
		for i := range p.batch {
			round := tf32 && f.w.opts.TF32
			wide(row[float64](f, wa), f, a, i*p.m*p.k, round)
			wideTransposed(row[float64](f, wb), f, b, i*p.n*p.k, p.k, p.n, round)
			floats(p, f, row[float64](f, wa), row[float64](f, wb), i, acc, d)
		}
	}
}

var tf32Format = num.TF32

// wide converts elements from an offset on to float64.
func wide(d []float64, f *frame, v value, off int, tf32 bool) {
	if v.kind == kF64 {
		copy(d, row[float64](f, v.reg)[off:])
		return
	}
	src := row[float32](f, v.reg)[off:][:len(d)]
	if tf32 {
		s := smallFor(tf32Format)
		for i := range d {
			d[i] = float64(s.toward0(src[i]))
		}
		return
	}
	for i := range d {
		d[i] = float64(src[i])
	}
}

// wideTransposed converts a matrix of rows by cols to float64, transposed, so that both operands are read
// along k.
func wideTransposed(d []float64, f *frame, v value, off, rows, cols int, tf32 bool) {
	if v.kind == kF64 {
		transpose(d, row[float64](f, v.reg)[off:], rows, cols, func(x float64) float64 { return x })
		return
	}
	src := row[float32](f, v.reg)[off:][:len(d)]
	if tf32 {
		s := smallFor(tf32Format)
		transpose(d, src, rows, cols, func(x float32) float64 { return float64(s.toward0(x)) })
		return
	}
	const tile = 8
	for r := 0; r < rows; r += tile {
		for k := range cols {
			for i := r; i < min(r+tile, rows); i++ {
				d[k*rows+i] = float64(src[i*cols+k])
			}
		}
	}
}

func transpose[T float](d []float64, src []T, rows, cols int, f func(T) float64) {
	for r := range rows {
		for k := range cols {
			d[k*rows+r] = f(src[r*cols+k])
		}
	}
}

// floats computes one batch. a is m by k, b is n by k; each sum runs from k = 0 up in float64 and is rounded
// once, c included. Sums of f16 are rounded after every 16 products, as the hardware's instructions are that
// long.
func (p product) floats(f *frame, a, b []float64, batch int, acc, d value) {
	out := newSink(f, acc, d)
	chunk := p.k
	if d.fmt == num.F16 {
		chunk = 16
	}
	var sums [8]float64
	for i := 0; i < p.m; i += 4 {
		rows := min(4, p.m-i)
		f.w.worked(rows * p.n * p.k)
		for j := 0; j < p.n; j += 2 {
			cols := min(2, p.n-j)
			for k := 0; k < p.k; k += chunk {
				n := min(chunk, p.k-k)
				if rows == 4 && cols == 2 {
					dot4x2(&sums, a[i*p.k+k:], b[j*p.k+k:], p.k, n)
				} else {
					dotEdge(&sums, a[i*p.k+k:], b[j*p.k+k:], p.k, n, rows, cols)
				}
				at := (batch*p.m+i)*p.n + j
				for r := range rows {
					for c := range cols {
						out.put(at+r*p.n+c, sums[2*r+c], k == 0)
					}
				}
			}
		}
	}
}

// sink takes sums to a result.
type sink struct {
	d32, c32 []float32
	d64, c64 []float64
	mask     int // mask of an index into c
	small    *small
}

func newSink(f *frame, acc, d value) sink {
	s := sink{mask: -1}
	if acc.uni {
		s.mask = 0
	}
	if d.kind == kF64 {
		s.d64, s.c64 = row[float64](f, d.reg), row[float64](f, acc.reg)
		return s
	}
	s.d32, s.c32 = row[float32](f, d.reg), row[float32](f, acc.reg)
	if d.small() {
		s.small = smallFor(d.fmt)
	}
	return s
}

// put adds a sum to c, or to the partial result in its place, and rounds.
func (s *sink) put(at int, sum float64, first bool) {
	if s.d64 != nil {
		s.d64[at] = sum + s.c64[at&s.mask]
		return
	}
	c := s.c32[at&s.mask]
	if !first {
		c = s.d32[at]
	}
	if s.small != nil {
		s.d32[at] = s.small.round64(sum + float64(c))
		return
	}
	s.d32[at] = float32(sum + float64(c))
}

// dot4x2 makes the eight sums of n products of four rows and two columns, which lie stride apart; the sums
// are kept in registers.
func dot4x2(sums *[8]float64, a, b []float64, stride, n int) {
	a0, a1, a2, a3 := a[:n], a[stride:][:n], a[2*stride:][:n], a[3*stride:][:n]
	b0, b1 := b[:n], b[stride:][:n]
	var s00, s01, s10, s11, s20, s21, s30, s31 float64
	for i := range n {
		x, y := b0[i], b1[i]
		s00 += float64(a0[i] * x)
		s01 += float64(a0[i] * y)
		s10 += float64(a1[i] * x)
		s11 += float64(a1[i] * y)
		s20 += float64(a2[i] * x)
		s21 += float64(a2[i] * y)
		s30 += float64(a3[i] * x)
		s31 += float64(a3[i] * y)
	}
	*sums = [8]float64{s00, s01, s10, s11, s20, s21, s30, s31}
}

func dotEdge(sums *[8]float64, a, b []float64, stride, n, rows, cols int) {
	for r := range rows {
		for c := range cols {
			s := 0.0
			for i := range n {
				s += float64(a[r*stride+i] * b[c*stride+i])
			}
			sums[2*r+c] = s
		}
	}
}

// intDot multiplies integers and wraps in 32 bits.
func (c *compiler) intDot(op *ir.Op, p product, a, b, acc, d value) step {
	wa, wb := c.temp(kI32, a.n).reg, c.temp(kI32, b.n).reg
	ca, ok1 := intCast(a.kind, kI32, true)
	cb, ok2 := intCast(b.kind, kI32, true)
	if !ok1 || !ok2 {
		return c.errorf(op, "%s times %s is not supported", op.Operand(0).Type, op.Operand(1).Type)
	}
	c.emit(op, ca(wa, a.reg))
	c.emit(op, cb(wb, b.reg))
	return func(f *frame) {
		x, y, z := row[int32](f, wa), row[int32](f, wb), row[int32](f, d.reg)
		f.copyReg(d.reg, acc.reg, kI32)
		for i := range p.batch * p.m {
			f.w.worked(p.n * p.k)
			out := z[i*p.n:][:p.n]
			for k := range p.k {
				s := x[i*p.k+k]
				in := y[(i/p.m*p.k+k)*p.n:][:p.n]
				for j := range out {
					out[j] += s * in[j]
				}
			}
		}
	}
}

var dotOps = map[*ir.OpDef]lowering{
	tt.Dot:       lowerDot,
	tt.DotScaled: lowerDotScaled,
}
