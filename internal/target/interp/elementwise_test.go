package interp

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"testing"
)

// asSeen is a row as a mode sees it: the first element everywhere where the operand is spread.
func asSeen(m mode, j int, row []uint64) []uint64 {
	if m == splatB && j > 0 || m == splatA && j == 0 {
		out := make([]uint64, len(row))
		for i := range out {
			out[i] = row[0]
		}
		return out
	}
	return row
}

func signExtend(x uint64, width int) int64 { return int64(x<<(64-width)) >> (64 - width) }

// bigInt is bits as a signed or unsigned number.
func bigInt(x uint64, width int, signed bool) *big.Int {
	if signed {
		return big.NewInt(signExtend(x, width))
	}
	return new(big.Int).SetUint64(x)
}

func cut(x *big.Int, width int) uint64 {
	m := new(big.Int).Lsh(big.NewInt(1), uint(width))
	return new(big.Int).Mod(x, m).Uint64()
}

// intCases computes with unbounded integers and cuts the result; nil means all ones.
var intCases = []struct {
	op     string
	signed bool
	f      func(a, b *big.Int, width int) *big.Int
}{
	{"arith.addi", true, func(a, b *big.Int, _ int) *big.Int { return new(big.Int).Add(a, b) }},
	{"arith.subi", true, func(a, b *big.Int, _ int) *big.Int { return new(big.Int).Sub(a, b) }},
	{"arith.muli", true, func(a, b *big.Int, _ int) *big.Int { return new(big.Int).Mul(a, b) }},
	{"arith.andi", true, func(a, b *big.Int, _ int) *big.Int { return new(big.Int).And(a, b) }},
	{"arith.ori", true, func(a, b *big.Int, _ int) *big.Int { return new(big.Int).Or(a, b) }},
	{"arith.xori", true, func(a, b *big.Int, _ int) *big.Int { return new(big.Int).Xor(a, b) }},
	{"arith.maxsi", true, func(a, b *big.Int, _ int) *big.Int { return bigMax(a, b) }},
	{"arith.minsi", true, func(a, b *big.Int, _ int) *big.Int { return bigMin(a, b) }},
	{"arith.maxui", false, func(a, b *big.Int, _ int) *big.Int { return bigMax(a, b) }},
	{"arith.minui", false, func(a, b *big.Int, _ int) *big.Int { return bigMin(a, b) }},
	{"arith.divsi", true, byNonzero((*big.Int).Quo)},
	{"arith.remsi", true, byNonzero((*big.Int).Rem)},
	{"arith.divui", false, byNonzero((*big.Int).Quo)},
	{"arith.remui", false, byNonzero((*big.Int).Rem)},
	{"arith.floordivsi", true, orOnes(func(z, a, b *big.Int) *big.Int {
		q, r := new(big.Int).QuoRem(a, b, new(big.Int))
		if r.Sign() != 0 && (r.Sign() < 0) != (b.Sign() < 0) {
			q.Sub(q, big.NewInt(1))
		}
		return q
	})},
	{"arith.ceildivsi", true, orOnes(ceilQuo)},
	{"arith.ceildivui", false, orOnes(ceilQuo)},
	{"arith.shli", false, func(a, b *big.Int, w int) *big.Int { return new(big.Int).Lsh(a, shiftBy(b, w)) }},
	{"arith.shrui", false, func(a, b *big.Int, w int) *big.Int { return new(big.Int).Rsh(a, shiftBy(b, w)) }},
	{"tt.mulhiui", false, func(a, b *big.Int, w int) *big.Int {
		return new(big.Int).Rsh(new(big.Int).Mul(a, b), uint(w))
	}},
}

// shiftBy is a distance, of 64-bit ones the low half.
func shiftBy(b *big.Int, w int) uint {
	if w == 64 {
		b = new(big.Int).And(b, big.NewInt(1<<32-1))
	}
	if b.Cmp(big.NewInt(int64(w))) > 0 {
		return uint(w)
	}
	return uint(b.Int64())
}

func ceilQuo(z, a, b *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(a, b, new(big.Int))
	if r.Sign() != 0 && (r.Sign() < 0) == (b.Sign() < 0) {
		q.Add(q, big.NewInt(1))
	}
	return q
}

func byNonzero(f func(z, a, b *big.Int) *big.Int) func(a, b *big.Int, w int) *big.Int {
	return func(a, b *big.Int, w int) *big.Int {
		if b.Sign() == 0 && w == 64 && a.Sign() >= 0 && a.BitLen() <= 32 {
			return big.NewInt(1<<32 - 1)
		}
		return orOnes(f)(a, b, w)
	}
}

func orOnes(f func(z, a, b *big.Int) *big.Int) func(a, b *big.Int, w int) *big.Int {
	return func(a, b *big.Int, _ int) *big.Int {
		if b.Sign() == 0 {
			return big.NewInt(-1)
		}
		return f(new(big.Int), a, b)
	}
}

func bigMax(a, b *big.Int) *big.Int {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}

func bigMin(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

func TestIntegers(t *testing.T) {
	for _, c := range intCases {
		for _, width := range []int{1, 8, 16, 32, 64} {
			ty := fmt.Sprintf("i%d", width)
			a, b := cross(someInts(width))
			for m := range numModes {
				got := elementwise(t, c.op+" A, B : TR", m, []string{ty, ty}, ty, a, b)
				sa, sb := asSeen(m, 0, a), asSeen(m, 1, b)
				for i := range got {
					want := cut(c.f(bigInt(sa[i], width, c.signed), bigInt(sb[i], width, c.signed), width),
						width)
					if got[i] != want {
						t.Fatalf("%s %s mode %d: %#x, %#x: got %#x, want %#x", c.op, ty, m, sa[i], sb[i],
							got[i], want)
					}
				}
			}
		}
	}
}

// TestShiftRightSigned: the shift distance is unsigned, what is shifted is signed.
func TestShiftRightSigned(t *testing.T) {
	for _, width := range []int{1, 8, 16, 32, 64} {
		ty := fmt.Sprintf("i%d", width)
		a, b := cross(someInts(width))
		got := elementwise(t, "arith.shrsi A, B : TR", vectors, []string{ty, ty}, ty, a, b)
		for i := range got {
			by := b[i]
			if width == 64 {
				by &= 1<<32 - 1
			}
			want := cut(big.NewInt(signExtend(a[i], width)>>min(by, 63)), width)
			if got[i] != want {
				t.Fatalf("%s: %#x >> %d: got %#x, want %#x", ty, a[i], b[i], got[i], want)
			}
		}
	}
}

func TestIntegerUnary(t *testing.T) {
	for op, f := range map[string]func(x uint64, w int) uint64{
		"math.absi": func(x uint64, w int) uint64 {
			if signExtend(x, w) < 0 {
				return -x
			}
			return x
		},
		"math.ctpop": func(x uint64, w int) uint64 { return uint64(bits.OnesCount64(x)) },
		"math.ctlz":  func(x uint64, w int) uint64 { return uint64(w - bits.Len64(x)) },
		"math.cttz":  func(x uint64, w int) uint64 { return uint64(min(bits.TrailingZeros64(x), w)) },
	} {
		for _, width := range []int{8, 16, 32, 64} {
			ty := fmt.Sprintf("i%d", width)
			a := someInts(width)
			got := elementwise(t, op+" A : TR", vectors, []string{ty}, ty, a)
			for i := range got {
				want := f(a[i], width) & (^uint64(0) >> (64 - width))
				if got[i] != want {
					t.Errorf("%s %s %#x: got %#x, want %#x", op, ty, a[i], got[i], want)
				}
			}
		}
	}
}

func TestCompareIntegers(t *testing.T) {
	for pred, f := range map[string]func(s, u int) bool{
		"eq": func(s, _ int) bool { return s == 0 }, "ne": func(s, _ int) bool { return s != 0 },
		"slt": func(s, _ int) bool { return s < 0 }, "sle": func(s, _ int) bool { return s <= 0 },
		"sgt": func(s, _ int) bool { return s > 0 }, "sge": func(s, _ int) bool { return s >= 0 },
		"ult": func(_, u int) bool { return u < 0 }, "ule": func(_, u int) bool { return u <= 0 },
		"ugt": func(_, u int) bool { return u > 0 }, "uge": func(_, u int) bool { return u >= 0 },
	} {
		for _, width := range []int{1, 8, 16, 32, 64} {
			ty := fmt.Sprintf("i%d", width)
			a, b := cross(someInts(width))
			for m := range numModes {
				got := elementwise(t, "arith.cmpi "+pred+", A, B : TA", m, []string{ty, ty}, "i1", a, b)
				sa, sb := asSeen(m, 0, a), asSeen(m, 1, b)
				for i := range got {
					s := bigInt(sa[i], width, true).Cmp(bigInt(sb[i], width, true))
					u := bigInt(sa[i], width, false).Cmp(bigInt(sb[i], width, false))
					if (got[i] != 0) != f(s, u) {
						t.Fatalf("%s %s mode %d: %#x, %#x: got %d", pred, ty, m, sa[i], sb[i], got[i])
					}
				}
			}
		}
	}
}

func refMax(a, b float64) float64 {
	if a != a || b != b {
		return math.NaN()
	}
	return math.Max(a, b)
}

// dropNaN gives the other operand where one is NaN.
func dropNaN(f func(a, b float64) float64) func(a, b float64) float64 {
	return func(a, b float64) float64 {
		switch {
		case a != a:
			return b
		case b != b:
			return a
		}
		return f(a, b)
	}
}

// TestFloats: a result in float64, rounded once, is the correctly rounded one for formats up to f32 (53
// bits are more than twice 24 plus two), and is the definition for f64.
func TestFloats(t *testing.T) {
	for op, f := range map[string]func(a, b float64) float64{
		"arith.addf":      func(a, b float64) float64 { return a + b },
		"arith.subf":      func(a, b float64) float64 { return a - b },
		"arith.mulf":      func(a, b float64) float64 { return a * b },
		"arith.divf":      func(a, b float64) float64 { return a / b },
		"tt.precise_divf": func(a, b float64) float64 { return a / b },
		"arith.remf":      math.Mod,
		"arith.maximumf":  refMax,
		"arith.minimumf":  func(a, b float64) float64 { return -refMax(-a, -b) },
		"arith.maxnumf":   dropNaN(math.Max),
		"arith.minnumf":   dropNaN(math.Min),
		"math.copysign":   math.Copysign,
		"math.powf":       func(a, b float64) float64 { return powRef(a, b) },
		"math.atan2":      math.Atan2,
	} {
		for _, ty := range []string{"f16", "bf16", "f32", "f64"} {
			a, b := cross(someFloats(ty))
			for m := range numModes {
				got := elementwise(t, op+" A, B : TR", m, []string{ty, ty}, ty, a, b)
				sa, sb := asSeen(m, 0, a), asSeen(m, 1, b)
				for i := range got {
					x, y := dec(ty, sa[i]), dec(ty, sb[i])
					if want := enc(ty, f(x, y)); !sameFloat(ty, got[i], want) &&
						!(op == "math.powf" && ty == "f64" && ulps(got[i], want) < 128) {
						t.Fatalf("%s %s mode %d: %v, %v: got %v (%#x), want %v (%#x)", op, ty, m, x, y,
							dec(ty, got[i]), got[i], dec(ty, want), want)
					}
				}
			}
		}
	}
}

// powRef and logRef do not trust Go's logarithm of subnormals.
func powRef(a, b float64) float64 {
	if f, e := math.Frexp(a); a != 0 && math.Abs(a) < 0x1p-1022 && b != math.Trunc(b) && b-b == 0 {
		return math.Pow(f, b) * math.Exp2(float64(e)*b)
	}
	return math.Pow(a, b)
}

func logRef(x float64) float64 {
	if f, e := math.Frexp(x); 0 < x && x < 0x1p-1022 {
		return math.Log(f) + float64(e)*math.Ln2
	}
	return math.Log(x)
}

func TestFloatUnary(t *testing.T) {
	for op, f := range map[string]func(float64) float64{
		"arith.negf": func(x float64) float64 {
			return -x
		}, "math.absf": math.Abs, "math.floor": math.Floor, "math.ceil": math.Ceil,
		"math.trunc": math.Trunc, "math.round": math.Round, "math.roundeven": math.RoundToEven,
		"math.sqrt": math.Sqrt, "tt.precise_sqrt": math.Sqrt,
	} {
		for _, ty := range []string{"f16", "bf16", "f32", "f64"} {
			a := append(someFloats(ty), encAll(ty, 2.5, -2.5, 0.49999, 7.5, -0.5, 1e4)...)
			for _, m := range []mode{vectors, scalars} {
				got := elementwise(t, op+" A : TR", m, []string{ty}, ty, a)
				for i := range got {
					if want := enc(ty, f(dec(ty, a[i]))); !sameFloat(ty, got[i], want) {
						t.Fatalf("%s %s %v: got %v, want %v", op, ty, dec(ty, a[i]), dec(ty, got[i]),
							dec(ty, want))
					}
				}
			}
		}
	}
}

// TestMath holds the functions to one unit in the last place of f32, and to Go's own in f64, which they call;
// TestExactOperations compares those of f64 with exact results.
func TestMath(t *testing.T) {
	for op, f := range map[string]func(float64) float64{
		"exp": math.Exp, "exp2": math.Exp2, "expm1": math.Expm1, "log": logRef,
		"log2": func(x float64) float64 {
			return logRef(x) / math.Ln2
		}, "log10": func(x float64) float64 { return logRef(x) / math.Ln10 }, "log1p": math.Log1p,
		"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": math.Asin, "acos": math.Acos,
		"atan": math.Atan, "sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh, "asinh": math.Asinh,
		"acosh": math.Acosh, "atanh": math.Atanh, "erf": math.Erf, "erfc": math.Erfc, "cbrt": math.Cbrt,
		"rsqrt": func(x float64) float64 {
			return 1 / math.Sqrt(x)
		},
	} {
		for _, ty := range []string{"f32", "f64"} {
			a := someFloats(ty)
			for i := range 400 {
				a = append(a, enc(ty, float64(i-200)*0.5137), enc(ty, math.Ldexp(1.37, i/4-60)))
			}
			got := elementwise(t, "math."+op+" A : TR", vectors, []string{ty}, ty, a)
			for i := range got {
				x := dec(ty, a[i])
				want := enc(ty, f(x))
				if !sameFloat(ty, got[i], want) && ulps(got[i], want) > 1 {
					t.Errorf("%s %s %v: got %v, want %v", op, ty, x, dec(ty, got[i]), dec(ty, want))
				}
			}
		}
	}
}

// ulps is how many floats lie between two of one sign.
func ulps(a, b uint64) uint64 { return max(a, b) - min(a, b) }

func TestExpEveryBinade(t *testing.T) {
	var a []uint64
	for i := range 1 << 12 {
		a = append(a, enc("f32", -110+float64(i)*0.0488281))
	}
	for op, f := range map[string]func(float64) float64{"math.exp": math.Exp, "math.exp2": math.Exp2} {
		got := elementwise(t, op+" A : TR", vectors, []string{"f32"}, "f32", a)
		for i := range got {
			if want := enc("f32", f(dec("f32", a[i]))); ulps(got[i], want) > 1 {
				t.Errorf("%s %v: got %v, want %v", op, dec("f32", a[i]), dec("f32", got[i]), dec("f32", want))
			}
		}
	}
}

func TestFma(t *testing.T) {
	for _, ty := range []string{"f16", "bf16", "f32", "f64"} {
		vs := someFloats(ty)
		var a, b, c []uint64
		for _, x := range vs {
			for _, y := range vs {
				for _, z := range vs {
					a, b, c = append(a, x), append(b, y), append(c, z)
				}
			}
		}
		got := elementwise(t, "math.fma A, B, C : TR", vectors, []string{ty, ty, ty}, ty, a, b, c)
		for i := range got {
			want := fmaRef(ty, dec(ty, a[i]), dec(ty, b[i]), dec(ty, c[i]))
			if !sameFloat(ty, got[i], want) && !(dec(ty, want) == 0 && dec(ty, got[i]) == 0) {
				t.Fatalf("%s fma(%v, %v, %v): got %v, want %v", ty, dec(ty, a[i]), dec(ty, b[i]),
					dec(ty, c[i]), dec(ty, got[i]), dec(ty, want))
			}
		}
	}
}

// fmaRef rounds the exact value once: big floats give its nearest float64 with a sticky bit, which decides
// ties.
func fmaRef(ty string, a, b, c float64) uint64 {
	near := a*b + c
	if near-near != 0 || ty == "f64" {
		return enc(ty, math.FMA(a, b, c))
	}
	x := new(big.Float).SetPrec(4000).SetFloat64(a)
	x.Mul(x, new(big.Float).SetFloat64(b)).Add(x, new(big.Float).SetFloat64(c))
	near, acc := x.Float64()
	if acc != big.Exact && math.Float64bits(near)&1 == 0 { // to odd
		if (acc == big.Below) == (near > 0) {
			near = math.Float64frombits(math.Float64bits(near) + 1)
		} else {
			near = math.Float64frombits(math.Float64bits(near) - 1)
		}
	}
	return enc(ty, near)
}

func TestCompareFloats(t *testing.T) {
	for pred, f := range map[string]func(a, b float64) bool{
		"false": func(a, b float64) bool { return false }, "true": func(a, b float64) bool { return true },
		"oeq": func(a, b float64) bool { return a == b }, "ogt": func(a, b float64) bool { return a > b },
		"oge": func(a, b float64) bool { return a >= b }, "olt": func(a, b float64) bool { return a < b },
		"ole": func(a, b float64) bool {
			return a <= b
		}, "one": func(a, b float64) bool { return a < b || a > b },
		"ord": func(a, b float64) bool {
			return a == a && b == b
		}, "uno": func(a, b float64) bool { return a != a || b != b },
		"ueq": func(a, b float64) bool {
			return !(a < b || a > b)
		}, "ugt": func(a, b float64) bool { return !(a <= b) },
		"uge": func(a, b float64) bool {
			return !(a < b)
		}, "ult": func(a, b float64) bool { return !(a >= b) },
		"ule": func(a, b float64) bool { return !(a > b) }, "une": func(a, b float64) bool { return a != b },
	} {
		for _, ty := range []string{"f16", "bf16", "f32", "f64"} {
			a, b := cross(someFloats(ty))
			for m := range numModes {
				got := elementwise(t, "arith.cmpf "+pred+", A, B : TA", m, []string{ty, ty}, "i1", a, b)
				sa, sb := asSeen(m, 0, a), asSeen(m, 1, b)
				for i := range got {
					if x, y := dec(ty, sa[i]), dec(ty, sb[i]); (got[i] != 0) != f(x, y) {
						t.Fatalf("%s %s: %v, %v: got %d", pred, ty, x, y, got[i])
					}
				}
			}
		}
	}
}

func TestFloatQuestions(t *testing.T) {
	for op, f := range map[string]func(x float64, least float64) bool{
		"math.isnan": func(x, _ float64) bool {
			return x != x
		}, "math.isinf": func(x, _ float64) bool { return math.IsInf(x, 0) },
		"math.isfinite": func(x, _ float64) bool { return x-x == 0 },
		"math.isnormal": func(x, least float64) bool { return x-x == 0 && math.Abs(x) >= least },
	} {
		for _, ty := range []string{"f16", "bf16", "f32", "f64"} {
			a := someFloats(ty)
			got := elementwise(t, op+" A : TA", vectors, []string{ty}, "i1", a)
			for i := range got {
				if (got[i] != 0) != f(dec(ty, a[i]), math.Ldexp(1, 1-floatFormats[ty].Bias)) {
					t.Errorf("%s %s %v: got %d", op, ty, dec(ty, a[i]), got[i])
				}
			}
		}
	}
}

func TestSelectAndClamp(t *testing.T) {
	for _, ty := range []string{"i1", "i8", "i16", "i32", "i64", "f16", "f32", "f64", "f8E5M2"} {
		vs := []uint64{0, 1, 1, 0, 1, 0}
		c := []uint64{1, 0, 1, 0, 0, 1}
		w := []uint64{1, 1, 0, 0, 1, 1}
		for m := range numModes {
			got := elementwise(t, "arith.select A, B, C : TA, TB", m, []string{"i1", ty, ty}, ty, c, vs, w)
			sc, sv, sw := asSeen(m, 0, c), asSeen(m, 1, vs), asSeen(m, 2, w)
			for i := range got {
				want := sw[i]
				if sc[i] != 0 {
					want = sv[i]
				}
				if got[i] != want {
					t.Fatalf("%s mode %d element %d: got %d, want %d", ty, m, i, got[i], want)
				}
			}
		}
	}
	nan := math.NaN()
	x, lo, hi := encAll("f32", -2, 0.5, 9, nan), encAll("f32", -1, -1, -1, -1), encAll("f32", 1, 1, 1, 1)
	for mode, want := range map[string][]uint64{"none": encAll("f32", -1, 0.5, 1, -1),
		"all": encAll("f32", -1, 0.5, 1, nan)} {
		got := elementwise(t, "tt.clampf A, B, C, propagateNan = "+mode+" : TR", vectors,
			[]string{"f32", "f32", "f32"}, "f32", x, lo, hi)
		for i := range got {
			if !sameFloat("f32", got[i], want[i]) {
				t.Errorf("clampf %s element %d: got %v, want %v", mode, i, dec("f32", got[i]),
					dec("f32", want[i]))
			}
		}
	}
}
