package interp

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/nereid-lang/nereid/internal/num"
)

func TestIntegerCasts(t *testing.T) {
	widths := []int{1, 8, 16, 32, 64}
	for _, from := range widths {
		for _, to := range widths {
			op, signed := "trunci", true
			if to == from {
				continue
			}
			ops := []string{op}
			if to > from {
				ops = []string{"extsi", "extui"}
			}
			a := someInts(from)
			for _, op := range ops {
				signed = op != "extui"
				for _, m := range []mode{vectors, scalars} {
					got := elementwise(t, "arith."+op+" A : TA to TR", m, []string{fmt.Sprintf("i%d", from)},
						fmt.Sprintf("i%d", to), a)
					for i := range got {
						if want := cut(bigInt(a[i], from, signed), to); got[i] != want {
							t.Fatalf("%s i%d to i%d %#x: got %#x, want %#x", op, from, to, a[i], got[i], want)
						}
					}
				}
			}
		}
	}
}

// roundBig is a whole number rounded to a format once: exactly, by its own bits.
func roundBig(f *num.Format, x *big.Int) uint64 {
	v := new(big.Float).SetPrec(200).SetInt(x)
	near, acc := v.Float64()
	if f == num.F64 {
		return f.Encode(near)
	}
	if acc != big.Exact && math.Float64bits(near)&1 == 0 { // round to odd, then to the format
		if (acc == big.Below) == (near > 0) {
			near = math.Float64frombits(math.Float64bits(near) + 1)
		} else {
			near = math.Float64frombits(math.Float64bits(near) - 1)
		}
	}
	return f.Encode(near)
}

func TestIntegersToFloats(t *testing.T) {
	for _, width := range []int{1, 8, 16, 32, 64} {
		a := someInts(width)
		if width == 64 { // ties of f32 and bf16 that a rounding on the way would lose
			a = append(a, 1<<53+1, 1<<54+3, 1<<40+1<<16, 1<<40+1<<16+1, 0x80_8000_0000_0001,
				0x80_8000_0000_0000, 1<<63+1<<39, 1<<63+1<<39+1)
		}
		for _, ty := range []string{"f16", "bf16", "f32", "f64"} {
			for op, signed := range map[string]bool{"arith.sitofp": true, "arith.uitofp": false} {
				got := elementwise(t, op+" A : TA to TR", vectors, []string{fmt.Sprintf("i%d", width)}, ty, a)
				for i := range got {
					if want := roundBig(floatFormats[ty], bigInt(a[i], width, signed)); got[i] != want {
						t.Errorf("%s i%d to %s %#x: got %v, want %v", op, width, ty, a[i], dec(ty, got[i]),
							dec(ty, want))
					}
				}
			}
		}
	}
}

// TestFloatsToIntegers: what fits is cut; the rest saturates, at 16 bits for i8, and NaN depends on the
// width.
func TestFloatsToIntegers(t *testing.T) {
	for _, ty := range []string{"f16", "bf16", "f32", "f64"} {
		a := append(someFloats(ty), encAll(ty, 3.99, -3.99, 127, 128, -129, 255, 300, 32768, 65535, 1e9,
			2147483648, -2147483648, 4294967295, 1e18, 1e30, -1e30)...)
		for _, width := range []int{8, 16, 32, 64} {
			for op, signed := range map[string]bool{"arith.fptosi": true, "arith.fptoui": false} {
				got := elementwise(t, op+" A : TA to TR", vectors, []string{ty}, fmt.Sprintf("i%d", width), a)
				for i := range got {
					x := dec(ty, a[i])
					if want := saturated(x, width, signed, ty == "f64"); got[i] != want {
						t.Errorf("%s %s to i%d %v: got %#x, want %#x", op, ty, width, x, got[i], want)
					}
				}
			}
		}
	}
}

func saturated(x float64, width int, signed, double bool) uint64 {
	w := uint(max(width, 16))
	lo, hi := new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), w), big.NewInt(1))
	if signed {
		hi.Rsh(hi, 1)
		lo.Sub(new(big.Int).Neg(hi), big.NewInt(1))
	}
	v := new(big.Int)
	switch {
	case x != x && (double || width == 64):
		v.Lsh(big.NewInt(1), w-1)
	case x != x:
	case math.IsInf(x, 1):
		v = hi
	case math.IsInf(x, -1):
		v = lo
	default:
		new(big.Float).SetFloat64(x).Int(v)
		v = bigMin(bigMax(v, lo), hi)
	}
	return cut(v, width)
}

func TestFloatCasts(t *testing.T) {
	order := []string{"f8E4M3FN", "f8E5M2", "f16", "bf16", "f32", "f64"}
	for _, from := range order {
		a := someFloats(from)
		if from == "f64" || from == "f32" { // ties, and values that a rounding on the way would make ties
			for _, v := range []float64{1 + 0x1p-11, 1 + 0x1p-11 + 0x1p-23, 1 + 0x1p-8, 1 + 0x1p-8 + 0x1p-23,
				1 + 0x1p-11 + 0x1p-40, 0x1p-25, 0x1.8p-25, 65519, 65520, 448, 464, 465, 57344, 61440,
				61441, 0x1p-150} {
				a = append(a, enc(from, v), enc(from, -v))
			}
		}
		for _, to := range order {
			ff, tf := floatFormats[from], floatFormats[to]
			switch {
			case tf.Bits > ff.Bits:
				testFloatCast(t, "arith.extf A : TA to TR", from, to, a, tf.Encode)
			case tf.Bits < ff.Bits:
				testFloatCast(t, "arith.truncf A : TA to TR", from, to, a, tf.Encode)
				testFloatCast(t, "arith.truncf A toward_zero : TA to TR", from, to, a,
					func(v float64) uint64 {
						return towardZeroRef(tf, v)
					})
			}
			if from != to && tf.Bits == 8 {
				testFloatCast(t, "tt.fp_to_fp A, rounding = rtne : TA -> TR", from, to, a,
					func(v float64) uint64 {
						return saturateRef(tf, v)
					})
				testFloatCast(t, "tt.fp_to_fp A, rounding = rtz : TA -> TR", from, to, a,
					func(v float64) uint64 {
						return towardZeroRef(tf, v)
					})
			}
			if ff.Bits == 8 && tf.Bits > 8 {
				testFloatCast(t, "tt.fp_to_fp A : TA -> TR", from, to, a, tf.Encode)
			}
		}
	}
}

func testFloatCast(t *testing.T, op, from, to string, a []uint64, f func(float64) uint64) {
	t.Helper()
	for _, m := range []mode{vectors, scalars} {
		got := elementwise(t, op, m, []string{from}, to, a)
		for i := range got {
			if want := f(dec(from, a[i])); !sameFloat(to, got[i], want) {
				t.Errorf("%s: %s to %s of %v: got %v (%#x), want %v (%#x)", op, from, to, dec(from, a[i]),
					dec(to, got[i]), got[i], dec(to, want), want)
			}
		}
	}
}

func saturateRef(f *num.Format, v float64) uint64 {
	limit := f.Decode(f.Max())
	if v != v {
		return f.NaN()
	}
	return f.Encode(math.Max(-limit, math.Min(limit, v)))
}

// towardZeroRef searches the nearest value that is not larger.
func towardZeroRef(f *num.Format, v float64) uint64 {
	if v-v != 0 {
		return f.Encode(v)
	}
	limit := f.Decode(f.Max())
	b := f.Encode(math.Min(math.Abs(v), limit))
	if f.Decode(b) > math.Abs(v) {
		b--
	}
	if math.Signbit(v) {
		return f.Encode(-f.Decode(b))
	}
	return b
}

// TestBitcasts: bits pass through unchanged, payloads of NaNs too.
func TestBitcasts(t *testing.T) {
	for _, group := range [][]string{{"i8", "f8E5M2", "f8E4M3FN"}, {"i16", "f16", "bf16"}, {"i32", "f32"},
		{"i64", "f64"}} {
		for _, from := range group {
			for _, to := range group {
				var a []uint64
				width := sizeOf(from) * 8
				if width <= 16 {
					for i := range 1 << width {
						a = append(a, uint64(i))
					}
				} else {
					a = append(someInts(width), someFloats(group[1])...)
				}
				op := "tt.bitcast A : TA -> TR"
				got := elementwise(t, op, vectors, []string{from}, to, a)
				for i := range got {
					// fp8 formats may spell NaN in one way only
					if got[i] != a[i] && !(from != "i8" && to != "i8" && width == 8) {
						t.Fatalf("%s to %s: %#x became %#x", from, to, a[i], got[i])
					}
				}
			}
		}
	}
}

// TestSmallFormats compares the fast conversions with num's, for every bit pattern and for values between.
func TestSmallFormats(t *testing.T) {
	for f, s := range smalls {
		step := 1
		if f.Bits > 16 {
			step = 7
		}
		for b := uint64(0); b < 1<<f.Bits; b += uint64(step) {
			v := f.Decode(b)
			x := s.decode(uint32(b))
			if float64(x) != v && v == v || v != v && x == x {
				t.Fatalf("%s: decode %#x: %v, want %v", f.Name, b, x, v)
			}
			if v != v {
				continue
			}
			if e := s.encode(x); uint64(e) != b {
				t.Fatalf("%s: encode %v: %#x, want %#x", f.Name, x, e, b)
			}
			for _, y := range []float32{x, math.Nextafter32(x, 1e38), math.Nextafter32(x, -1e38), x * 1.001,
				x * 1.03, (x + s.decode(uint32(b+1))) / 2} {
				if y != y {
					continue
				}
				want := f.Round(float64(y))
				if got := s.round(y); float64(got) != want && want == want ||
					math.Signbit(float64(got)) != math.Signbit(want) && want == want {
					t.Fatalf("%s: round %v: %v, want %v", f.Name, y, got, want)
				}
				row := []float32{y}
				if s.roundRow(row); float64(row[0]) != want && want == want {
					t.Fatalf("%s: roundRow %v: %v, want %v", f.Name, y, row[0], want)
				}
			}
		}
	}
}
