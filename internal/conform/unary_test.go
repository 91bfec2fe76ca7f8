package conform

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/nereid-lang/nereid"
)

var _ = family(unaryCases)

// unary operators and the two functions that Python and the language share with them.
var unaries = []struct {
	name, expr string
	fn         func(dt *dtype, bits uint64) (uint64, bool) // false: there is none
}{
	{"neg", "-x", func(dt *dtype, b uint64) (uint64, bool) {
		if dt.isFloat() { // Triton subtracts from zero
			return dt.bitsOf(0-dt.float(b), nearest), true
		}
		return -b & dt.mask(), true
	}},
	{"pos", "+x", func(dt *dtype, b uint64) (uint64, bool) { return b, false }}, // Triton has none
	{"invert", "~x", func(dt *dtype, b uint64) (uint64, bool) { return ^b & dt.mask(), dt.isInt() }},
	{"not", "not x", func(dt *dtype, b uint64) (uint64, bool) { return b ^ 1, dt == i1 }},
	{"abs", "tl.abs(x)", func(dt *dtype, b uint64) (uint64, bool) {
		switch {
		case dt.isFloat():
			return b &^ (1 << (dt.bits - 1)), true
		case dt.signed:
			return wrap(new(big.Int).Abs(dt.big(b)), dt), true
		}
		return b, true
	}},
}

func unaryCases(s *suite) {
	m := &module{name: "conform_unary"}
	for _, u := range unaries {
		for _, dt := range dtypes {
			for _, shape := range [][]int{{32}, {}} {
				k := kernel{name: fmt.Sprintf("unary/%s/%s%s", u.name, dt, scalarSuffix(shape)),
					results: []string{u.expr}}
				x := newSource(k.name).any(dt, shape...)
				_, ok := u.fn(dt, 0)
				k.in, k.refused = []array{x}, !ok
				k.want = []array{x.each(dt, func(b uint64) uint64 { r, _ := u.fn(dt, b); return r })}
				if dt.isFP8() {
					k.gpuless = "GPUs have no arithmetic on fp8"
				}
				m.add(s, k)
			}
		}
	}
	castCases(s)
	bitcastCases(s)
	e4b15Cases(s)
}

// e4b15Cases: the format is fp16 without the upper bit of the exponent and the last bits of the mantissa;
// its bits travel as bytes.
func e4b15Cases(s *suite) {
	m := &module{name: "conform_e4b15"}
	all := count(u8, 256)
	bytes := count(u8, 256)
	half := all.each(f16, func(b uint64) uint64 { return b&0x80<<8 | b&0x7f<<7 })
	const differs = "conversions are arithmetic on bits, not PTX"
	m.add(s, kernel{name: "cast/e4b15/fp16", in: []array{bytes}, results: []string{"x.to(tl.float8e4b15, " +
		"bitcast=True).to(tl.float16)"}, want: []array{converted(half, f32).each(f16, func(b uint64) uint64 {
		return cast(b, f32, f16, nearest)
	})}, differs: differs})
	m.add(s, kernel{name: "cast/e4b15/fp32", in: []array{bytes}, results: []string{"x.to(tl.float8e4b15, " +
		"bitcast=True).to(tl.float32)"}, want: []array{converted(half, f32)}, differs: differs})
	// Triton's conversion saturates one step below the largest value.
	all.bits[0x7f], all.bits[0xff] = 0x7e, 0xfe
	half.bits[0x7f], half.bits[0xff] = half.bits[0x7e], half.bits[0xfe]
	m.add(s, kernel{name: "cast/e4b15/back", in: []array{half},
		results: []string{"x.to(tl.float8e4b15).to(tl.uint8, bitcast=True)"}, want: []array{all},
		differs: differs})
	for _, name := range []string{"float8e4b8", "float8e5b16"} {
		m.add(s, kernel{name: "cast/refused/" + name, in: []array{half},
			results: []string{"x.to(tl." + name + ").to(tl.float16)"}, want: []array{half}, refused: true})
	}
}

func scalarSuffix(shape []int) string {
	if len(shape) == 0 {
		return "/scalar"
	}
	return ""
}

// castCases converts every type to every other, by method and by function, and with the rounding modes
// where bits are lost.
func castCases(s *suite) {
	m := &module{name: "conform_cast"}
	for _, from := range dtypes {
		for _, to := range dtypes {
			refused := from != to && (from.isFP8() && to.isInt() || from.isInt() && to.isFP8())
			for _, form := range []struct{ name, expr string }{
				{"to", "x.to(tl.%s)"}, {"cast", "tl.cast(x, tl.%s)"},
				{"rtne", `x.to(tl.%s, fp_downcast_rounding="rtne")`},
				{"rtz", `x.to(tl.%s, fp_downcast_rounding="rtz")`},
			} {
				rounds := form.name == "rtne" || form.name == "rtz"
				if form.name == "cast" && from.bits > 8 && to.bits > 8 {
					continue // the same code; one of them often enough
				}
				k := kernel{name: fmt.Sprintf("cast/%s/%s-%s", form.name, from, to),
					results: []string{fmt.Sprintf(form.expr, to.name)}}
				truncates := from.isFloat() && to.isFloat() && from.bits > to.bits
				k.refused = refused || rounds && !truncates && from != to
				if rounds && from == to {
					continue // nothing is rounded
				}
				mode := nearest
				if form.name == "rtz" {
					mode = truncate
				}
				x := castable(newSource(k.name), from, to)
				k.in, k.want = []array{x}, []array{x.each(to, func(b uint64) uint64 {
					return cast(b, from, to, mode)
				})}
				m.add(s, k)
			}
		}
	}
}

// castable is values that the conversion is defined for: integers that fit, no NaN to an integer.
func castable(src source, from, to *dtype) array {
	x := src.any(from, 32)
	if !from.isFloat() {
		return x
	}
	for i := range x.bits {
		for !convertible(from.float(x.bits[i]), to) {
			x.bits[i] = src.one(from)
		}
	}
	return x
}

func convertible(v float64, to *dtype) bool {
	switch {
	case to.isFP8():
		// Beyond the largest value devices differ: some saturate.
		return v != v || math.Abs(v) <= to.float(to.largest())
	case to.isFloat() || to == i1:
		return true
	case v != v || math.IsInf(v, 0):
		return false
	}
	n, _ := big.NewFloat(v).Int(nil)
	return n.Cmp(to.lowest()) >= 0 && n.Cmp(to.highest()) <= 0 && (v >= 0 || to.signed)
}

// bitcastCases reads the bits of every type as those of every other of the same size.
func bitcastCases(s *suite) {
	m := &module{name: "conform_bitcast"}
	for _, from := range dtypes {
		for _, to := range dtypes {
			k := kernel{name: fmt.Sprintf("bitcast/%s-%s", from, to),
				results: []string{fmt.Sprintf("x.to(tl.%s, bitcast=True)", to.name)}}
			k.refused = from.bits != to.bits
			x := newSource(k.name).any(from, 32)
			k.in, k.want = []array{x}, []array{x.each(to, func(b uint64) uint64 { return b })}
			m.add(s, k)
		}
	}
}

// TestSmallFromDouble: numbers beside the middle of two 8-bit floats, or just below one, are rounded once.
// Infinities that are rounded toward zero stay infinite.
func TestSmallFromDouble(t *testing.T) {
	k := kernelOf(t, "\n@triton.jit\ndef k(x, y):\n", `
i = tl.arange(0, 8)
v = tl.load(x + i)
near = v.to(tl.float8e5)
low = v.to(tl.float8e5, fp_downcast_rounding="rtz")
single = v.to(tl.float32).to(tl.float8e5, fp_downcast_rounding="rtz")
tl.store(y + i, near.to(tl.float32))
tl.store(y + 8 + i, low.to(tl.float32))
tl.store(y + 16 + i, single.to(tl.float32))`)
	x, y, inf := newArray(f64, 8), newArray(f32, 24), math.Inf(1)
	for i, v := range []float64{1.125 + 0x1p-40, -1.125 + 0x1p-40, 1.375 - 0x1p-40, 2 - 0x1p-40, 1e300, inf,
		-inf, 0x1p-17 + 0x1p-60} {
		x.setFloat(i, v)
	}
	want := []float64{1.25, -1, 1.25, 2, 57344, 57344, -57344, 0x1p-16,
		1, -1, 1.25, 1.75, 57344, inf, -inf, 0,
		1, -1, 1.25, 2, inf, inf, -inf, 0}
	for _, dev := range append(opened(t, "cpu", "sim:90", "sim:gfx942"), interpreter(t)) {
		out := leaves(t, k, dev, nereid.Grid{1}, x, y)
		for i, w := range want {
			if got := math.Float32frombits(binary.LittleEndian.Uint32(out[4*i:])); float64(got) != w {
				t.Errorf("%v: result %d is %v, not %v", dev, i, got, w)
			}
		}
	}
}
