package conform

import (
	"fmt"
	"math"
	"math/big"
	"strings"
)

var _ = family(libraryCases)
var _ = family(hintCases)

func libraryCases(s *suite) {
	m := &module{name: "conform_library"}
	for _, dt := range []*dtype{i32, i64, u32, i16} {
		src := newSource("cdiv/" + dt.sig)
		x, y := src.between(dt, 0, 1000, 32), src.between(dt, 1, 30, 32)
		z := newArray(dt, 32)
		for i := range z.bits {
			n := new(big.Int).Add(x.dt.big(x.bits[i]), new(big.Int).Sub(y.dt.big(y.bits[i]), big.NewInt(1)))
			z.bits[i] = wrap(n.Quo(n, y.dt.big(y.bits[i])), dt)
		}
		m.add(s, kernel{name: "cdiv/" + dt.sig, in: []array{x, y},
			results: []string{"tl.cdiv(x, y)", "x.cdiv(y)"}, want: []array{z, z}})
	}
	m.raw(s, testCase{name: "cdiv/scalars", args: []arg{scalar(100), scalar(33),
		result(ofInts(i32, 4, 4, 4, 7))}}, "n, d, z_ptr", `
tl.store(z_ptr, tl.cdiv(n, d))
tl.store(z_ptr + 1, tl.cdiv(n, 32))
tl.store(z_ptr + 2, tl.cdiv(100, d))
C: tl.constexpr = triton.cdiv(100, 16)
tl.store(z_ptr + 3, C)
`)
	for _, dt := range []*dtype{f32, f64} {
		x := newSource("sigmoid/"+dt.sig).uniform(dt, -8, 8, 64)
		z := x.each(dt, func(b uint64) uint64 { return dt.bitsOf(1/(1+math.Exp(-dt.float(b))), nearest) })
		m.add(s, kernel{name: "sigmoid/" + dt.sig, in: []array{x},
			results: []string{"tl.sigmoid(x)", "x.sigmoid()"}, want: []array{z, z}, tol: ulps(3, 32)})
	}
	softmaxCases(s, m)
	want := newArray(i32, 2, 32)
	for i := range 32 {
		// Groups of 3 rows of an 8 by 4 matrix, each column by column.
		a, b := i/4, i%4
		flat := a*4 + b
		group := flat / 12
		rows := min(8-group*3, 3)
		want.setInt(i, int64(group*3+flat%12%rows))
		want.setInt(32+i, int64(flat%12/rows))
	}
	m.raw(s, testCase{name: "swizzle2d", args: []arg{result(want)}}, "z_ptr", `
t = tl.arange(0, 32)
i, j = tl.swizzle2d(t // 4, t % 4, 8, 4, 3)
tl.store(z_ptr + t, i)
tl.store(z_ptr + 32 + t, j)
`)
	m.raw(s, testCase{name: "swizzle2d/scalars", grid: [3]int{8, 4, 1},
		args: []arg{out(i32, 32, func() array {
			z := newArray(i32, 32)
			for i := range 32 {
				z.setInt(i, want.int(i)*4+want.int(32+i))
			}
			return z
		})}}, "z_ptr", `
a = tl.program_id(0)
b = tl.program_id(1)
i, j = tl.swizzle2d(a, b, 8, 4, 3)
tl.store(z_ptr + a * tl.num_programs(1) + b, i * 4 + j)
`)
	elementwiseMaps(s, m)
}

func softmaxCases(s *suite, m *module) {
	for _, c := range []struct {
		expr string
		axis int
	}{{"tl.softmax(x)", 0}, {"tl.softmax(x, ieee_rounding=True)", 0}, {"tl.softmax(x, 0)", 0},
		{"x.softmax()", 0}, {"tl.softmax(x, 1, keep_dims=True)", 1},
		{"tl.softmax(x, dim=0, keep_dims=True)", 0}} {
		x := newSource(c.expr).uniform(f32, -4, 4, 8, 16)
		z := newArray(f32, 8, 16)
		index(z.shape, func(flat int, at []int) {
			sum := 0.0
			for k := range x.shape[c.axis] {
				other := []int{at[0], at[1]}
				other[c.axis] = k
				sum += math.Exp(x.float(x.flat(other...)))
			}
			z.setFloat(flat, math.Exp(x.float(flat))/sum)
		})
		m.add(s, kernel{name: "softmax/" + identifier(c.expr), in: []array{x}, results: []string{c.expr},
			want: []array{z}, tol: ulps(8, 64)})
	}
}

// elementwiseMaps: map_elementwise calls a function of scalars for each element, or for several at a time.
func elementwiseMaps(s *suite, m *module) {
	m.define(`
@triton.jit
def compare(x, y):
    if x < y:
        return -1
    elif x == y:
        return 0
    else:
        return 1

@triton.jit
def divmod_(x, y):
    return x // y, x % y

@triton.jit
def swap(x0, x1):
    return x1, x0
`)
	x, y := newSource("map").between(i32, 0, 5, 64), newSource("map2").between(i32, 1, 5, 64)
	order, quotient, rest, swapped := newArray(i32, 64), newArray(i32, 64), newArray(i32, 64),
		newArray(i32, 64)
	for i := range 64 {
		order.setInt(i, int64(big.NewInt(x.int(i)).Cmp(big.NewInt(y.int(i)))))
		quotient.setInt(i, x.int(i)/y.int(i))
		rest.setInt(i, x.int(i)%y.int(i))
		swapped.setInt(i, x.int(i^1))
	}
	m.add(s, kernel{name: "map_elementwise/one", in: []array{x, y},
		results: []string{"tl.map_elementwise(compare, x, y)"}, want: []array{order}})
	m.add(s, kernel{name: "map_elementwise/two", in: []array{x, y},
		pre: "q, r = tl.map_elementwise(divmod_, x, y)", results: []string{"q", "r"},
		want: []array{quotient, rest}})
	m.add(s, kernel{name: "map_elementwise/pack", in: []array{x}, pre: "q = tl.map_elementwise(swap, " +
		"x, pack=2)", results: []string{"q[0]"}, want: []array{swapped},
		gpuless: "which elements are packed together is the layout's choice"})
	m.add(s, kernel{name: "map_elementwise/refused", in: []array{x},
		results: []string{"tl.map_elementwise(3, x)"}, want: []array{order}, refused: true})
}

// hintCases: what only informs the compiler, or the reader.
func hintCases(s *suite) {
	m := &module{name: "conform_hint"}
	x := count(i32, 32)
	for _, c := range []struct{ name, body string }{
		{"multiple_of", "o = tl.multiple_of(i, 4)"}, {"multiple_of/list", "o = tl.multiple_of(i, [4])"},
		{"multiple_of/scalar", "o = i + tl.multiple_of(n, 8)"},
		{"max_contiguous", "o = tl.max_contiguous(i, 32)"},
		{"max_contiguous/both", "o = tl.max_contiguous(tl.multiple_of(i, 32), 32)"},
		{"max_constancy", "o = tl.max_constancy(i, [1])"},
		{"assume", "tl.assume(n >= 0)\ntl.assume(n % 8 == 0)\no = i"},
		{"assume/static", "tl.assume(True)\no = i"}, {"debug_barrier", "tl.debug_barrier()\no = i"},
		{"device_assert", `tl.device_assert(n == 0, "n is zero")` + "\no = i"},
		{"device_assert/mask", `tl.device_assert(i < 16, "small", mask=i < 16)` + "\no = i"},
		{"assert", `assert n == 0, "n is zero"` + "\no = i"}, {"assert/block", "assert i < 32\no = i"},
		{"static_assert", `tl.static_assert(N == 32, f"N is {N}")` + "\no = i"},
		{"static_print", `tl.static_print("N", N, i.dtype, sep=" ")` + "\no = i"},
		{"gdc", "tl.extra.cuda.gdc_wait()\ntl.extra.cuda.gdc_launch_dependents()\no = i"},
	} {
		k := testCase{name: "hint/" + c.name, args: []arg{in(x), scalar(0), result(x), constant(32)}}
		k.compile = c.name == "gdc"
		m.raw(s, k, "x_ptr, n, z_ptr, N: tl.constexpr", "i = tl.arange(0, N)\n"+c.body+
			"\ntl.store(z_ptr + i, tl.load(x_ptr + o))")
	}
	for _, c := range []struct{ name, body string }{
		{"multiple_of", "tl.multiple_of(i, [4, 4])"}, {"multiple_of/dynamic", "tl.multiple_of(i, n)"},
		{"static_assert", `tl.static_assert(N == 16, "no")`},
		{"static_assert/dynamic", "tl.static_assert(n == 0)"},
		{"max_contiguous", "tl.max_contiguous(i, 1.5)"}, {"device_print", "tl.device_print(n)"},
		{"assume", "tl.assume(i < 4)"}, {"static_assert/none", "tl.static_assert()"},
	} {
		m.raw(s, testCase{name: "hint/refused/" + c.name, refused: true, args: []arg{in(x), scalar(0),
			result(x), constant(32)}}, "x_ptr, n, z_ptr, N: tl.constexpr", "i = tl.arange(0, N)\n"+c.body)
	}
	for _, c := range []struct{ name, body string }{
		{"device_print", `tl.device_print("x: ", i)`}, {"device_print/two", `tl.device_print("x", i, n)`},
		{"device_print/hex", `tl.device_print("x", i, hex=True)`}, {"device_print/text",
			`tl.device_print("here")`}, {"print", `print("x", i)`}, {"print/const", `print("N", N)`},
	} {
		m.raw(s, testCase{name: "hint/" + c.name, compile: true, args: []arg{in(x), scalar(0), result(x),
			constant(32)}}, "x_ptr, n, z_ptr, N: tl.constexpr", "i = tl.arange(0, N)\n"+c.body)
	}
	asmCases(s, m)
	gridCases(s, m)
}

// asmCases: inline assembly is kept for GPUs.
func asmCases(s *suite, m *module) {
	x := count(i32, 64)
	k := testCase{compile: true, args: []arg{in(x), in(x), result(x)}}
	for i, body := range []string{
		`z = tl.inline_asm_elementwise("shf.l.wrap.b32 $0, $1, $2, 7;", "=r,r,r", [x, y], ` +
			`dtype=tl.int32, is_pure=True, pack=1)`,
		`z = tl.inline_asm_elementwise(asm="add.s32 $0, $1, 3;", constraints="=r,r", args=[x], ` +
			`dtype=tl.int32, is_pure=False, pack=1)`,
		"z, w = tl.inline_asm_elementwise(\"\"\"\n{\n    add.s32 $0, $2, $3;\n    sub.s32 $1, $2, $3;\n}\n" +
			"\"\"\", \"=r,=r,r,r\", [x, y], dtype=(tl.int32, tl.int32), is_pure=True, pack=1)",
		`z = tl.inline_asm_elementwise("and.b32 $0, $1, 0x1F1F1F1F;", "=r,r", [x.to(tl.int8)], ` +
			`dtype=tl.int8, is_pure=True, pack=4).to(tl.int32)`,
		`z = tl.inline_asm_elementwise("mov.u32 $0, %smid;", "=r", [], dtype=tl.int32, is_pure=True, pack=1)`,
	} {
		k.name = fmt.Sprintf("asm/%d", i)
		store := "tl.store(z_ptr + i, z)"
		if i == 4 {
			store = "tl.store(z_ptr, z)"
		}
		m.raw(s, k, "x_ptr, y_ptr, z_ptr", "i = tl.arange(0, 64)\nx = tl.load(x_ptr + i)\ny = "+
			"tl.load(y_ptr + i)\n"+body+"\n"+store)
	}
	for i, body := range []string{
		`tl.inline_asm_elementwise("x", "=r,r", [x], dtype=tl.int32, is_pure=True)`,
		`tl.inline_asm_elementwise(x, "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)`,
		`tl.inline_asm_elementwise("x", "=r,r", [x, tl.arange(0, 32)], dtype=tl.int32, is_pure=True, pack=1)`,
	} {
		m.raw(s, testCase{name: fmt.Sprintf("asm/refused/%d", i), refused: true, args: k.args},
			"x_ptr, y_ptr, z_ptr", "x = tl.load(x_ptr + tl.arange(0, 64))\n"+body)
	}
	for _, f := range []string{"num_warps", "num_threads", "smid", "globaltimer"} {
		c := testCase{name: "cuda/" + f, compile: true, args: []arg{result(newArray(i64, 1))}}
		m.raw(s, c, "z_ptr", fmt.Sprintf("tl.store(z_ptr, tl.extra.cuda.%s())", f))
	}
	targetCases(s, m)
}

// targetCases: kernels ask what they are compiled for.
func targetCases(s *suite, m *module) {
	cuda := func(target string) bool { return strings.HasPrefix(target, "cuda") }
	never := func(string) bool { return false }
	for _, c := range []struct {
		expr string
		want func(target string) bool
	}{
		{"tl.target_info.is_cuda()", cuda}, {`tl.target_info.current_target().backend == "cuda"`, cuda},
		{"tl.target_info.is_hip()", func(target string) bool { return !cuda(target) }},
		{"tl.target_info.cuda_capability_geq(9)", cuda}, {"tl.target_info.cuda_capability_geq(10, 0)", never},
		{"tl.target_info.is_hip_cdna3()", func(target string) bool { return target == "hip:gfx942" }},
		{"tl.target_info.is_hip_cdna4()", never},
	} {
		want := func(target string) array { return ofInts(i32, int64(truth(c.want(target)))) }
		out := result(want("cuda:90"))
		out.wantOn = want
		m.raw(s, testCase{name: "target/" + identifier(c.expr), args: []arg{out}}, "z_ptr",
			"if "+c.expr+":\n    tl.store(z_ptr, 1)\nelse:\n    tl.store(z_ptr, 0)")
	}
}

// gridCases: programs know their place.
func gridCases(s *suite, m *module) {
	m.raw(s, testCase{name: "grid/3d", grid: [3]int{2, 3, 4}, args: []arg{result(count(i32, 24))}}, "z_ptr", `
i = tl.program_id(0) * tl.num_programs(1) + tl.program_id(axis=1)
i = i * tl.num_programs(axis=2) + tl.program_id(2)
tl.store(z_ptr + i, i)
`)
	m.raw(s, testCase{name: "grid/sizes", grid: [3]int{5, 2, 3}, args: []arg{result(ofInts(i32, 5, 2, 3))}},
		"z_ptr", `
tl.store(z_ptr, tl.num_programs(0))
tl.store(z_ptr + 1, tl.num_programs(1))
tl.store(z_ptr + 2, tl.num_programs(2))
`)
	for _, e := range []string{"tl.program_id(3)", "tl.program_id()", "tl.num_programs(-1)",
		"tl.program_id(1.5)", "tl.program_id(tl.program_id(0))"} {
		m.raw(s, testCase{name: "grid/refused/" + identifier(e), refused: true,
			args: []arg{result(count(i32, 1))}}, "z_ptr", "tl.store(z_ptr, "+e+")")
	}
}
