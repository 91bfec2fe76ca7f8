package interp

import (
	"math"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/num"
)

// The microscaled formats of less than a byte.
var (
	f4E2M1 = [16]float64{0, 0.5, 1, 1.5, 2, 3, 4, 6, math.Copysign(0, -1), -0.5, -1, -1.5, -2, -3, -4, -6}

	elemFormats = map[int64]*num.Format{tt.ElemE4M3: num.F8E4M3FN, tt.ElemE5M2: num.F8E5M2,
		tt.ElemBF16: num.BF16, tt.ElemFP16: num.F16}
)

// scaledOperand is one side of a dot_scaled: rows along k, each block of elements with its scale.
type scaledOperand struct {
	v, scale value
	hasScale bool
	elem     int64
	packed   bool // two e2m1 in a byte, neighbours along k
	lines    int  // rows of a, or columns of b
	k        int
	steps    [2]int // how far apart lines, and bytes along k, are
	blocks   int    // scales in a line
}

// at returns element i of a line, without its scale.
func (s *scaledOperand) at(f *frame, line, i int) float64 {
	if s.elem == tt.ElemE2M1 {
		half := i % 2
		b := f.bitsOf(s.v, s.byteOf(line, i))
		if !s.packed {
			half = line % 2
		}
		return f4E2M1[b>>(4*half)&15]
	}
	off := line*s.steps[0] + i*s.steps[1]
	if s.v.kind.isFloat() {
		return f.floatOf(s.v, off)
	}
	return elemFormats[s.elem].Decode(f.bitsOf(s.v, off))
}

// byteOf returns the byte that holds an element of a packed operand.
func (s *scaledOperand) byteOf(line, i int) int {
	if s.packed {
		return line*s.steps[0] + i/2*s.steps[1]
	}
	return line/2*s.steps[0] + i*s.steps[1]
}

// scaleAt returns the scale of element i: a power of two in eight bits, or an fp8 number.
func (s *scaledOperand) scaleAt(f *frame, line, i int) float64 {
	if !s.hasScale {
		return 1
	}
	off := line*s.blocks + i*s.blocks/s.k
	if s.scale.kind.isFloat() {
		return f.floatOf(s.scale, off)
	}
	b := f.bitsOf(s.scale, off)
	if b == 0xff {
		return math.NaN()
	}
	return math.Ldexp(1, int(b)-127)
}

// expand writes the operand as float64, line by line.
func (s *scaledOperand) expand(f *frame, d []float64) {
	for line := range s.lines {
		f.w.worked(s.k)
		for i := range s.k {
			d[line*s.k+i] = s.at(f, line, i) * s.scaleAt(f, line, i)
		}
	}
}

func (c *compiler) scaledOperand(op *ir.Op, slot, scaleSlot int, elem string, packed string,
	transposed bool) (s scaledOperand, ok bool) {
	v := op.Slot(slot)
	shape := toInts(ir.ShapeOf(v.Type))
	if len(shape) != 2 {
		return s, false
	}
	s = scaledOperand{v: c.full(v), elem: op.IntOr(elem, -1), packed: op.IntOr(packed, 1) != 0}
	if s.elem != tt.ElemE2M1 && elemFormats[s.elem] == nil {
		return s, false
	}
	s.lines, s.k, s.steps = shape[0], shape[1], [2]int{shape[1], 1}
	if transposed {
		s.lines, s.k, s.steps = shape[1], shape[0], [2]int{1, shape[1]}
	}
	if s.elem == tt.ElemE2M1 {
		if s.packed {
			s.k *= 2
		} else {
			s.lines *= 2
		}
	}
	if scale := op.Slot(scaleSlot); scale != nil {
		s.scale, s.hasScale = c.full(scale), true
		dims := toInts(ir.ShapeOf(scale.Type))
		if len(dims) != 2 || dims[0] != s.lines || dims[1] == 0 || s.k%dims[1] != 0 {
			return s, false
		}
		s.blocks = dims[1]
	}
	return s, true
}

func lowerDotScaled(c *compiler, op *ir.Op) step {
	a, ok1 := c.scaledOperand(op, 0, 3, "a_elem_type", "lhs_k_pack", false)
	b, ok2 := c.scaledOperand(op, 1, 4, "b_elem_type", "rhs_k_pack", true)
	acc, d := c.in(op.Slot(2)), c.out(op.Result(0))
	if !ok1 || !ok2 || a.k != b.k || d.n != a.lines*b.lines {
		return c.errorf(op, "%s times %s is not supported", op.Operand(0).Type, op.Operand(1).Type)
	}
	wa, wb := c.temp(kF64, a.lines*a.k).reg, c.temp(kF64, b.lines*b.k).reg
	p := product{1, a.lines, b.lines, a.k}
	floats := c.productFloats()
	return func(f *frame) {
		x, y := row[float64](f, wa), row[float64](f, wb)
		a.expand(f, x)
		b.expand(f, y)
		floats(p, f, x, y, 0, acc, d)
	}
}
