package conform

import (
	"fmt"
	"math"
	"math/big"
)

var _ = family(mathCases)
var _ = family(pairCases)

// mathFunctions are the functions of one float: where they are asked and what they are.
var mathFunctions = []struct {
	name   string
	lo, hi float64
	fn     func(float64) float64
	tol    tolerance
}{
	{"exp", -20, 20, math.Exp, ulps(1, 32)},
	{"exp2", -30, 30, math.Exp2, ulps(1, 4)},
	{"log", 0.001, 1000, math.Log, tolerance{ulps: 1, others: 8, abs: 0x1p-20}},
	{"log2", 0.001, 1000, math.Log2, tolerance{ulps: 1, others: 8, abs: 0x1p-20}},
	{"sin", -50, 50, math.Sin, tolerance{ulps: 1, others: 8, abs: 0x1p-20}},
	{"cos", -50, 50, math.Cos, tolerance{ulps: 1, others: 8, abs: 0x1p-20}},
	{"sqrt", 0, 1e6, math.Sqrt, ulps(1, 4)},
	{"sqrt_rn", 0, 1e6, math.Sqrt, exact},
	{"rsqrt", 0.001, 1e6, func(x float64) float64 { return 1 / math.Sqrt(x) }, ulps(1, 4)},
	{"erf", -4, 4, math.Erf, ulps(1, 8)},
	{"floor", -100, 100, math.Floor, exact},
	{"ceil", -100, 100, math.Ceil, exact},
}

// mathCases calls each function under its three names. Only fp32 and fp64 are allowed, but for the method,
// which Triton does not check.
func mathCases(s *suite) {
	m := &module{name: "conform_math"}
	for _, f := range mathFunctions {
		for _, dt := range []*dtype{f32, f64, f16, bf16, i32} {
			for _, form := range []struct{ name, expr string }{{"tl", "tl.%s(x)"}, {"math", "tl.math.%s(x)"},
				{"method", "x.%s()"}} {
				for _, shape := range [][]int{{64}, {}} {
					if len(shape) == 0 && form.name != "tl" {
						continue
					}
					k := kernel{name: fmt.Sprintf("math/%s/%s/%s%s", f.name, form.name, dt,
						scalarSuffix(shape)), results: []string{fmt.Sprintf(form.expr, f.name)}}
					small := dt == f16 || dt == bf16
					k.refused = dt == i32 || small && form.name != "method" || f.name == "sqrt_rn" &&
						dt != f32 && form.name != "method"
					src := newSource(k.name)
					x := newArray(dt, shape...)
					if dt.isFloat() {
						x = src.uniform(dt, f.lo, f.hi, shape...)
					}
					k.in = []array{x}
					k.want = []array{x.each(dt, func(b uint64) uint64 {
						return dt.bitsOf(f.fn(dt.float(b)), nearest)
					})}
					if k.tol = f.tol; dt == f64 && f.tol != exact {
						k.tol = ulps(2, 4)
					}
					if small || f.name == "sqrt_rn" && dt == f64 {
						k.gpuless = "GPUs compute it in fp32 only"
					}
					m.add(s, k)
				}
			}
		}
	}
	specialCases(s, m)
}

// specialCases asks for the values at the ends: infinities, zeros and NaN.
func specialCases(s *suite, m *module) {
	ends := []float64{math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), math.NaN(), 1, -1, 2}
	for _, f := range mathFunctions {
		for _, dt := range []*dtype{f32, f64} {
			if f.name == "sqrt_rn" && dt == f64 {
				continue
			}
			k := kernel{name: fmt.Sprintf("math/%s/ends/%s", f.name, dt),
				results: []string{"tl." + f.name + "(x)"}, in: []array{ofFloats(dt, ends...)}, tol: f.tol}
			k.want = []array{k.in[0].each(dt, func(b uint64) uint64 {
				return dt.bitsOf(f.fn(dt.float(b)), nearest)
			})}
			m.add(s, k)
		}
	}
}

// smaller and larger pick one of two floats; a NaN is passed on or dropped.
func smaller(a, b float64, nan bool) float64 {
	switch {
	case a != a || b != b:
		if nan {
			return math.NaN()
		}
		if a != a {
			return b
		}
		return a
	case a < b || a == b && math.Signbit(a):
		return a
	}
	return b
}

func larger(a, b float64, nan bool) float64 { return -smaller(-a, -b, nan) }

// mixed are pairs of types of which one is promoted.
var mixed = [][2]*dtype{{i8, i32}, {i32, i64}, {u8, i8}, {u32, i64}, {i64, u64}, {i1, i32}, {f16, f32},
	{bf16, f16}, {f16, bf16}, {i32, f16}, {f32, f64}, {u64, f32}, {i1, bf16}}

func alike(list []*dtype) [][2]*dtype {
	var out [][2]*dtype
	for _, d := range list {
		out = append(out, [2]*dtype{d, d})
	}
	return out
}

// combined is an array of what f makes of the elements of two, cast to the type they are promoted to.
func combined(x, y array, in *dtype, f func(a, b uint64) uint64) array {
	z := newArray(in, x.shape...)
	for i := range z.bits {
		z.bits[i] = f(cast(x.bits[i], x.dt, in, nearest), cast(y.bits[i], y.dt, in, nearest))
	}
	return z
}

func pairCases(s *suite) {
	minMaxCases(s)
	selectCases(s)
	productCases(s)
	quotientCases(s)
}

func minMaxCases(s *suite) {
	m := &module{name: "conform_minmax"}
	for _, f := range []struct {
		name string
		fn   func(a, b float64, nan bool) float64
		sign int
	}{{"minimum", smaller, -1}, {"maximum", larger, 1}} {
		for _, nan := range []string{"", ", propagate_nan=tl.PropagateNan.NONE",
			", propagate_nan=tl.PropagateNan.ALL"} {
			for _, pair := range append(alike(standard), mixed...) {
				if nan != "" && pair[0].isInt() && pair[1].isInt() {
					continue
				}
				k := kernel{name: fmt.Sprintf("%s/%s-%s/%s", f.name, pair[0], pair[1], identifier(nan)),
					results: []string{"tl." + f.name + "(x, y" + nan + ")"}}
				src := newSource(k.name)
				x, y := src.any(pair[0], 32), src.any(pair[1], 32)
				in := promoted(widened(pair[0]), widened(pair[1]), false)
				all := nan == ", propagate_nan=tl.PropagateNan.ALL"
				k.in, k.tol = []array{x, y}, tolerance{anyZero: true}
				k.want = []array{combined(x, y, in, func(a, b uint64) uint64 {
					if in.isFloat() {
						return in.bitsOf(f.fn(in.float(a), in.float(b), all), nearest)
					}
					if in.big(a).Cmp(in.big(b)) == f.sign {
						return a
					}
					return b
				})}
				m.add(s, k)
			}
		}
	}
}

func selectCases(s *suite) {
	m := &module{name: "conform_select"}
	for _, pair := range append(append(alike(dtypes), mixed...), [2]*dtype{e5m2, e4m3}) {
		k := kernel{name: fmt.Sprintf("where/%s-%s", pair[0], pair[1]),
			results: []string{"tl.where(w, x, y)"}}
		src := newSource(k.name)
		x, y, w := src.any(pair[0], 32), src.any(pair[1], 32), src.any(i1, 32)
		in := promoted(pair[0], pair[1], false)
		i := -1
		k.in = []array{x, y, w}
		k.want = []array{combined(x, y, in, func(a, b uint64) uint64 {
			if i++; w.bits[i] != 0 {
				return a
			}
			return b
		})}
		m.add(s, k)
	}
	for _, c := range []struct {
		name, expr string
		dt         *dtype
		a, b       any
	}{
		{"x-zero", "tl.where(w, x, 0)", i32, nil, 0}, {"x-inf", `tl.where(w, x, float("-inf"))`, f32, nil,
			math.Inf(-1)},
		{"one-x", "tl.where(w, 1.0, x)", f32, 1.0, nil}, {"half", "tl.where(w, x, 0.5)", f16, nil, 0.5},
		{"small", "tl.where(w, x, 7)", u8, nil, 7},
	} {
		k := kernel{name: "where/const/" + c.name, results: []string{c.expr}}
		src := newSource(k.name)
		x, w := src.any(c.dt, 32), src.any(i1, 32)
		z := newArray(c.dt, 32)
		for i := range z.bits {
			pick := c.b
			if w.bits[i] != 0 {
				pick = c.a
			}
			if z.bits[i] = x.bits[i]; pick != nil {
				z.bits[i] = bitsOfConst(pick, c.dt)
			}
		}
		k.in, k.want = []array{x, newArray(i8, 32), w}, []array{z}
		m.add(s, k)
	}
	clampCases(s, m)
}

// widened is the type in which minimum, maximum and clamp see their operands.
func widened(dt *dtype) *dtype {
	if dt == bf16 {
		return f32
	}
	return dt
}

func clampCases(s *suite, m *module) {
	for _, dt := range append(append([]*dtype{}, floats...), i32) {
		for _, nan := range []string{"", ", propagate_nan=tl.PropagateNan.ALL"} {
			for _, form := range []struct{ name, lo, hi string }{{"blocks", "y", "w"},
				{"consts", "-1.0", "2.0"}} {
				k := kernel{name: fmt.Sprintf("clamp/%s/%s%s", dt, form.name, identifier(nan))}
				k.results = []string{fmt.Sprintf("tl.clamp(x, %s, %s%s)", form.lo, form.hi, nan)}
				in := widened(dt)
				if form.name == "consts" { // bounds are tensors of fp32, and count
					in = promoted(in, f32, false)
				}
				k.refused = !in.isFloat()
				src := newSource(k.name)
				x, lo, hi := src.any(dt, 32), src.between(dt, -3, 0, 32), src.between(dt, 0, 3, 32)
				z := newArray(in, 32)
				for i := range z.bits {
					a, b := lo.float(i), hi.float(i)
					if form.name == "consts" {
						a, b = -1, 2
					}
					v := in.float(cast(x.bits[i], dt, in, nearest))
					z.setFloat(i, smaller(larger(v, a, nan != ""), b, nan != ""))
				}
				k.in, k.want, k.tol = []array{x, lo, hi}, []array{z}, tolerance{anyZero: true}
				m.add(s, k)
			}
		}
	}
}

// productCases: fma rounds once, umulhi is the high half of a product.
func productCases(s *suite) {
	m := &module{name: "conform_product"}
	for _, dt := range []*dtype{f16, bf16, f32, f64, i32} {
		k := kernel{name: "fma/" + dt.sig, results: []string{"tl.fma(x, y, w)"}, refused: dt == i32}
		src := newSource(k.name)
		x, y, w := src.finite(dt, 64), src.finite(dt, 64), src.finite(dt, 64)
		z := newArray(dt, 64)
		if dt.isFloat() {
			for i := range z.bits {
				p := new(big.Float).SetPrec(2000).Mul(big.NewFloat(x.float(i)).SetPrec(2000),
					big.NewFloat(y.float(i)))
				z.bits[i] = dt.fromBig(p.Add(p, big.NewFloat(w.float(i))), nearest)
			}
		}
		k.in, k.want = []array{x, y, w}, []array{z}
		m.add(s, k)
	}
	for _, dt := range standard {
		for _, name := range []string{"tl", "tl.math"} {
			k := kernel{name: "umulhi/" + name + "/" + dt.sig, results: []string{name + ".umulhi(x, y)"}}
			k.refused = !dt.isInt() || dt.bits < 32
			src := newSource(k.name)
			x, y := src.any(dt, 32), src.any(dt, 32)
			z := newArray(dt, 32)
			for i := range z.bits {
				p := new(big.Int).Mul(new(big.Int).SetUint64(x.bits[i]), new(big.Int).SetUint64(y.bits[i]))
				z.bits[i] = wrap(p.Rsh(p, uint(dt.bits)), dt)
			}
			k.in, k.want = []array{x, y}, []array{z}
			m.add(s, k)
		}
	}
}

// quotientCases: div_rn is correctly rounded, fdiv as good as the device makes it.
func quotientCases(s *suite) {
	m := &module{name: "conform_quotient"}
	for _, f := range []struct {
		name, expr string
		tol        tolerance
		only       *dtype
	}{
		{"div_rn", "tl.div_rn(x, y)", exact, f32}, {"math.div_rn", "tl.math.div_rn(x, y)", exact, f32},
		{"fdiv", "tl.fdiv(x, y)", ulps(0, 2), nil}, {"fdiv_ieee", "tl.fdiv(x, y, ieee_rounding=True)",
			ulps(0, 2), nil},
	} {
		for _, dt := range []*dtype{f16, bf16, f32, f64, i32} {
			k := kernel{name: f.name + "/" + dt.sig, results: []string{f.expr}, tol: f.tol}
			k.refused = f.only != nil && dt != f.only || !dt.isFloat()
			src := newSource(k.name)
			x, y := src.finite(dt, 32), src.finite(dt, 32)
			z := newArray(dt, 32)
			if dt.isFloat() {
				for i := range z.bits {
					z.setFloat(i, x.float(i)/y.float(i))
				}
			}
			if dt == f16 || dt == bf16 {
				k.gpuless = "GPUs divide in fp32"
			}
			k.in, k.want = []array{x, y}, []array{z}
			m.add(s, k)
		}
	}
	for _, o := range operators[:3] {
		for _, pair := range append(alike(standard), mixed...) {
			for _, flag := range []string{"", ", sanitize_overflow=False"} {
				k := kernel{name: fmt.Sprintf("tl.%s/%s-%s/%s", o.name, pair[0], pair[1], identifier(flag)),
					results: []string{fmt.Sprintf("tl.%s(x, y%s)", o.name, flag)}}
				src := newSource(k.name)
				x, y := src.any(pair[0], 32), src.any(pair[1], 32)
				in := promoted(pair[0], pair[1], false)
				k.in, k.want = []array{x, y}, []array{combined(x, y, in, func(a, b uint64) uint64 {
					return o.apply(in, a, b)
				})}
				m.add(s, k)
			}
		}
	}
	for _, name := range []string{"and", "or"} {
		for _, form := range []struct{ name, expr string }{{"method", "x.logical_%s(y)"},
			{"operator", "x %s y"}} {
			for _, dt := range []*dtype{i1, i32, f32} {
				k := kernel{name: fmt.Sprintf("logical/%s/%s/%s", name, form.name, dt),
					results: []string{fmt.Sprintf(form.expr, name)}, refused: dt != i1}
				src := newSource(k.name)
				x, y := src.any(dt, 32), src.any(dt, 32)
				k.in, k.want = []array{x, y}, []array{combined(x, y, i1, func(a, b uint64) uint64 {
					if name == "and" {
						return a & b
					}
					return a | b
				})}
				m.add(s, k)
			}
		}
	}
}
