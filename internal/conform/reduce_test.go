package conform

import (
	"fmt"
	"strings"
)

var _ = family(reduceCases)
var _ = family(scanCases)

// reduced folds the lines along an axis; a negative axis means all elements.
func reduced(x array, axis int, keep bool, dt *dtype, f func(line []uint64) uint64) array {
	if axis < 0 {
		shape := []int{}
		if keep {
			for range x.shape {
				shape = append(shape, 1)
			}
		}
		z := newArray(dt, shape...)
		z.bits[0] = f(x.bits)
		return z
	}
	z := newArray(dt, without(x.shape, axis, keep)...)
	i := 0
	x.lines(axis, func(line []uint64) { z.bits[i] = f(line); i++ })
	return z
}

// fold combines elements of a type one after the other.
func fold(dt *dtype, f func(a, b uint64) uint64) func(line []uint64) uint64 {
	return func(line []uint64) uint64 {
		r := line[0]
		for _, b := range line[1:] {
			r = f(r, b)
		}
		return r
	}
}

func converted(x array, to *dtype) array {
	return x.each(to, func(b uint64) uint64 { return cast(b, x.dt, to, nearest) })
}

// reduction is a reducing function of the library: the type it works in, and how it combines.
type reduction struct {
	name string
	in   func(dt *dtype) *dtype // nil: refused
	fn   func(dt *dtype, a, b uint64) uint64
}

var reductions = []reduction{
	{"sum", sumType, func(dt *dtype, a, b uint64) uint64 { return operators[0].apply(dt, a, b) }},
	{"max", maxType, func(dt *dtype, a, b uint64) uint64 { return choose(dt, a, b, 1) }},
	{"min", maxType, func(dt *dtype, a, b uint64) uint64 { return choose(dt, a, b, -1) }},
	{"xor_sum", onlyInts, func(dt *dtype, a, b uint64) uint64 { return a ^ b }},
	{"reduce_or", onlyInts, func(dt *dtype, a, b uint64) uint64 { return a | b }},
}

// sumType: integers are added in 32 bits at least.
func sumType(dt *dtype) *dtype {
	switch {
	case dt.isFloat() || dt.bits >= 32:
		return dt
	case dt.signed:
		return i32
	}
	return u32
}

// maxType: nothing narrower than 32 bits is compared as it is.
func maxType(dt *dtype) *dtype {
	switch {
	case dt.isFloat() && dt.bits < 32:
		return f32
	case dt.bits < 32:
		return i32
	}
	return dt
}

func onlyInts(dt *dtype) *dtype {
	if dt.isInt() {
		return dt
	}
	return nil
}

func reduceCases(s *suite) {
	m := &module{name: "conform_reduce"}
	for _, r := range reductions {
		for _, dt := range standard {
			for _, c := range []struct {
				shape []int
				axis  int
				args  string
			}{
				{[]int{64}, 0, "axis=0"}, {[]int{64}, -1, ""}, {[]int{8, 16}, 0, "axis=0"},
				{[]int{8, 16}, 1, "1"}, {[]int{8, 16}, 1, "axis=-1"}, {[]int{8, 16}, -1, "axis=None"},
				{[]int{8, 16}, 1, "axis=1, keep_dims=True"}, {[]int{8, 16}, -1, "axis=None, keep_dims=True"},
				{[]int{4, 8, 2}, 1, "axis=1"}, {[]int{1, 4}, 0, "axis=0"},
			} {
				if dt.bits != 32 && (len(c.shape) == 3 || strings.Contains(c.args, "keep") || c.args == "1") {
					continue
				}
				if r.name == "reduce_or" && c.args == "" {
					continue // its axis has no default
				}
				s.reduction(m, r, dt, c.shape, c.axis, c.args)
			}
		}
	}
	argCases(s, m)
	customReductions(s, m)
}

func (s *suite) reduction(m *module, r reduction, dt *dtype, shape []int, axis int, args string) {
	name := fmt.Sprintf("reduce/%s/%s/%s/%s", r.name, dt, identifier(fmt.Sprint(shape)), identifier(args))
	x := newSource(name).small(dt, shape...)
	in := r.in(dt)
	k := kernel{name: name, in: []array{x}, refused: in == nil, tol: tolerance{anyZero: true}}
	if in == nil {
		in = dt
	}
	want := reduced(converted(x, in), axis, strings.Contains(args, "keep"), in,
		fold(in, func(a, b uint64) uint64 {
			return r.fn(in, a, b)
		}))
	call := "tl." + r.name + "(x, " + args + ")"
	k.results, k.want = []string{strings.Replace(call, ", )", ")", 1)}, []array{want}
	m.add(s, k)
	if args == "axis=0" && len(shape) == 1 {
		k.name, k.results = name+"/method", []string{"x." + r.name + "(" + args + ")"}
		m.add(s, k)
	}
	if r.name == "sum" && args == "axis=0" && len(shape) == 1 {
		for _, to := range []*dtype{i64, f32} {
			if dt.isFloat() && !to.isFloat() {
				continue
			}
			k.name, k.results = name+"/dtype/"+to.sig, []string{"tl.sum(x, 0, dtype=tl." + to.name + ")"}
			k.want = []array{reduced(converted(x, to), 0, false, to, fold(to, func(a, b uint64) uint64 {
				return r.fn(to, a, b)
			}))}
			m.add(s, k)
		}
	}
}

// argCases: where the largest and the smallest element is, and of equal ones the first.
func argCases(s *suite, m *module) {
	for _, c := range []struct {
		name string
		sign int
	}{{"max", 1}, {"min", -1}} {
		where := func(line []uint64, dt *dtype) int {
			best := 0
			for i := range line {
				if line[i] != line[best] && choose(dt, line[i], line[best], c.sign) == line[i] {
					best = i
				}
			}
			return best
		}
		for _, dt := range standard {
			if dt == i1 {
				continue
			}
			values := dt // the type of values: as they come, but for bf16
			if dt == bf16 {
				values = f32
			}
			for _, f := range []struct {
				shape []int
				axis  int
				args  string
				ties  bool
			}{
				{[]int{32}, 0, "axis=0", true}, {[]int{8, 16}, 0, "axis=0", true},
				{[]int{8, 16}, 1, "axis=1", true}, {[]int{8, 16}, 1, "axis=1, keep_dims=True", true},
				{[]int{8, 16}, 1, "1, tie_break_left=False", false},
			} {
				if dt.bits != 32 && len(f.shape) == 2 && f.axis == 0 {
					continue
				}
				name := fmt.Sprintf("reduce/arg%s/%s/%s/%s", c.name, dt, identifier(fmt.Sprint(f.shape)),
					identifier(f.args))
				src := newSource(name)
				x := src.small(dt, f.shape...)
				if !f.ties {
					x = src.distinct(dt, f.shape...)
				}
				keep := strings.Contains(f.args, "keep")
				at := reduced(x, f.axis, keep, i32, func(line []uint64) uint64 {
					return uint64(where(line, dt))
				})
				best := reduced(converted(x, values), f.axis, keep, values, func(line []uint64) uint64 {
					return line[where(line, values)]
				})
				m.add(s, kernel{name: name, in: []array{x},
					results: []string{"tl.arg" + c.name + "(x, " + f.args + ")"}, want: []array{at}})
				args := strings.Replace(f.args, "tie_break_left", "return_indices_tie_break_left", 1)
				k := kernel{name: name + "/return_indices", in: []array{x}, results: []string{"v0", "v1"},
					want: []array{best, at}}
				k.pre = fmt.Sprintf("v0, v1 = tl.%s(x, %s, return_indices=True)", c.name, args)
				m.add(s, k)
			}
		}
		x := newSource("argmethod").small(f32, 32)
		m.add(s, kernel{name: "reduce/arg" + c.name + "/method", in: []array{x}, results: []string{"x.arg" +
			c.name + "(0)"}, want: []array{reduced(x, 0, false, i32, func(line []uint64) uint64 {
			return uint64(where(line, f32))
		})}})
		m.add(s, kernel{name: "reduce/arg" + c.name + "/refused", in: []array{x},
			results: []string{"x.arg" + c.name + "()"}, want: []array{newArray(i32)}, refused: true})
	}
	x := newArray(f32, 8, 16)
	for _, e := range []string{"tl.sum(x, axis=2)", "tl.max(x, axis=-3)", `tl.sum(x, axis="0")`,
		"tl.sum(x, keepdims=True)", "tl.xor_sum(x)", "tl.reduce_or(x, 0)"} {
		m.add(s, kernel{name: "reduce/refused/" + identifier(e), in: []array{x}, results: []string{e},
			want: []array{newArray(f32)}, refused: true})
	}
}

func customReductions(s *suite, m *module) {
	m.define(`
@triton.jit
def add_fn(a, b):
    return a + b

@triton.jit
def mul_fn(a, b):
    return a * b

@triton.jit
def gcd_like(a, b):
    return tl.where(a > b, a, b) | (a & b)

@triton.jit
def welford(mean_a, m2_a, n_a, mean_b, m2_b, n_b):
    n = n_a + n_b
    delta = mean_b - mean_a
    mean = mean_a + delta * (n_b / n)
    return mean, m2_a + m2_b + delta * delta * n_a * (n_b / n), n

@triton.jit
def extremes(lo_a, hi_a, lo_b, hi_b):
    return tl.minimum(lo_a, lo_b), tl.maximum(hi_a, hi_b)
`)
	for _, dt := range []*dtype{i8, i16, i32, i64, u8, u32, u64, f16, bf16, f32, f64} {
		for _, c := range []struct{ name, expr string }{
			{"axis0", "tl.reduce(x, 0, add_fn)"}, {"axis1", "tl.reduce(x, 1, add_fn)"},
			{"keywords", "tl.reduce(x, axis=1, combine_fn=add_fn, keep_dims=True)"},
			{"all", "tl.reduce(x, None, add_fn)"}, {"method", "x.reduce(0, add_fn)"},
		} {
			name := fmt.Sprintf("reduce/custom/%s/%s", dt, c.name)
			x := newSource(name).small(dt, 4, 16)
			axis := map[string]int{"axis0": 0, "axis1": 1, "keywords": 1, "all": -1, "method": 0}[c.name]
			m.add(s, kernel{name: name, in: []array{x}, results: []string{c.expr},
				tol: tolerance{anyZero: true}, want: []array{
					reduced(x, axis, c.name == "keywords", dt, fold(dt, func(a, b uint64) uint64 {
						return operators[0].apply(dt, a, b)
					}))}})
		}
	}
	x := newSource("custom").between(f32, 1, 2, 4, 8)
	m.add(s, kernel{name: "reduce/custom/product", in: []array{x},
		results: []string{"tl.reduce(x, 1, mul_fn)"},
		want: []array{reduced(x, 1, false, f32, fold(f32, func(a, b uint64) uint64 {
			return operators[2].apply(f32, a, b)
		}))}})
	y := newSource("custom").any(i32, 4, 8)
	m.add(s, kernel{name: "reduce/custom/bits", in: []array{y.each(i32, func(b uint64) uint64 {
		return b & 7
	})}, results: []string{"tl.reduce(x, 0, gcd_like)"}, want: []array{
		reduced(y.each(i32, func(b uint64) uint64 {
			return b & 7
		}), 0, false, i32, fold(i32, func(a, b uint64) uint64 { return max(a, b) | a&b }))}})
	z := newSource("extremes").any(i32, 16, 4)
	m.add(s, kernel{name: "reduce/custom/tuple", in: []array{z}, pre: "lo, hi = tl.reduce((x, x), 0, " +
		"extremes)", results: []string{"lo", "hi"}, want: []array{
		reduced(z, 0, false, i32, fold(i32, func(a, b uint64) uint64 { return choose(i32, a, b, -1) })),
		reduced(z, 0, false, i32, fold(i32, func(a, b uint64) uint64 { return choose(i32, a, b, 1) }))}})
	// Four numbers of which the mean and the squares are exact.
	w := ofFloats(f32, 1, 3, 5, 7)
	m.add(s, kernel{name: "reduce/custom/welford", in: []array{w}, pre: "mean, m2, n = tl.reduce((x, " +
		"tl.zeros_like(x), tl.full([4], 1.0, tl.float32)), 0, welford)", results: []string{"mean", "m2", "n"},
		want: []array{ofFloats(f32, 4).reshape(), ofFloats(f32, 20).reshape(), ofFloats(f32, 4).reshape()},
		tol:  ulps(2, 8)})
	for _, e := range []string{"tl.reduce(x, 0, 3)", "tl.reduce(x, 0, extremes)", "tl.reduce(x, 5, add_fn)",
		"tl.reduce(x, 0)", "tl.reduce(3, 0, add_fn)"} {
		m.add(s, kernel{name: "reduce/refused/" + identifier(e), in: []array{z}, results: []string{e},
			want: []array{newArray(i32)}, refused: true})
	}
}

// scanned is the running fold along an axis.
func scanned(x array, axis int, reverse bool, f func(a, b uint64) uint64) array {
	dims, back := []int{}, make([]int, len(x.shape))
	for d := range x.shape {
		if d != axis {
			dims = append(dims, d)
		}
	}
	dims = append(dims, axis)
	for i, d := range dims {
		back[d] = i
	}
	moved := x.permute(dims...)
	n := x.shape[axis]
	for i := 0; i < moved.len(); i += n {
		line := moved.bits[i : i+n]
		for j := 1; j < n; j++ {
			at, from := j, j-1
			if reverse {
				at, from = n-1-j, n-j
			}
			line[at] = f(line[from], line[at])
		}
	}
	return moved.permute(back...)
}

func scanCases(s *suite) {
	m := &module{name: "conform_scan"}
	for _, dt := range standard {
		for _, name := range []string{"cumsum", "cumprod"} {
			for _, c := range []struct {
				shape   []int
				axis    int
				args    string
				reverse bool
			}{
				{[]int{32}, 0, "", false}, {[]int{32}, 0, "axis=0, reverse=True", true},
				{[]int{4, 8}, 0, "axis=0", false}, {[]int{4, 8}, 1, "axis=1", false},
				{[]int{4, 8}, 1, "1, True", true}, {[]int{4, 8}, 1, "axis=-1", false},
			} {
				if dt.bits != 32 && len(c.shape) == 2 && c.args != "axis=1" {
					continue
				}
				s.scan(m, name, dt, c.shape, c.axis, c.args, c.reverse)
			}
		}
	}
	scanForms(s, m)
}

func (s *suite) scan(m *module, fn string, dt *dtype, shape []int, axis int, args string, reverse bool) {
	name := fmt.Sprintf("scan/%s/%s/%s/%s", fn, dt, identifier(fmt.Sprint(shape)), identifier(args))
	src := newSource(name)
	in := widened(dt)
	o, x := operators[0], src.small(dt, shape...)
	if fn == "cumsum" {
		in = sumType(in)
	} else {
		o, x = operators[2], src.between(dt, 1, 2, shape...)
	}
	f := func(a, b uint64) uint64 { return o.apply(in, a, b) }
	call := strings.Replace("tl."+fn+"(x, "+args+")", ", )", ")", 1)
	k := kernel{name: name, in: []array{x}, results: []string{call},
		want: []array{scanned(converted(x, in), axis, reverse, f)}, tol: tolerance{anyZero: true}}
	m.add(s, k)
	if args == "" {
		k.name, k.results = name+"/method", []string{"x." + fn + "(0)"}
		m.add(s, k)
	}
	if args == "" && fn == "cumsum" && dt.isInt() {
		k.name, k.results = name+"/dtype", []string{"tl.cumsum(x, 0, dtype=tl.int64)"}
		k.want = []array{scanned(converted(x, i64), axis, reverse, func(a, b uint64) uint64 { return a + b })}
		m.add(s, k)
	}
}

func scanForms(s *suite, m *module) {
	m.define(`
@triton.jit
def add_fn(a, b):
    return a + b

@triton.jit
def max_fn(a, b):
    return tl.maximum(a, b)

@triton.jit
def last_nonzero(a, b):
    return tl.where(b != 0, b, a)

@triton.jit
def linear(a_l, b_l, a_r, b_r):
    return a_l * a_r, b_l * a_r + b_r
`)
	for _, dt := range []*dtype{i32, i64, u32, f32, f16, f64} {
		for _, c := range []struct {
			name, expr string
			axis       int
			reverse    bool
		}{
			{"add", "tl.associative_scan(x, 0, add_fn)", 0, false},
			{"add1", "tl.associative_scan(x, 1, add_fn)", 1, false},
			{"reverse", "tl.associative_scan(x, axis=1, combine_fn=add_fn, reverse=True)", 1, true},
			{"method", "x.associative_scan(0, add_fn)", 0, false},
		} {
			name := fmt.Sprintf("scan/custom/%s/%s", c.name, dt)
			x := newSource(name).small(dt, 8, 4)
			m.add(s, kernel{name: name, in: []array{x}, results: []string{c.expr},
				tol: tolerance{anyZero: true},
				want: []array{scanned(x, c.axis, c.reverse, func(a, b uint64) uint64 {
					return operators[0].apply(dt, a, b)
				})}})
		}
	}
	x := newSource("scan").small(i32, 64)
	m.add(s, kernel{name: "scan/custom/max", in: []array{x}, results: []string{"tl.associative_scan(x, " +
		"0, max_fn)"}, want: []array{scanned(x, 0, false, func(a, b uint64) uint64 {
		return choose(i32, a, b, 1)
	})}})
	m.add(s, kernel{name: "scan/custom/last", in: []array{x}, results: []string{"tl.associative_scan(x, " +
		"0, last_nonzero)"}, want: []array{scanned(x, 0, false, func(a, b uint64) uint64 {
		if b != 0 {
			return b
		}
		return a
	})}})
	m.add(s, kernel{name: "scan/custom/last-reverse", in: []array{x},
		results: []string{"tl.associative_scan(x, 0, last_nonzero, reverse=True)"},
		want: []array{scanned(x, 0, true, func(a, b uint64) uint64 {
			if b != 0 {
				return b
			}
			return a
		})}})
	// h[i] = a[i] h[i-1] + b[i], all exact.
	a, b := newSource("linear").between(f32, -1, 1, 32), newSource("linear2").small(f32, 32)
	pa, h := newArray(f32, 32), newArray(f32, 32)
	p, v := 1.0, 0.0
	for i := range 32 {
		p, v = p*a.float(i), a.float(i)*v+b.float(i)
		pa.setFloat(i, p)
		h.setFloat(i, v)
	}
	m.add(s, kernel{name: "scan/custom/linear", in: []array{a, b}, pre: "p, h = tl.associative_scan((x, " +
		"y), 0, linear)", results: []string{"p", "h"}, want: []array{pa, h}, tol: tolerance{anyZero: true}})
	for _, e := range []string{"tl.associative_scan(x, 1, add_fn)", "tl.associative_scan(x, 0, linear)",
		"tl.cumsum(x, axis=3)", "tl.associative_scan(x, None, add_fn)"} {
		m.add(s, kernel{name: "scan/refused/" + identifier(e), in: []array{x}, results: []string{e},
			want: []array{newArray(i32, 64)}, refused: true})
	}
}
