package object

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/nereid-lang/nereid/internal/pyrun/realmath"
	"github.com/nereid-lang/nereid/internal/python"
)

// MaxBits bounds the size of an int.
const MaxBits = 1 << 18

// numberOp returns a op b for ints, bools and floats. ok is false when an operand is something else.
func numberOp(in *Interp, op python.Operator, a, b Value) (v Value, ok bool, err error) {
	if op == python.MatMult {
		return nil, false, nil
	}
	switch x := a.(type) {
	case Int:
		switch y := b.(type) {
		case Int:
			v, err = intOp(in, op, x, y)
			return v, true, err
		case Float:
			return mixed(op, x, y, false)
		case Bool:
			v, err = intOp(in, op, x, IntOf(y))
			return v, true, err
		}
	case Float:
		switch y := b.(type) {
		case Float:
			v, err = floatOp(op, float64(x), float64(y))
			return v, v != nil || err != nil, err
		case Int:
			return mixed(op, y, x, true)
		case Bool:
			return mixed(op, IntOf(y), x, true)
		}
	case Bool:
		switch y := b.(type) {
		case Bool:
			if r, ok := boolOp(op, bool(x), bool(y)); ok {
				return r, true, nil
			}
			v, err = intOp(in, op, IntOf(x), IntOf(y))
			return v, true, err
		case Int:
			v, err = intOp(in, op, IntOf(x), y)
			return v, true, err
		case Float:
			return mixed(op, IntOf(x), y, false)
		}
	}
	return nil, false, nil
}

// IntOf returns b as an int, 0 or 1.
func IntOf(b Bool) Int { return MakeInt(int64(boolInt(bool(b)))) }

func boolOp(op python.Operator, a, b bool) (Value, bool) {
	switch op {
	case python.BitAnd:
		return Bool(a && b), true
	case python.BitOr:
		return Bool(a || b), true
	case python.BitXor:
		return Bool(a != b), true
	}
	return nil, false
}

// mixed returns the result of an operation on an int and a float.
func mixed(op python.Operator, i Int, f Float, reflected bool) (Value, bool, error) {
	if !floatOperator(op) {
		return nil, false, nil
	}
	x, err := i.Float64()
	if err != nil {
		return nil, true, err
	}
	a, b := x, float64(f)
	if reflected {
		a, b = b, a
	}
	v, err := floatOp(op, a, b)
	return v, true, err
}

func floatOperator(op python.Operator) bool {
	switch op {
	case python.Add, python.Sub, python.Mult, python.Div, python.FloorDiv, python.Mod, python.Pow:
		return true
	}
	return false
}

// intOp returns a op b, computed on machine words where the result fits, else on big ints. A nil value
// without an error means that ints have no such operator.
func intOp(in *Interp, op python.Operator, a, b Int) (Value, error) {
	if a.big == nil && b.big == nil {
		if v, ok := smallOps(op, a.small, b.small); ok {
			return MakeInt(v), nil
		}
	}
	return bigOp(in, op, a, b)
}

func smallOps(op python.Operator, a, b int64) (int64, bool) {
	switch op {
	case python.Add:
		c := a + b
		return c, (c > a) == (b > 0)
	case python.Sub:
		c := a - b
		return c, (c < a) == (b > 0)
	case python.Mult:
		return mulSmall(a, b)
	case python.FloorDiv:
		if b == 0 || a == math.MinInt64 && b == -1 {
			return 0, false
		}
		q := a / b
		if a%b != 0 && (a < 0) != (b < 0) {
			q--
		}
		return q, true
	case python.Mod:
		if b == 0 || b == -1 {
			return 0, b == -1
		}
		r := a % b
		if r != 0 && (r < 0) != (b < 0) {
			r += b
		}
		return r, true
	case python.BitAnd:
		return a & b, true
	case python.BitOr:
		return a | b, true
	case python.BitXor:
		return a ^ b, true
	case python.LShift:
		if b < 0 || b > 62 || a<<b>>b != a {
			return 0, false
		}
		return a << b, true
	case python.RShift:
		if b < 0 {
			return 0, false
		}
		return a >> min(b, 63), true
	}
	return 0, false
}

func mulSmall(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(absU(a), absU(b))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	if (a < 0) != (b < 0) {
		return -int64(lo), true
	}
	return int64(lo), true
}

func absU(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

func bigOp(in *Interp, op python.Operator, a, b Int) (Value, error) {
	x, y := a.Big(), b.Big()
	if err := in.Work((x.BitLen()*y.BitLen())>>18 + (x.BitLen()+y.BitLen())>>9); err != nil {
		return nil, err
	}
	z := new(big.Int)
	switch op {
	case python.Add:
		return in.BigResult(z.Add(x, y))
	case python.Sub:
		return in.BigResult(z.Sub(x, y))
	case python.Mult:
		if x.BitLen()+y.BitLen() > MaxBits+64 {
			return nil, TooLarge()
		}
		return in.BigResult(z.Mul(x, y))
	case python.Div:
		return trueDiv(x, y)
	case python.FloorDiv, python.Mod:
		if y.Sign() == 0 && op == python.Mod {
			return nil, Errorf(ZeroDivisionError, "integer modulo by zero")
		}
		q, m, err := floorDivMod(x, y)
		if err != nil {
			return nil, err
		}
		if op == python.Mod {
			return BigInt(m), nil
		}
		return BigInt(q), nil
	case python.Pow:
		return intPow(in, x, y)
	case python.LShift, python.RShift:
		return shift(in, x, y, op == python.LShift)
	case python.BitAnd:
		return BigInt(z.And(x, y)), nil
	case python.BitOr:
		return BigInt(z.Or(x, y)), nil
	case python.BitXor:
		return BigInt(z.Xor(x, y)), nil
	}
	return nil, binaryError(op.String(), a, b)
}

// BigResult returns z as an int, after counting its bytes.
func (in *Interp) BigResult(z *big.Int) (Value, error) {
	if z.BitLen() > MaxBits {
		return nil, TooLarge()
	}
	return BigInt(z), in.Alloc(z.BitLen() / 8)
}

// TooLarge returns the error of an int with more than MaxBits bits.
func TooLarge() error {
	e := Errorf(MemoryError, "an int of more than %d bits", MaxBits)
	e.Code = "host-limit"
	return e
}

// floorDivMod returns the quotient, rounded down, and the remainder, which has the sign of the divisor.
func floorDivMod(x, y *big.Int) (q, m *big.Int, err error) {
	if y.Sign() == 0 {
		return nil, nil, Errorf(ZeroDivisionError, "integer division or modulo by zero")
	}
	q, m = new(big.Int).QuoRem(x, y, new(big.Int))
	if m.Sign() != 0 && m.Sign() != y.Sign() {
		q.Sub(q, bigOne)
		m.Add(m, y)
	}
	return q, m, nil
}

var bigOne = big.NewInt(1)

// trueDiv returns x / y, correctly rounded.
func trueDiv(x, y *big.Int) (Value, error) {
	if y.Sign() == 0 {
		return nil, Errorf(ZeroDivisionError, "division by zero")
	}
	if x.IsInt64() && y.IsInt64() && exactFloat(x.Int64()) && exactFloat(y.Int64()) {
		return Float(float64(x.Int64()) / float64(y.Int64())), nil
	}
	if x.Sign() == 0 {
		return Float(math.Copysign(0, float64(y.Sign()))), nil
	}
	f, _ := new(big.Rat).SetFrac(x, y).Float64()
	if math.IsInf(f, 0) {
		return nil, Errorf(OverflowError, "integer division result too large for a float")
	}
	return Float(f), nil
}

func exactFloat(v int64) bool { return v >= -1<<53 && v <= 1<<53 }

func intPow(in *Interp, x, y *big.Int) (Value, error) {
	if y.Sign() < 0 {
		a, err := BigInt(x).Float64()
		if err != nil {
			return nil, err
		}
		b, err := BigInt(y).Float64()
		if err != nil {
			return nil, err
		}
		return floatPow(a, b)
	}
	if x.IsInt64() {
		switch x.Int64() {
		case 0:
			return MakeInt(int64(boolInt(y.Sign() == 0))), nil
		case 1:
			return MakeInt(1), nil
		case -1:
			return MakeInt(1 - 2*int64(y.Bit(0))), nil
		}
	}
	if !y.IsInt64() || y.Int64() > MaxBits || int64(x.BitLen()-1)*y.Int64() > MaxBits {
		return nil, TooLarge()
	}
	if err := in.Work(int(y.Int64())*x.BitLen()>>6 + x.BitLen()*x.BitLen()>>12); err != nil {
		return nil, err
	}
	return in.BigResult(new(big.Int).Exp(x, y, nil))
}

func shift(in *Interp, x, y *big.Int, left bool) (Value, error) {
	if y.Sign() < 0 {
		return nil, Errorf(ValueError, "negative shift count")
	}
	if left {
		if x.Sign() == 0 {
			return MakeInt(0), nil
		}
		if !y.IsInt64() || y.Int64()+int64(x.BitLen()) > MaxBits {
			return nil, TooLarge()
		}
		return in.BigResult(new(big.Int).Lsh(x, uint(y.Int64())))
	}
	if !y.IsInt64() || y.Int64() > int64(x.BitLen()) {
		return MakeInt(int64(-boolInt(x.Sign() < 0))), nil
	}
	return BigInt(new(big.Int).Rsh(x, uint(y.Int64()))), nil
}

func intUnary(op python.UnaryOperator, x Int) Value {
	if x.big == nil && x.small != math.MinInt64 {
		switch op {
		case python.USub:
			return MakeInt(-x.small)
		case python.Invert:
			return MakeInt(^x.small)
		}
		return x
	}
	switch op {
	case python.USub:
		return BigInt(new(big.Int).Neg(x.Big()))
	case python.Invert:
		return BigInt(new(big.Int).Not(x.Big()))
	}
	return x
}

// Cmp returns -1, 0 or 1 for i < j, i == j and i > j.
func (i Int) Cmp(j Int) int {
	if i.big == nil && j.big == nil {
		switch {
		case i.small < j.small:
			return -1
		case i.small > j.small:
			return 1
		}
		return 0
	}
	return i.Big().Cmp(j.Big())
}

// Sign returns -1, 0 or 1.
func (i Int) Sign() int { return i.Cmp(Int{}) }

// Float64 returns the nearest float64.
func (i Int) Float64() (float64, error) {
	if i.big == nil {
		return float64(i.small), nil
	}
	f, _ := new(big.Float).SetInt(i.big).Float64()
	if math.IsInf(f, 0) {
		return 0, Errorf(OverflowError, "int too large to convert to float")
	}
	return f, nil
}

// floatOp returns a op b; a nil value without an error means that floats have no such operator.
func floatOp(op python.Operator, a, b float64) (Value, error) {
	switch op {
	case python.Add:
		return Float(a + b), nil
	case python.Sub:
		return Float(a - b), nil
	case python.Mult:
		return Float(a * b), nil
	case python.Div:
		if b == 0 {
			return nil, Errorf(ZeroDivisionError, "float division by zero")
		}
		return Float(a / b), nil
	case python.FloorDiv, python.Mod:
		if b == 0 {
			return nil, Errorf(ZeroDivisionError, "%s", map[python.Operator]string{
				python.FloorDiv: "float floor division by zero", python.Mod: "float modulo"}[op])
		}
		q, m := floatDivMod(a, b)
		if op == python.Mod {
			return Float(m), nil
		}
		return Float(q), nil
	case python.Pow:
		return floatPow(a, b)
	}
	return nil, nil
}

// floatDivMod returns divmod of floats as CPython computes it.
func floatDivMod(a, b float64) (q, m float64) {
	m = math.Mod(a, b)
	q = (a - m) / b
	if m != 0 {
		if (b < 0) != (m < 0) {
			m += b
			q--
		}
	} else {
		m = math.Copysign(0, b)
	}
	if q == 0 {
		return math.Copysign(0, a/b), m
	}
	f := math.Floor(q)
	if q-f > 0.5 {
		f++
	}
	return f, m
}

func floatPow(a, b float64) (Value, error) {
	if a == 0 && b < 0 {
		return nil, Errorf(ZeroDivisionError, "0.0 cannot be raised to a negative power")
	}
	if a < 0 && b != math.Trunc(b) && !math.IsInf(a, 0) && !math.IsInf(b, 0) && !math.IsNaN(b) {
		return nil, Unsupported("a complex number")
	}
	r := realmath.Pow(a, b)
	if math.IsInf(r, 0) && !math.IsInf(a, 0) && !math.IsInf(b, 0) {
		return nil, Errorf(OverflowError, "(34, 'Numerical result out of range')")
	}
	return Float(r), nil
}

// compareNumbers compares ints, bools and floats exactly. It returns 1 for NaN, which equals nothing.
func compareNumbers(a, b Value) (int, bool) {
	switch x := a.(type) {
	case Int:
		switch y := b.(type) {
		case Int:
			return x.Cmp(y), true
		case Bool:
			return x.Cmp(IntOf(y)), true
		case Float:
			return -compareFloatInt(float64(y), x), true
		}
	case Bool:
		return compareNumbers(IntOf(x), b)
	case Float:
		switch y := b.(type) {
		case Float:
			return compareFloats(float64(x), float64(y)), true
		case Int:
			return compareFloatInt(float64(x), y), true
		case Bool:
			return compareFloatInt(float64(x), IntOf(y)), true
		}
	}
	return 0, false
}

func compareFloats(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a == b:
		return 0
	}
	return 1
}

func compareFloatInt(f float64, i Int) int {
	switch {
	case math.IsNaN(f):
		return 1
	case math.IsInf(f, 1):
		return 1
	case math.IsInf(f, -1):
		return -1
	case i.big == nil && exactFloat(i.small):
		return compareFloats(f, float64(i.small))
	}
	return new(big.Float).SetFloat64(f).Cmp(new(big.Float).SetInt(i.Big()))
}

func isNaN(v Value) bool {
	f, ok := v.(Float)
	return ok && math.IsNaN(float64(f))
}

func isNumber(v Value) bool {
	switch v.(type) {
	case Int, Bool, Float:
		return true
	}
	return false
}
