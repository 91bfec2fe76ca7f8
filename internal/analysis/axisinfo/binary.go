package axisinfo

import (
	"github.com/nereid-lang/nereid/internal/ir"
)

// binaryRule has the parts of a rule for an op of two operands. A nil part claims nothing or, for constancy,
// that equal operands give equal results.
type binaryRule struct {
	value        func(op *ir.Op, in []Info) (int64, bool)
	contiguity   axisRule
	divisibility axisRule
	constancy    axisRule
}

// axisRule returns one number of the result along axis d.
type axisRule func(op *ir.Op, a, b Info, d int) int64

func binary(r binaryRule) func(op *ir.Op, in []Info) Info {
	return func(op *ir.Op, in []Info) Info {
		a, b, t := in[0], in[1], op.Result(0).Type
		if v, ok := r.value(op, in); ok {
			return constant(v, shapeOf(t))
		}
		out := unknown(a.Rank())
		for d := range out.Contiguity {
			if r.contiguity != nil {
				out.Contiguity[d] = r.contiguity(op, a, b, d)
			}
			if r.divisibility != nil {
				out.Divisibility[d] = r.divisibility(op, a, b, d)
			}
			out.Constancy[d] = gcd(a.Constancy[d], b.Constancy[d])
			if r.constancy != nil {
				out.Constancy[d] = r.constancy(op, a, b, d)
			}
		}
		return out
	}
}

// foldFunc computes with known values of a width.
type foldFunc func(a, b int64, width int) (int64, bool)

func folded(f foldFunc) func(op *ir.Op, in []Info) (int64, bool) {
	return func(op *ir.Op, in []Info) (int64, bool) { return foldValues(op, in, f) }
}

func foldValues(op *ir.Op, in []Info, f foldFunc) (int64, bool) {
	if !in[0].Known || !in[1].Known {
		return 0, false
	}
	elem := ir.ElemOf(op.Result(0).Type)
	v, ok := f(in[0].Value, in[1].Value, ir.BitWidth(elem))
	return ir.NormInt(v, elem), ok
}

// signed and unsigned read a value, kept as an IntegerAttr keeps it, as a number of the given width.
func signed(v int64, width int) int64 {
	if width <= 0 || width >= 64 {
		return v
	}
	s := 64 - width
	return v << s >> s
}

func unsigned(v int64, width int) uint64 {
	if width <= 0 || width >= 64 {
		return uint64(v)
	}
	return uint64(v) & (1<<width - 1)
}

func add(a, b int64, _ int) (int64, bool) { return a + b, true }
func sub(a, b int64, _ int) (int64, bool) { return a - b, true }

func divS(a, b int64, w int) (int64, bool) {
	a, b = signed(a, w), signed(b, w)
	if b == 0 || b == -1 { // -1: the quotient may not fit
		return -a, b == -1
	}
	return a / b, true
}

func divU(a, b int64, w int) (int64, bool) {
	if unsigned(b, w) == 0 {
		return 0, false
	}
	return int64(unsigned(a, w) / unsigned(b, w)), true
}

func remS(a, b int64, w int) (int64, bool) {
	a, b = signed(a, w), signed(b, w)
	if b == 0 || b == -1 {
		return 0, b == -1
	}
	return a % b, true
}

func remU(a, b int64, w int) (int64, bool) {
	if unsigned(b, w) == 0 {
		return 0, false
	}
	return int64(unsigned(a, w) % unsigned(b, w)), true
}

func shl(a, b int64, w int) (int64, bool)  { return a << min(unsigned(b, w), 63), unsigned(b, w) < 63 }
func shrS(a, b int64, w int) (int64, bool) { return signed(a, w) >> min(unsigned(b, w), 63), true }
func shrU(a, b int64, w int) (int64, bool) {
	return int64(unsigned(a, w) >> min(unsigned(b, w), 63)), true
}

// addPtrValue returns a known address, of poison or null.
func addPtrValue(op *ir.Op, in []Info) (int64, bool) {
	if !in[0].Known || !in[1].Known {
		return 0, false
	}
	return in[0].Value + in[1].Value*elemBytes(op.Operand(0).Type), true
}

// addContiguity returns the contiguity of a group that counts up, moved by a constant.
func addContiguity(_ *ir.Op, a, b Info, d int) int64 {
	return max(gcd(a.Constancy[d], b.Contiguity[d]), gcd(a.Contiguity[d], b.Constancy[d]))
}

func subContiguity(_ *ir.Op, a, b Info, d int) int64 { return gcd(a.Contiguity[d], b.Constancy[d]) }

// addDivisibility returns the rule for the divisor of a sum or difference whose groups have length by. A
// pointer moves by its element's size.
func addDivisibility(by axisRule) axisRule {
	return func(op *ir.Op, a, b Info, d int) int64 {
		n, unit := by(op, a, b, d), elemBytes(op.Operand(0).Type)
		return gcd(divisorAt(a, d, n, unit), mulDivisor(divisorAt(b, d, n, 1), unit))
	}
}

// divisorAt returns a number that divides every n-th element of a: where the groups of a are longer, some of
// these elements lie inside a group. (Triton's rules overlook this; they claim that [0, 1, 2, 3] + [0, 1, 2,
// 3] are multiples of 4.)
func divisorAt(a Info, d int, n, unit int64) int64 {
	if n%a.Contiguity[d] == 0 {
		return a.Divisibility[d]
	}
	return gcd(a.Divisibility[d], mulDivisor(gcd(n, a.Contiguity[d]), unit))
}

func mulValue(op *ir.Op, in []Info) (int64, bool) {
	if in[0].is(0) || in[1].is(0) {
		return 0, true
	}
	return foldValues(op, in, func(a, b int64, _ int) (int64, bool) { return a * b, true })
}

func mulContiguity(_ *ir.Op, a, b Info, d int) int64 {
	n := int64(1)
	if b.is(1) {
		n = max(n, a.Contiguity[d])
	}
	if a.is(1) {
		n = max(n, b.Contiguity[d])
	}
	return n
}

func mulDivisibility(_ *ir.Op, a, b Info, d int) int64 {
	da, db := a.Divisibility[d], b.Divisibility[d]
	if a.Contiguity[d] > 1 && !b.is(1) { // [2^n, 2^n+1, …]: of the whole group only 1 is a divisor
		da = 1
	}
	if b.Contiguity[d] > 1 && !a.is(1) {
		db = 1
	}
	return mulDivisor(da, db)
}

// ifOne returns the contiguity of a quotient: x / 1 is x.
func ifOne(_ *ir.Op, a, b Info, d int) int64 {
	if b.is(1) {
		return a.Contiguity[d]
	}
	return 1
}

// divConstancy returns the constancy of a quotient: [8, 9, 10, 11] / 4 is constant in groups whose length
// divides both.
func divConstancy(op *ir.Op, a, b Info, d int) int64 {
	n := gcd(a.Constancy[d], b.Constancy[d])
	if countsUp(op, a, b, d) {
		n = max(n, gcd(a.Contiguity[d], a.Divisibility[d], b.Divisibility[d]))
	}
	return n
}

// countsUp reports whether, along a whole axis, a counts up and b is constant.
func countsUp(op *ir.Op, a, b Info, d int) bool {
	tensor, ok := op.Result(0).Type.(*ir.TensorType)
	return ok && a.Contiguity[d] == tensor.Shape[d] && b.Constancy[d] == tensor.Shape[d]
}

func divDivisibility(_ *ir.Op, a, b Info, d int) int64 {
	switch {
	case a.is(0) || b.is(1):
		return a.Divisibility[d]
	case b.Known && b.Value != 0 && a.Contiguity[d] == 1:
		n := max(b.Value, -b.Value)
		if n > 0 && n&(n-1) == 0 {
			return max(1, a.Divisibility[d]/n)
		}
	}
	return 1
}

func remValue(f foldFunc) func(op *ir.Op, in []Info) (int64, bool) {
	return func(op *ir.Op, in []Info) (int64, bool) {
		if in[1].is(1) {
			return 0, true
		}
		return foldValues(op, in, f)
	}
}

func remContiguity(op *ir.Op, a, b Info, d int) int64 {
	if !countsUp(op, a, b, d) {
		return 1
	}
	return gcd(a.Contiguity[d], a.Divisibility[d], b.Divisibility[d])
}

func remDivisibility(op *ir.Op, a, b Info, d int) int64 {
	if _, tensor := op.Result(0).Type.(*ir.TensorType); !tensor {
		return gcd(a.Divisibility[d], b.Divisibility[d])
	}
	if b.Constancy[d] > 1 {
		return gcd(divisorAt(a, d, remContiguity(op, a, b, d), 1), b.Divisibility[d])
	}
	return 1 // [2, 2, 4, 4] % [5, 1, 2, 3]: nothing
}

func remConstancy(op *ir.Op, a, b Info, d int) int64 {
	if tensor, ok := op.Result(0).Type.(*ir.TensorType); ok && b.is(1) {
		return tensor.Shape[d]
	}
	return gcd(a.Constancy[d], b.Constancy[d])
}

func ifNotShifted(_ *ir.Op, a, b Info, d int) int64 {
	if b.is(0) {
		return a.Contiguity[d]
	}
	return 1
}

func shlDivisibility(_ *ir.Op, a, b Info, d int) int64 {
	shift := int64(0)
	if b.Known && b.Value >= 0 && b.Value < 62 {
		shift = b.Value
	}
	return mulDivisor(shiftedDivisor(a, b, d), 1<<shift)
}

func shrDivisibility(_ *ir.Op, a, b Info, d int) int64 {
	if !b.Known || b.Value < 0 || b.Value > 62 {
		return 1
	}
	return max(1, shiftedDivisor(a, b, d)>>b.Value)
}

// shiftedDivisor returns a number that divides all elements of a, unless b is 0, when the groups of a stay as
// they are.
func shiftedDivisor(a, b Info, d int) int64 {
	if a.Contiguity[d] > 1 && !b.is(0) {
		return 1
	}
	return a.Divisibility[d]
}
