package conform

import (
	"fmt"
	"math"
)

var _ = family(dotCases)

// matmul is c + a b, in float64 or in integers, rounded once. The last two dimensions are the matrices'.
func matmul(a, b array, acc *array, out *dtype) array {
	n := len(a.shape)
	rows, inner, cols := a.shape[n-2], a.shape[n-1], b.shape[n-1]
	shape := append(append([]int{}, a.shape[:n-1]...), cols)
	z := newArray(out, shape...)
	for i := range z.bits {
		batch, row, col := i/(rows*cols), i/cols%rows, i%cols
		sum, whole := 0.0, int64(0)
		for k := range inner {
			x, y := (batch*rows+row)*inner+k, (batch*inner+k)*cols+col
			sum += a.float(x) * b.float(y)
			whole += a.int(x) * b.int(y)
		}
		switch {
		case out.isInt() && acc != nil:
			z.setInt(i, whole+acc.int(i))
		case out.isInt():
			z.setInt(i, whole)
		case acc != nil:
			z.setFloat(i, sum+acc.float(i))
		default:
			z.setFloat(i, sum)
		}
	}
	return z
}

func dotCases(s *suite) {
	m := &module{name: "conform_dot"}
	for _, pair := range [][2]*dtype{{f16, f16}, {bf16, bf16}, {f32, f32}, {f64, f64}, {i8, i8}, {e4m3, e4m3},
		{e5m2, e5m2}, {e4m3, e5m2}, {e5m2, e4m3}} {
		for _, shape := range [][]int{{16, 16, 32}, {16, 32, 64}, {32, 16, 32}, {64, 64, 32}, {8, 8, 32},
			{1, 16, 32}, {16, 2, 32}, {4, 16, 16, 32}, {2, 32, 16, 32}, {2, 2, 16, 16, 32}} {
			s.dots(m, pair[0], pair[1], shape)
		}
	}
	for _, pair := range [][2]*dtype{{f16, bf16}, {f16, f32}, {u8, u8}, {i32, i32}, {i16, i16}, {i8, u8},
		{f32, f64}, {i1, i1}, {f16, e5m2}} {
		name := fmt.Sprintf("dot/refused/%s-%s", pair[0], pair[1])
		m.add(s, kernel{name: name, in: []array{newArray(pair[0], 16, 32), newArray(pair[1], 32, 16)},
			results: []string{"tl.dot(x, y)"}, want: []array{newArray(f32, 16, 16)}, refused: true})
	}
	for _, c := range []struct {
		name, expr string
		x, y       []int
	}{
		{"inner", "tl.dot(x, y)", []int{16, 32}, []int{16, 16}}, {"rank", "tl.dot(x, y)", []int{16, 32},
			[]int{32}}, {"small", "tl.dot(x, y)", []int{16, 8}, []int{8, 16}},
		{"batch", "tl.dot(x, y)", []int{2, 16, 32}, []int{4, 32, 16}},
		{"acc", "tl.dot(x, y, tl.zeros((16, 32), tl.float32))", []int{16, 32}, []int{32, 16}},
		{"acc type", "tl.dot(x, y, tl.zeros((16, 16), tl.float16))", []int{16, 32}, []int{32, 16}},
		{"bf16", "tl.dot(x, y, out_dtype=tl.bfloat16)", []int{16, 32}, []int{32, 16}},
		{"precision", `tl.dot(x, y, input_precision="half")`, []int{16, 32}, []int{32, 16}},
		{"both", `tl.dot(x, y, input_precision="ieee", allow_tf32=True)`, []int{16, 32}, []int{32, 16}},
		{"number", "tl.dot(x, 2.0)", []int{16, 32}, []int{32, 16}},
		{"trans_b", "tl.dot(x, y, trans_b=True)", []int{16, 32}, []int{32, 16}},
	} {
		m.add(s, kernel{name: "dot/refused/" + c.name,
			in: []array{newArray(f16, c.x...), newArray(f16, c.y...)}, results: []string{c.expr},
			want: []array{newArray(f32, 16, 16)}, refused: true})
	}
	dotForms(s, m)
	precisionCases(s, m)
	scaledCases(s, m)
}

// dots are products of small whole numbers, which every device gets exactly.
func (s *suite) dots(m *module, a, b *dtype, shape []int) {
	n := len(shape) - 3
	batch, rows, cols, inner := shape[:n], shape[n], shape[n+1], shape[n+2]
	out := f32
	switch a {
	case i8:
		out = i32
	case f64:
		out = f64
	}
	name := fmt.Sprintf("dot/%s-%s/%s", a, b, identifier(fmt.Sprint(shape)))
	src := newSource(name)
	x := src.between(a, -2, 2, append(append([]int{}, batch...), rows, inner)...)
	y := src.between(b, -2, 2, append(append([]int{}, batch...), inner, cols)...)
	accShape := append(append([]int{}, batch...), rows, cols)
	w := src.small(out, accShape...)
	expr := "tl.dot(x, y)"
	accExpr := "tl.dot(x, y, acc=w)"
	if out != f32 {
		expr, accExpr = fmt.Sprintf("tl.dot(x, y, out_dtype=tl.%s)", out.name),
			fmt.Sprintf("tl.dot(x, y, acc=w, out_dtype=tl.%s)", out.name)
	}
	k := kernel{name: name, in: []array{x, y}, results: []string{expr}, want: []array{matmul(x, y, nil, out)}}
	m.add(s, k)
	if len(shape) > 3 && n > 1 || rows > 32 {
		return
	}
	m.add(s, kernel{name: name + "/acc", in: []array{x, y, w}, results: []string{accExpr},
		want: []array{matmul(x, y, &w, out)}})
	if out == f32 && a != bf16 && a != f32 {
		h := src.small(f16, accShape...)
		m.add(s, kernel{name: name + "/fp16", in: []array{x, y}, results: []string{"tl.dot(x, y, " +
			"out_dtype=tl.float16)"}, want: []array{matmul(x, y, nil, f16)}})
		m.add(s, kernel{name: name + "/fp16-acc", in: []array{x, y, h}, results: []string{"tl.dot(x, y, " +
			"w, out_dtype=tl.float16)"}, want: []array{matmul(x, y, &h, f16)}})
	}
}

func dotForms(s *suite, m *module) {
	src := newSource("dot/forms")
	x, y, w := src.between(f16, -2, 2, 16, 32), src.between(f16, -2, 2, 16, 32), src.small(f32, 16, 16)
	t := y.permute(1, 0)
	for _, c := range []struct{ name, expr string }{
		{"trans", "tl.dot(x, tl.trans(y))"}, {"T", "tl.dot(x, y.T)"}, {"method", "tl.dot(x, y.trans())"},
		{"permute", "tl.dot(x, tl.permute(y, (1, 0)))"}, {"allow_tf32", "tl.dot(x, y.T, allow_tf32=False)"},
		{"imprecise", "tl.dot(x, y.T, max_num_imprecise_acc=16)"},
		{"keywords", "tl.dot(input=x, other=y.T, acc=None)"},
	} {
		m.add(s, kernel{name: "dot/forms/" + c.name, in: []array{x, y}, results: []string{c.expr},
			want: []array{matmul(x, t, nil, f32)}})
	}
	m.add(s, kernel{name: "dot/forms/plus", in: []array{x, y, w}, pre: "w += tl.dot(x, y.T)",
		results: []string{"w"}, want: []array{matmul(x, t, &w, f32)}})
	m.add(s, kernel{name: "dot/forms/positional", in: []array{x, y, w},
		results: []string{"tl.dot(x, y.T, w)"}, want: []array{matmul(x, t, &w, f32)}})
	f8, g8 := src.between(e4m3, -2, 2, 16, 64), src.between(e4m3, -2, 2, 64, 16)
	for _, n := range []int{0, 32, 64} {
		m.add(s, kernel{name: fmt.Sprintf("dot/imprecise/%d", n), in: []array{f8, g8},
			results: []string{fmt.Sprintf("tl.dot(x, y, max_num_imprecise_acc=%d)", n)},
			want:    []array{matmul(f8, g8, nil, f32)}})
	}
	m.add(s, kernel{name: "dot/refused/imprecise", in: []array{f8, g8}, results: []string{"tl.dot(x, y, " +
		"max_num_imprecise_acc=128)"}, want: []array{newArray(f32, 16, 16)}, refused: true})
	a, b := src.between(f16, -2, 2, 40, 70), src.between(f16, -2, 2, 70, 30)
	m.raw(s, testCase{name: "dot/loop", grid: [3]int{2, 2, 1},
		args: []arg{in(a), in(b), out(f32, 40*30, func() array {
			return matmul(a, b, nil, f32)
		}), scalar(40), scalar(30), scalar(70)}},
		"a_ptr, b_ptr, c_ptr, M, N, K", `
pid_m = tl.program_id(0)
pid_n = tl.program_id(1)
offs_m = pid_m * 32 + tl.arange(0, 32)
offs_n = pid_n * 16 + tl.arange(0, 16)
offs_k = tl.arange(0, 32)
a_ptrs = a_ptr + offs_m[:, None] * K + offs_k[None, :]
b_ptrs = b_ptr + offs_k[:, None] * N + offs_n[None, :]
acc = tl.zeros((32, 16), dtype=tl.float32)
for k in range(0, tl.cdiv(K, 32)):
    mask = offs_k + k * 32 < K
    a = tl.load(a_ptrs, mask=(offs_m[:, None] < M) & mask[None, :], other=0.0)
    b = tl.load(b_ptrs, mask=mask[:, None] & (offs_n[None, :] < N), other=0.0)
    acc = tl.dot(a, b, acc)
    a_ptrs += 32
    b_ptrs += 32 * N
c_ptrs = c_ptr + offs_m[:, None] * N + offs_n[None, :]
tl.store(c_ptrs, acc, mask=(offs_m[:, None] < M) & (offs_n[None, :] < N))
`)
}

// tf32 is a float without the bits that the tensor cores do not look at.
func tf32(x float64) float64 {
	return float64(math.Float32frombits(math.Float32bits(float32(x)) &^ 0x1fff))
}

func precisionCases(s *suite, m *module) {
	src := newSource("dot/precision")
	x, y := src.uniform(f32, -1, 1, 32, 64), src.uniform(f32, -1, 1, 64, 32)
	cut := func(a array) array {
		return a.each(f32, func(b uint64) uint64 { return f32.bitsOf(tf32(f32.float(b)), nearest) })
	}
	for _, c := range []struct {
		name, option string
		tf32         bool
		abs          float64
	}{
		{"default", "", true, 0.05}, {"tf32", `, input_precision="tf32"`, true, 0.05},
		{"ieee", `, input_precision="ieee"`, false, 1e-5},
		{"tf32x3", `, input_precision="tf32x3"`, false, 1e-4},
		{"bf16x3", `, input_precision="bf16x3"`, false, 1e-3}, {"bf16x6", `, input_precision="bf16x6"`, false,
			1e-4}, {"allow", ", allow_tf32=True", true, 0.05}, {"forbid", ", allow_tf32=False", false, 1e-5},
	} {
		a, b := x, y
		if c.tf32 {
			a, b = cut(x), cut(y)
		}
		m.add(s, kernel{name: "dot/precision/" + c.name, in: []array{x, y}, results: []string{"tl.dot(x, y" +
			c.option + ")"}, want: []array{matmul(a, b, nil, f32)}, tol: tolerance{ulps: 1, abs: c.abs}})
	}
}

// e2m1 are the values of the four-bit format.
var e2m1 = []float64{0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6}

// scaledCases: dot_scaled in all its formats. Scales are powers of two, so everything is exact.
func scaledCases(s *suite, m *module) {
	const rows, cols, inner = 32, 16, 64
	formats := []string{"e4m3", "e5m2", "e2m1", "bf16", "fp16"}
	for _, l := range formats {
		for _, r := range formats {
			for _, scales := range []string{"both", "left", "right", "none"} {
				if scales != "both" && l != r && !(l == "e2m1" && r == "bf16") {
					continue
				}
				s.scaled(m, l, r, scales, rows, cols, inner)
			}
		}
	}
	x, sx := newArray(e4m3, 32, 64), newArray(u8, 32, 2)
	y, sy := newArray(e4m3, 64, 16), newArray(u8, 16, 2)
	for _, c := range []struct{ name, expr string }{
		{"format", `tl.dot_scaled(x, w, "e3m4", y, v, "e4m3")`},
		{"out", `tl.dot_scaled(x, w, "e4m3", y, v, "e4m3", out_dtype=tl.float16)`},
		{"scale", `tl.dot_scaled(x, v, "e4m3", y, v, "e4m3")`},
		{"type", `tl.dot_scaled(x, w, "bf16", y, v, "e4m3")`},
		{"pack", `tl.dot_scaled(x, w, "e4m3", y, v, "e4m3", lhs_k_pack=False)`},
		{"shape", `tl.dot_scaled(x, w, "e4m3", x, w, "e4m3")`},
	} {
		m.add(s, kernel{name: "dot_scaled/refused/" + c.name, in: []array{x, y, sx, sy},
			results: []string{c.expr}, want: []array{newArray(f32, 32, 16)}, refused: true})
	}
}

// scaledOperand is bits in a format, and the numbers they stand for, lines by k. Packed formats have two
// numbers in a byte along k.
func scaledOperand(src source, format string, lines, k int) (raw array, values [][]float64) {
	values = make([][]float64, lines)
	dt := map[string]*dtype{"e4m3": e4m3, "e5m2": e5m2, "bf16": bf16, "fp16": f16, "e2m1": u8}[format]
	if format == "e2m1" {
		raw = src.any(u8, lines, k/2)
	} else {
		raw = src.between(dt, -2, 2, lines, k)
	}
	for l := range lines {
		for i := range k {
			if format == "e2m1" {
				values[l] = append(values[l], e2m1[raw.bits[raw.flat(l, i/2)]>>(4*(i%2))&15])
			} else {
				values[l] = append(values[l], raw.float(raw.flat(l, i)))
			}
		}
	}
	return raw, values
}

// scale multiplies groups of 32 by powers of two near one.
func scale(src source, values [][]float64) array {
	groups := len(values[0]) / 32
	a := src.between(u8, 126, 129, len(values), groups)
	for l, line := range values {
		for i := range line {
			line[i] *= math.Pow(2, float64(a.int(a.flat(l, i/32)))-127)
		}
	}
	return a
}

func (s *suite) scaled(m *module, l, r, scales string, rows, cols, inner int) {
	name := fmt.Sprintf("dot_scaled/%s-%s/%s", l, r, scales)
	src := newSource(name)
	x, a := scaledOperand(src, l, rows, inner)
	yt, b := scaledOperand(src, r, cols, inner)
	y := yt.permute(1, 0)
	k := kernel{name: name, in: []array{x, y}}
	left, right := "None", "None"
	if scales == "both" || scales == "left" {
		k.in = append(k.in, scale(src, a))
		left = inputNames[len(k.in)-1]
	}
	if scales == "both" || scales == "right" {
		k.in = append(k.in, scale(src, b))
		right = inputNames[len(k.in)-1]
	}
	z := newArray(f32, rows, cols)
	for i := range z.bits {
		sum := 0.0
		for j := range inner {
			sum += a[i/cols][j] * b[i%cols][j]
		}
		z.setFloat(i, sum)
	}
	k.results, k.want = []string{fmt.Sprintf("tl.dot_scaled(x, %s, %q, y, %s, %q)", left, l, right, r)},
		[]array{z}
	m.add(s, k)
	if scales != "both" || l != r {
		return
	}
	w := src.small(f32, rows, cols)
	sum := newArray(f32, rows, cols)
	for i := range sum.bits {
		sum.setFloat(i, z.float(i)+w.float(i))
	}
	k.name, k.in, k.want = name+"/acc", append(k.in[:4:4], w), []array{sum}
	for i, o := range []string{"acc=u", "acc=u, fast_math=True", "u, out_dtype=tl.float32"} {
		k.name = fmt.Sprintf("%s/acc%d", name, i)
		k.results = []string{fmt.Sprintf("tl.dot_scaled(x, w, %q, y, v, %q, %s)", l, r, o)}
		m.add(s, k)
	}
}
