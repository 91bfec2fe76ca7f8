package conform

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

var _ = family(shapeCases)
var _ = family(sortCases)

// shaped is a kernel that moves elements about: one result, exact.
func shaped(name string, x array, expr string, want array) kernel {
	return kernel{name: name, in: []array{x}, results: []string{expr}, want: []array{want}}
}

func shapeCases(s *suite) {
	m := &module{name: "conform_shape"}
	for _, dt := range dtypes {
		src := newSource("shape/" + dt.sig)
		x := src.any(dt, 4, 8)
		m.add(s, shaped("reshape/"+dt.sig, x, "tl.reshape(x, (2, 16))", x.reshape(2, 16)))
		m.add(s, shaped("trans/"+dt.sig, x, "tl.trans(x)", x.permute(1, 0)))
		m.add(s, shaped("broadcast_to/"+dt.sig, x.reshape(4, 1, 8), "tl.broadcast_to(x, (4, 2, 8))",
			x.reshape(4, 1, 8).broadcast(4, 2, 8)))
		y := src.any(dt, 4, 8)
		joined := build(dt, []int{4, 8, 2}, func(at []int) uint64 {
			if at[2] == 0 {
				return x.bits[x.flat(at[:2]...)]
			}
			return y.bits[y.flat(at[:2]...)]
		})
		m.add(s, kernel{name: "join/" + dt.sig, in: []array{x, y}, results: []string{"tl.join(x, y)"},
			want: []array{joined}})
		m.add(s, kernel{name: "split/" + dt.sig, in: []array{joined}, pre: "a, b = tl.split(x)",
			results: []string{"a", "b"}, want: []array{x, y}})
		m.add(s, kernel{name: "interleave/" + dt.sig, in: []array{x, y},
			results: []string{"tl.interleave(x, y)"}, want: []array{joined.reshape(4, 16)}})
		m.add(s, kernel{name: "cat/" + dt.sig, in: []array{x.reshape(32), y.reshape(32)},
			results: []string{"tl.cat(x, y, can_reorder=True)"}, want: []array{concat(x, y)},
			gpuless: "GPUs may reorder"})
		index := src.between(i32, 0, 7, 4, 8)
		m.add(s, kernel{name: "gather/" + dt.sig, in: []array{x, index},
			results: []string{"tl.gather(x, y, 1)"},
			want: []array{build(dt, []int{4, 8}, func(at []int) uint64 {
				return x.bits[x.flat(at[0], int(index.int(index.flat(at...))))]
			})}})
		if dt != i1 {
			for dim := range 2 {
				k := shaped(fmt.Sprintf("flip/%s/%d", dt, dim), x, fmt.Sprintf("tl.flip(x, %d)", dim),
					build(dt, []int{4, 8}, func(at []int) uint64 {
						at = slices.Clone(at)
						at[dim] = x.shape[dim] - 1 - at[dim]
						return x.bits[x.flat(at...)]
					}))
				m.add(s, k)
			}
		}
	}
	reshapeForms(s, m)
	transposeForms(s, m)
	indexForms(s, m)
	combineForms(s, m)
	creationCases(s, m)
}

func reshapeForms(s *suite, m *module) {
	x := count(i32, 4, 8, 2)
	for _, c := range []struct {
		expr  string
		shape []int
	}{
		{"tl.reshape(x, 8, 8)", []int{8, 8}}, {"tl.reshape(x, [8, 8])", []int{8, 8}}, {"tl.reshape(x, (64,))",
			[]int{64}}, {"tl.reshape(x, 64)", []int{64}}, {"x.reshape(2, 32)", []int{2, 32}},
		{"x.reshape((2, 2, 16))", []int{2, 2, 16}}, {"tl.view(x, (16, 4))", []int{16, 4}},
		{"x.view(16, 4)", []int{16, 4}}, {"tl.ravel(x)", []int{64}}, {"x.ravel()", []int{64}},
		{"tl.reshape(x, x.shape)", []int{4, 8, 2}},
		{"tl.reshape(x, (2, 2, 2, 2, 2, 2))", []int{2, 2, 2, 2, 2, 2}}, {"tl.reshape(x, (1, 64, 1))",
			[]int{1, 64, 1}}, {"tl.reshape(x, x.shape[0] * 2, x.numel // 8)", []int{8, 8}},
		{"tl.expand_dims(x, 0)", []int{1, 4, 8, 2}}, {"tl.expand_dims(x, axis=2)", []int{4, 8, 1, 2}},
		{"tl.expand_dims(x, -1)", []int{4, 8, 2, 1}}, {"tl.expand_dims(x, (0, 2))", []int{1, 4, 1, 8, 2}},
		{"x.expand_dims(1)", []int{4, 1, 8, 2}}, {"tl.expand_dims(x, [0, -1])", []int{1, 4, 8, 2, 1}},
	} {
		m.add(s, shaped("reshape/forms/"+identifier(c.expr), x, c.expr, x.reshape(c.shape...)))
	}
	// With leave to reorder, only the set of elements is certain.
	for _, e := range []string{"tl.sort(tl.ravel(x, can_reorder=True))", "tl.sort(tl.reshape(x, (64,), " +
		"can_reorder=True))", "tl.sort(x.view(64))",
		"tl.sort(tl.cat(x.ravel(), x.ravel() + 64, can_reorder=True))"} {
		n := 64
		if strings.Contains(e, "cat") {
			n = 128
		}
		m.add(s, shaped("reshape/reorder/"+identifier(e), x, e, count(i32, n)))
	}
	for _, e := range []string{"tl.reshape(x, 7)", "tl.reshape(x, (3, 16))", "tl.reshape(x, (8, 4))",
		"tl.expand_dims(x, 5)", "tl.expand_dims(x, (0, 0))", "tl.view(x, (4,))", "x.reshape()"} {
		k := shaped("reshape/refused/"+identifier(e), x, e, newArray(i32, 64))
		k.refused = true
		m.add(s, k)
	}
}

func transposeForms(s *suite, m *module) {
	x, y := count(i32, 4, 8, 2), count(i32, 4, 8)
	for _, c := range []struct {
		expr string
		dims []int
	}{
		{"tl.permute(x, (2, 0, 1))", []int{2, 0, 1}}, {"tl.permute(x, 1, 0, 2)", []int{1, 0, 2}},
		{"tl.trans(x, (0, 2, 1))", []int{0, 2, 1}}, {"tl.trans(x, 2, 1, 0)", []int{2, 1, 0}},
		{"x.permute(1, 2, 0)", []int{1, 2, 0}}, {"x.trans(0, 2, 1)", []int{0, 2, 1}},
		{"tl.permute(x, [0, 1, 2])", []int{0, 1, 2}}, {"tl.trans(x)", []int{0, 2, 1}},
	} {
		m.add(s, shaped("permute/"+identifier(c.expr), x, c.expr, x.permute(c.dims...)))
	}
	for _, e := range []string{"y.T", "y.trans()", "tl.trans(y, 1, 0)", "tl.permute(y, (1, 0))"} {
		m.add(s, kernel{name: "permute/2d/" + identifier(e), in: []array{x, y}, results: []string{e},
			want: []array{y.permute(1, 0)}})
	}
	for _, e := range []string{"tl.permute(x, (0, 1))", "tl.permute(x, (0, 0, 1))", "tl.trans(x, 0, 1)",
		"tl.permute(x, (0, 1, 3))"} {
		m.add(s, kernel{name: "permute/refused/" + identifier(e), in: []array{x, y}, results: []string{e},
			want: []array{newArray(i32, 64)}, refused: true})
	}
}

// indexForms: subscripts that add dimensions, and the broadcasting that follows.
func indexForms(s *suite, m *module) {
	x, y := count(i32, 8), count(i32, 4)
	for _, c := range []struct {
		expr  string
		shape []int
	}{
		{"x[:, None]", []int{8, 1}}, {"x[None, :]", []int{1, 8}}, {"x[None, :, None]", []int{1, 8, 1}},
		{"x[:, None, None]", []int{8, 1, 1}}, {"x[None, None, :]", []int{1, 1, 8}}, {"x[:]", []int{8}},
		{"x[None]", []int{1, 8}}, {"x[None, None]", []int{1, 1, 8}}, {"x[:, :]", []int{8}},
		{"x[:, None][:, :, None]", []int{8, 1, 1}}, {"x[None, :][:, None, :]", []int{1, 1, 8}},
	} {
		m.add(s, shaped(fmt.Sprintf("index/%s/%d", identifier(c.expr), len(c.shape)), x, c.expr,
			x.reshape(c.shape...)))
	}
	sums := func(at []int) uint64 { return uint64(at[0] + at[1]) }
	m.add(s, kernel{name: "index/outer", in: []array{x, y}, results: []string{"x[:, None] + y[None, :]"},
		want: []array{build(i32, []int{8, 4}, sums)}})
	m.add(s, kernel{name: "index/inner", in: []array{x, y}, results: []string{"x[None, :] + y[:, None]"},
		want: []array{build(i32, []int{4, 8}, sums)}})
	m.add(s, kernel{name: "index/cube", in: []array{x, y}, results: []string{"x[:, None, None] * 100 + " +
		"y[None, :, None] * 10 + tl.arange(0, 2)[None, None, :]"},
		want: []array{build(i32, []int{8, 4, 2}, func(at []int) uint64 {
			return uint64(at[0]*100 + at[1]*10 + at[2])
		})}})
	m.add(s, kernel{name: "index/compare", in: []array{x, y}, results: []string{"x[:, None] > y[None, :]"},
		want: []array{build(i1, []int{8, 4}, func(at []int) uint64 {
			return truth(at[0] > at[1])
		})}})
	m.add(s, kernel{name: "broadcast/two", in: []array{x.reshape(8, 1), y.reshape(1, 4)},
		pre: "a, b = tl.broadcast(x, y)", results: []string{"a", "b"},
		want: []array{x.reshape(8, 1).broadcast(8, 4), y.reshape(1, 4).broadcast(8, 4)}})
	m.add(s, kernel{name: "broadcast/scalar", in: []array{x, y.reshape(4)},
		results: []string{"tl.broadcast_to(tl.load(y_ptr + 3), 4, 2)"}, want: []array{
			build(i32, []int{4, 2}, func([]int) uint64 { return 3 })}})
	for _, e := range []string{"tl.broadcast_to(x, (8, 4))", "tl.broadcast_to(x, 4, 8)",
		"x[None, :].broadcast_to(4, 8)", "x[None, :].broadcast_to([4, 8])"} {
		k := shaped("broadcast/forms/"+identifier(e), x, e, x.broadcast(4, 8))
		k.refused = e == "tl.broadcast_to(x, (8, 4))" || e == "tl.broadcast_to(x, 4, 8)"
		m.add(s, k)
	}
	for _, e := range []string{"x[0]", "x[1:3]", "x[:, 0]", "x[...]", "tl.broadcast_to(7, (4, 2))", "x + y",
		"x[y]", `x["a"]`} {
		m.add(s, kernel{name: "index/refused/" + identifier(e) + fmt.Sprint(len(e)), in: []array{x, y},
			results: []string{e}, want: []array{newArray(i32, 8)}, refused: true})
	}
}

func combineForms(s *suite, m *module) {
	x, y := count(f32, 8), count(f32, 8)
	both := build(f32, []int{8, 2}, func(at []int) uint64 { return x.bits[at[0]] })
	m.add(s, kernel{name: "join/1d", in: []array{x, y}, results: []string{"tl.join(x, y)"},
		want: []array{both}})
	m.add(s, kernel{name: "join/scalars", in: []array{x.reshape(8), y},
		results: []string{"tl.join(tl.load(x_ptr), tl.load(x_ptr + 3))"}, want: []array{ofFloats(f32, 0, 3)}})
	m.add(s, kernel{name: "join/promotes", in: []array{x, count(i32, 8)}, results: []string{"tl.join(x, " +
		"y.to(tl.float32))"}, want: []array{both}})
	m.add(s, kernel{name: "split/method", in: []array{both}, pre: "a, b = x.split()", results: []string{"a"},
		want: []array{x}})
	m.add(s, kernel{name: "split/pair", in: []array{x.reshape(2, 4).permute(1, 0)}, pre: "a, b = tl.split(x)",
		results: []string{"a", "b"}, want: []array{ofFloats(f32, 0, 1, 2, 3), ofFloats(f32, 4, 5, 6, 7)}})
	m.add(s, kernel{name: "split/scalars", in: []array{ofFloats(f32, 5, 7)}, pre: "a, b = tl.split(x)",
		results: []string{"a", "b"}, want: []array{ofFloats(f32, 5).reshape(), ofFloats(f32, 7).reshape()}})
	m.add(s, kernel{name: "interleave/1d", in: []array{x, y}, results: []string{"tl.interleave(x, y)"},
		want: []array{both.reshape(16)}})
	m.add(s, kernel{name: "interleave/scalars", in: []array{x},
		results: []string{"tl.interleave(tl.load(x_ptr + 1), tl.load(x_ptr + 2))"},
		want:    []array{ofFloats(f32, 1, 2)}})
	m.add(s, kernel{name: "flip/default", in: []array{x.reshape(2, 4)},
		results: []string{"tl.flip(x)", "x.flip()"},
		want: []array{ofFloats(f32, 3, 2, 1, 0, 7, 6, 5, 4).reshape(2, 4),
			ofFloats(f32, 3, 2, 1, 0, 7, 6, 5, 4).reshape(2, 4)},
		beyond: "its default is no dimension, on which Triton's own test of the dimension fails"})
	m.add(s, kernel{name: "flip/last", in: []array{x.reshape(2, 4)},
		results: []string{"tl.flip(x, -1)", "x.flip(dim=1)"},
		want: []array{ofFloats(f32, 3, 2, 1, 0, 7, 6, 5, 4).reshape(2, 4),
			ofFloats(f32, 3, 2, 1, 0, 7, 6, 5, 4).reshape(2, 4)}})
	index := ofInts(i32, 1, 0, 1, 1, 0, 0, 1, 0).reshape(2, 4)
	z := count(f32, 2, 4)
	for _, e := range []string{"tl.gather(x, y, 0)", "tl.gather(x, y, axis=0)", "x.gather(y, 0)",
		"tl.gather(src=x, index=y, axis=-2)"} {
		m.add(s, kernel{name: "gather/forms/" + identifier(e), in: []array{z, index}, results: []string{e},
			want: []array{build(f32, []int{2, 4}, func(at []int) uint64 {
				return z.bits[z.flat(int(index.int(index.flat(at...))), at[1])]
			})}})
	}
	long := ofInts(i64, 7, 7, 0, 3, 1, 2, 6, 5, 4, 3, 2, 1, 0, 7, 0, 1)
	m.add(s, kernel{name: "gather/longer", in: []array{x, long}, results: []string{"tl.gather(x, y, 0)"},
		want: []array{build(f32, []int{16}, func(at []int) uint64 {
			return x.bits[long.bits[at[0]]]
		})}})
	for _, dt := range []*dtype{i8, i16, i32, i64, u8, u32} {
		h := newSource("histogram/"+dt.sig).between(dt, 0, 15, 64)
		counts := newArray(i32, 16)
		masked := newArray(i32, 16)
		for i, b := range h.bits {
			counts.bits[b]++
			if i < 40 {
				masked.bits[b]++
			}
		}
		m.add(s, kernel{name: "histogram/" + dt.sig, in: []array{h}, results: []string{"tl.histogram(x, 16)"},
			want: []array{counts}})
		if dt == i32 {
			m.add(s, kernel{name: "histogram/mask", in: []array{h}, results: []string{"tl.histogram(x, " +
				"16, mask=tl.arange(0, 64) < 40)", "x.histogram(16)"}, want: []array{masked, counts}})
		}
	}
	for _, e := range []string{"tl.join(x, y.reshape(2, 4))", "tl.split(x)", "tl.cat(x, y)",
		"tl.cat(x, y, can_reorder=False)", "tl.gather(x, x, 0)", "tl.gather(x, y.to(tl.int32), 2)",
		"tl.histogram(x, 16)", "tl.flip(x, 3)"} {
		m.add(s, kernel{name: "combine/refused/" + identifier(e), in: []array{x, y}, results: []string{e},
			want: []array{newArray(f32, 8)}, refused: true})
	}
}

func creationCases(s *suite, m *module) {
	for _, c := range []struct {
		expr string
		want array
	}{
		{"tl.arange(0, 16)", count(i32, 16)}, {"tl.arange(8, 16)", ofInts(i32, 8, 9, 10, 11, 12, 13, 14, 15)},
		{"tl.arange(start=0, end=4)", count(i32, 4)}, {"tl.arange(0, 1)", count(i32, 1)},
	} {
		m.add(s, kernel{name: "arange/" + identifier(c.expr), results: []string{c.expr},
			want: []array{c.want}})
	}
	for _, e := range []string{"tl.arange(-8, 8)", "tl.arange(0, 3)", "tl.arange(4, 4)", "tl.arange(8, 4)",
		"tl.arange(0, 2097152)", "tl.arange(0, 4.0)", "tl.arange(0, tl.program_id(0))", "tl.arange(4)",
		"tl.full((3,), 0, tl.int32)", "tl.zeros((2, 5), tl.int32)", "tl.full((2,), 0)",
		"tl.full((2,), None, tl.int32)", `tl.full((2,), 0, "int32")`, "tl.zeros(4)"} {
		m.add(s, kernel{name: "create/refused/" + identifier(e), results: []string{e},
			want: []array{newArray(i32, 4)}, refused: true})
	}
	for _, dt := range dtypes {
		zero := newArray(dt, 2, 4)
		m.add(s, kernel{name: "zeros/" + dt.sig, in: []array{newArray(dt, 2, 4)},
			results: []string{"tl.zeros((2, 4), tl." + dt.name + ")", "tl.zeros([2, 4], dtype=x.dtype)",
				"tl.zeros_like(x)"}, want: []array{zero, zero, zero}})
		for _, v := range []any{1, 2.5, true, -3} {
			name := fmt.Sprintf("full/%s/%s", dt, identifier(literal(v)))
			var bits uint64
			n, ok := bigOf(v)
			switch {
			case dt.isFloat():
				bits = bitsOfConst(v, dt)
			case dt == i1:
				bits = 1
			case ok:
				bits = wrap(n, dt)
			default:
				bits = 2
			}
			k := kernel{name: name, results: []string{fmt.Sprintf("tl.full((2, 4), %s, tl.%s)", literal(v),
				dt.name), fmt.Sprintf("tl.full(shape=[2, 4], value=%s, dtype=tl.%s)", literal(v), dt.name)}}
			want := build(dt, []int{2, 4}, func([]int) uint64 { return bits })
			k.want = []array{want, want}
			k.refused = dt.isFP8() || dt.isInt() && dt != i1 && (!ok || n.Cmp(dt.lowest()) < 0)
			m.add(s, k)
		}
	}
	x := ofFloats(f32, 3).reshape()
	m.add(s, kernel{name: "full/runtime", in: []array{x},
		results: []string{"tl.full((4,), x, tl.float16)", "tl.full((2, 2), tl.program_id(0) + 5, tl.int64)"},
		want:    []array{ofFloats(f16, 3, 3, 3, 3), ofInts(i64, 5, 5, 5, 5).reshape(2, 2)}})
}

// ordered sorts numbers of a type.
func ordered(dt *dtype, line []uint64, descending bool) {
	sort.SliceStable(line, func(i, j int) bool {
		a, b := line[i], line[j]
		if descending {
			a, b = b, a
		}
		if dt.isFloat() {
			return dt.float(a) < dt.float(b)
		}
		return dt.big(a).Cmp(dt.big(b)) < 0
	})
}

// sortedLines sorts along the last dimension and keeps the first k.
func sortedLines(x array, descending bool, k int) array {
	n := x.shape[len(x.shape)-1]
	z := newArray(x.dt, append(slices.Clone(x.shape[:len(x.shape)-1]), k)...)
	for i := 0; i*n < x.len(); i++ {
		line := slices.Clone(x.bits[i*n : (i+1)*n])
		ordered(x.dt, line, descending)
		copy(z.bits[i*k:(i+1)*k], line)
	}
	return z
}

func sortCases(s *suite) {
	m := &module{name: "conform_sort"}
	for _, dt := range standard {
		if dt == i1 || dt.bits == 8 && dt.isFloat() {
			continue
		}
		x := newSource("sort/"+dt.sig).distinct(dt, 4, 16)
		m.add(s, shaped("sort/"+dt.sig, x, "tl.sort(x)", sortedLines(x, false, 16)))
		top := shaped("topk/"+dt.sig, x, "tl.topk(x, 4)", sortedLines(x, true, 4))
		// Its maxima are taken in 32 bits.
		if in := maxType(dt); in != dt {
			top.want = []array{converted(top.want[0], in)}
		}
		m.add(s, top)
	}
	x := newSource("sort").any(f32, 8, 8)
	x = x.each(f32, func(b uint64) uint64 {
		if f := f32.float(b); f != f || f == 0 {
			return f32.bitsOf(42, nearest)
		}
		return b
	})
	v := x.reshape(64)
	for _, c := range []struct {
		expr string
		want array
	}{
		{"tl.sort(x, descending=True)", sortedLines(x, true, 8)},
		{"tl.sort(x, dim=1)", sortedLines(x, false, 8)}, {"tl.sort(x, 1, True)", sortedLines(x, true, 8)},
		{"tl.sort(x.reshape(64))", sortedLines(v, false, 64)},
		{"tl.sort(x.reshape(64), descending=1)", sortedLines(v, true, 64)},
		{"tl.sort(x.reshape(2, 4, 8))", sortedLines(x.reshape(2, 4, 8), false, 8)},
		{"tl.sort(x.reshape(64, 1))", x.reshape(64, 1)},
		{"tl.sort(x, descending=False)", sortedLines(x, false, 8)},
		{"tl.topk(x, 2)", sortedLines(x, true, 2)}, {"tl.topk(x, 8)", sortedLines(x, true, 8)},
		{"tl.topk(x, 1)", sortedLines(x, true, 1)},
		{"tl.topk(x.reshape(64), k=16)", sortedLines(v, true, 16)},
		{"tl.topk(x, 4, dim=1)", sortedLines(x, true, 4)},
		{"tl.bitonic_merge(tl.sort(x))", sortedLines(x, false, 8)},
		{"tl.bitonic_merge(tl.sort(x), descending=True)", sortedLines(x, true, 8)},
	} {
		m.add(s, shaped("sort/forms/"+identifier(c.expr), x, c.expr, c.want))
	}
	for _, e := range []string{"tl.sort(x, dim=0)", "tl.topk(x)", "tl.sort(x, reverse=True)",
		"tl.topk(x, 4, dim=0)"} {
		k := shaped("sort/refused/"+identifier(e), x, e, newArray(f32, 8, 8))
		k.refused = true
		m.add(s, k)
	}
}
