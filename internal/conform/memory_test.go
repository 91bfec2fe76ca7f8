package conform

import (
	"fmt"
	"math"
)

var _ = family(loadCases)
var _ = family(pointerCases)

// unchanged is what was there.
func unchanged(a array) func() array { return func() array { return a } }

func loadCases(s *suite) {
	m := &module{name: "conform_load"}
	for _, dt := range dtypes {
		for _, shape := range [][]int{{}, {1}, {64}, {4, 8}, {2, 4, 8}} {
			x := newSource("load").any(dt, shape...)
			m.add(s, kernel{name: fmt.Sprintf("load/%s/%d-%d", dt, len(shape), product(shape)),
				in: []array{x}, results: []string{"x"}, want: []array{x}})
		}
	}
	modifierCases(s, m)
	maskCases(s, m)
	storeCases(s, m)
}

func modifierCases(s *suite, m *module) {
	x := count(f32, 32)
	for _, o := range []string{
		`cache_modifier=".ca"`, `cache_modifier=".cg"`, `cache_modifier=".cv"`, `cache_modifier=""`,
		`cache_modifier=None`, `eviction_policy="evict_first"`, `eviction_policy="evict_last"`,
		`volatile=True`, `volatile=False`,
		`cache_modifier=".cg", eviction_policy="evict_last", volatile=True`, `mask=None`,
		`mask=None, other=None`, `mask=True`,
	} {
		m.raw(s, testCase{name: "load/" + identifier(o), args: []arg{in(x), result(x)}}, "x_ptr, z_ptr",
			fmt.Sprintf(`
i = tl.arange(0, 32)
tl.store(z_ptr + i, tl.load(x_ptr + i, %s))
`, o))
	}
	for _, o := range []string{
		`cache_modifier=".wb"`, `cache_modifier=".cg"`, `cache_modifier=".cs"`, `cache_modifier=".wt"`,
		`eviction_policy="evict_first"`, `eviction_policy="evict_last"`,
		`mask=None`, `mask=i < 64`, `cache_modifier=".cs", eviction_policy="evict_first"`,
	} {
		m.raw(s, testCase{name: "store/" + identifier(o), args: []arg{in(x), result(x)}}, "x_ptr, z_ptr",
			fmt.Sprintf(`
i = tl.arange(0, 32)
tl.store(z_ptr + i, tl.load(x_ptr + i), %s)
`, o))
	}
	for _, o := range []string{`cache_modifier=".wb"`, `eviction_policy="evict"`, `other=1.0`,
		`boundary_check=(0,)`, `padding_option="zero"`, `mask=i`, `mask=1`, `cache=".ca"`} {
		m.raw(s, testCase{name: "load/refused/" + identifier(o), args: []arg{in(x), result(x)},
			refused: true}, "x_ptr, z_ptr", fmt.Sprintf(`
i = tl.arange(0, 32)
tl.store(z_ptr + i, tl.load(x_ptr + i, %s))
`, o))
	}
	for _, o := range []string{`cache_modifier=".ca"`, `eviction_policy="no"`, `boundary_check=(0,)`,
		`mask=i`, `volatile=True`} {
		m.raw(s, testCase{name: "store/refused/" + identifier(o), args: []arg{in(x), result(x)},
			refused: true}, "x_ptr, z_ptr", fmt.Sprintf(`
i = tl.arange(0, 32)
tl.store(z_ptr + i, i, %s)
`, o))
	}
}

// maskCases: what lanes that take no part become.
func maskCases(s *suite, m *module) {
	for _, dt := range dtypes {
		src := newSource("mask/" + dt.sig)
		x, other := src.any(dt, 20), src.any(dt, 32)
		from := func(a func(i int) uint64) array {
			return build(dt, []int{32}, func(at []int) uint64 {
				if at[0] < 20 {
					return x.bits[at[0]]
				}
				return a(at[0])
			})
		}
		m.raw(s, testCase{name: "mask/block/" + dt.sig,
			args: []arg{in(x), in(other), result(from(func(i int) uint64 {
				return other.bits[i]
			}))}}, "x_ptr, y_ptr, z_ptr", `
i = tl.arange(0, 32)
y = tl.load(y_ptr + i)
x = tl.load(x_ptr + i, mask=i < 20, other=y)
tl.store(z_ptr + i, x)
`)
		m.raw(s, testCase{name: "mask/zero/" + dt.sig, refused: dt.isFP8(),
			args: []arg{in(x), result(from(func(int) uint64 {
				return 0
			}))}}, "x_ptr, z_ptr", `
i = tl.arange(0, 32)
x = tl.load(x_ptr + i, i < 20, 0)
tl.store(z_ptr + i, x)
`)
		m.raw(s, testCase{name: "mask/none/" + dt.sig, args: []arg{in(x), out(dt, 32, unchanged(x))}},
			"x_ptr, z_ptr", `
i = tl.arange(0, 32)
x = tl.load(x_ptr + i, mask=i < 20)
tl.store(z_ptr + i, x, mask=i < 20)
`)
	}
	for _, c := range []struct {
		name string
		n    int
		want float64
	}{{"scalar/true", 5, 3}, {"scalar/false", 2, 7}} {
		m.raw(s, testCase{name: "mask/" + c.name, args: []arg{in(ofFloats(f32, 3)), scalar(c.n),
			result(ofFloats(f32, c.want))}}, "x_ptr, n, z_ptr", `
tl.store(z_ptr, tl.load(x_ptr, mask=n > 4, other=7.0))
`)
	}
	x := count(f32, 5, 6)
	m.raw(s, testCase{name: "mask/2d", args: []arg{in(x), scalar(5), scalar(6),
		result(build(f32, []int{8, 8}, func(at []int) uint64 {
			if at[0] < 5 && at[1] < 6 {
				return x.bits[x.flat(at...)]
			}
			return f32.bitsOf(-1, nearest)
		}))}}, "x_ptr, m, n, z_ptr", `
i = tl.arange(0, 8)
offs = i[:, None] * n + i[None, :]
x = tl.load(x_ptr + offs, mask=(i[:, None] < m) & (i[None, :] < n), other=-1)
tl.store(z_ptr + i[:, None] * 8 + i[None, :], x)
`)
	m.raw(s, testCase{name: "mask/broadcast",
		args: []arg{in(count(f32, 4, 8)), result(build(f32, []int{4, 8}, func(at []int) uint64 {
			if at[1] >= 3 {
				return f32.bitsOf(math.Inf(-1), nearest)
			}
			return f32.bitsOf(float64(8*at[0]+at[1]), nearest)
		}))}}, "x_ptr, z_ptr", `
i = tl.arange(0, 4)
j = tl.arange(0, 8)
offs = i[:, None] * 8 + j[None, :]
x = tl.load(x_ptr + offs, mask=j[None, :] < 3, other=float("-inf"))
tl.store(z_ptr + offs, x, mask=i[:, None] < 4)
`)
}

// storeCases: values are cast to what the pointer points to, and stretched to its shape.
func storeCases(s *suite, m *module) {
	for _, from := range []*dtype{i1, i8, i32, i64, u8, u32, f16, bf16, f32, f64} {
		for _, to := range []*dtype{i1, i8, i32, i64, u16, f16, bf16, f32, f64} {
			k := testCase{name: fmt.Sprintf("store/%s-%s", from, to)}
			x := castable(newSource(k.name), from, to)
			if to == i1 && from != i1 { // a bool is stored as a byte, so the value becomes a byte
				if from.isFloat() {
					continue
				}
				k.args = []arg{in(x), out(i1, 32, func() array {
					return x.each(i1, func(b uint64) uint64 { return b & 0xff })
				})}
			} else {
				k.args = []arg{in(x), result(x.each(to, func(b uint64) uint64 {
					return cast(b, from, to, nearest)
				}))}
			}
			m.raw(s, k, "x_ptr, z_ptr", `
i = tl.arange(0, 32)
tl.store(z_ptr + i, tl.load(x_ptr + i))
`)
		}
	}
	for _, c := range []struct {
		expr string
		dt   *dtype
		want float64
	}{{"1", i32, 1}, {"2.5", f32, 2.5}, {"1", f16, 1}, {"True", i32, 1}, {"-3", i64, -3}, {"7", u8, 7},
		{"0.1", f64, float64(float32(0.1))}} {
		want := newArray(c.dt, 16)
		for i := range want.bits {
			if c.dt.isFloat() {
				want.setFloat(i, c.want)
			} else {
				want.setInt(i, int64(c.want))
			}
		}
		m.raw(s, testCase{name: "store/const/" + identifier(c.expr) + "-" + c.dt.sig,
			args: []arg{result(want)}}, "z_ptr", "tl.store(z_ptr + tl.arange(0, 16), "+c.expr+")")
	}
	m.raw(s, testCase{name: "store/row", args: []arg{in(count(i32, 8)),
		result(count(i32, 8).broadcast(4, 8))}}, "x_ptr, z_ptr", `
i = tl.arange(0, 4)
j = tl.arange(0, 8)
tl.store(z_ptr + i[:, None] * 8 + j[None, :], tl.load(x_ptr + j)[None, :])
`)
	m.raw(s, testCase{name: "store/refused/shape", refused: true, args: []arg{result(count(i32, 8))}},
		"z_ptr", "tl.store(z_ptr + tl.arange(0, 8), tl.arange(0, 16))")
	m.raw(s, testCase{name: "store/refused/scalar", refused: true, args: []arg{result(count(i32, 8))}},
		"z_ptr", "tl.store(z_ptr, tl.arange(0, 16))")
	m.raw(s, testCase{name: "store/refused/value", refused: true, args: []arg{result(count(i32, 8))}},
		"z_ptr", "tl.store(3, tl.arange(0, 16))")
	m.raw(s, testCase{name: "store/method", args: []arg{in(count(f32, 8)), result(count(f32, 8))}},
		"x_ptr, z_ptr", `
i = tl.arange(0, 8)
(z_ptr + i).store(tl.load(x_ptr + i))
`)
}

// pointerCases is arithmetic on pointers: offsets of all types, on either side, and conversions.
func pointerCases(s *suite) {
	m := &module{name: "conform_pointer"}
	x := count(f32, 64)
	for _, dt := range ints {
		for _, form := range []struct{ name, expr string }{{"right", "x_ptr + o"}, {"left", "o + x_ptr"}} {
			offs := newSource("pointer").between(dt, 0, 60, 32)
			m.raw(s, testCase{name: fmt.Sprintf("pointer/%s/%s", form.name, dt),
				args: []arg{in(x), in(offs), result(build(f32, []int{32}, func(at []int) uint64 {
					return x.bits[offs.bits[at[0]]]
				}))}}, "x_ptr, o_ptr, z_ptr", fmt.Sprintf(`
i = tl.arange(0, 32)
o = tl.load(o_ptr + i)
tl.store(z_ptr + i, tl.load(%s))
`, form.expr))
		}
	}
	shifted := build(f32, []int{16}, func(at []int) uint64 { return x.bits[32-at[0]] })
	for _, c := range []struct{ name, body string }{
		{"minus", "p = x_ptr + 32\ntl.store(z_ptr + i, tl.load(p - i))"},
		{"negative", "tl.store(z_ptr + i, tl.load(x_ptr + (32 - i)))"},
		{"augmented", "p = x_ptr\np += 32\np -= i\ntl.store(z_ptr + i, tl.load(p))"},
		{"int64", "p = x_ptr.to(tl.int64) + 4 * (32 - i)\ntl.store(z_ptr + i, " +
			"tl.load(p.to(tl.pointer_type(tl.float32))))"},
		{"recast", "p = x_ptr.to(tl.pointer_type(tl.int32)) + 32 - i\n" +
			"tl.store(z_ptr.to(tl.pointer_type(tl.int32)) + i, tl.load(p))"},
		{"bitcast", "p = x_ptr.to(tl.pointer_type(tl.uint32), bitcast=True)\nv = tl.load(p + 32 - i)\n" +
			"tl.store(z_ptr + i, v.to(tl.float32, bitcast=True))"},
		{"element", "p = x_ptr.to(tl.pointer_type(x_ptr.dtype.element_ty))\ntl.store(z_ptr + i, tl.load(p " +
			"+ 32 - i).to(z_ptr.dtype.element_ty))"},
		{"type", "tl.store(z_ptr + i, tl.load(x_ptr + 32 - i).to(z_ptr.type.element_ty))"},
	} {
		m.raw(s, testCase{name: "pointer/" + c.name, args: []arg{in(x), result(shifted)}}, "x_ptr, z_ptr",
			"i = tl.arange(0, 16)\n"+c.body)
	}
	m.raw(s, testCase{name: "pointer/table", args: []arg{in(x), result(shifted)}}, "x_ptr, z_ptr", `
i = tl.arange(0, 16)
table = (x_ptr + 32 - i).to(tl.int64)
same = table == (x_ptr + (32 - i)).to(tl.int64)
tl.store(z_ptr + i, tl.load(table.to(tl.pointer_type(tl.float32)), mask=same, other=-1.0))
`)
	for _, c := range []struct{ name, expr string }{{"sum", "x_ptr + z_ptr"}, {"float", "x_ptr + 1.0"},
		{"mul", "x_ptr * 2"}, {"neg", "-x_ptr"}, {"int32", "x_ptr.to(tl.int32)"},
		{"fp32", "x_ptr.to(tl.float32)"}, {"offset", "2 - x_ptr"}} {
		m.raw(s, testCase{name: "pointer/refused/" + c.name, refused: true,
			args: []arg{in(x), result(shifted)}}, "x_ptr, z_ptr", "p = "+c.expr+"\ntl.store(z_ptr, 1.0)")
	}
	m.raw(s, testCase{name: "pointer/const", args: []arg{{sig: "*kfp32:16", data: x}, result(x)}},
		"x_ptr: tl.const, z_ptr", `
i = tl.arange(0, 64)
tl.store(z_ptr + i, tl.load(x_ptr + i))
`)
	m.raw(s, testCase{name: "pointer/refused/const", refused: true, args: []arg{{sig: "*kfp32:16", data: x},
		result(x)}}, "x_ptr: tl.const, z_ptr", "tl.store(x_ptr, 1.0)")
}
