package ops_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/ops"
)

// TestLayout: copies, casts, and the ops that make or join tensors.
func TestLayout(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		x := made(t, s, nereid.Float32, func(i int) float64 { return float64(i) }, 2, 3)
		near(t, "Copy", ops.Copy(s, x.Transpose(0, 1)), []float64{0, 3, 1, 4, 2, 5}, 0)
		near(t, "Cast", ops.Cast(s, ops.Mul(s, x, -0.7), nereid.Int8), []float64{0, 0, -1, -2, -2, -3}, 0)
		near(t, "Cast to bool", ops.Cast(s, x, nereid.Bool), []float64{0, 1, 1, 1, 1, 1}, 0)
		near(t, "Fill", ops.Fill(s, 2.5, nereid.Float16, 2, 2), []float64{2.5, 2.5, 2.5, 2.5}, 0)
		near(t, "Fill of a scalar", ops.Fill(s, 7, nereid.Int64), []float64{7}, 0)
		near(t, "Iota", ops.Iota(s, 3, -2, nereid.Int32, 4), []float64{3, 1, -1, -3}, 0)
		near(t, "Iota of floats", ops.Iota(s, 0.5, 0.25, nereid.Float32, 3), []float64{.5, .75, 1}, 0)
		near(t, "Iota of long integers", ops.Iota(s, 1<<40, 1<<33, nereid.Int64, 3),
			[]float64{1 << 40, 1<<40 + 1<<33, 1<<40 + 1<<34}, 0)
		near(t, "Iota of fp64", ops.Iota(s, 1, 0.1, nereid.Float64, 3), []float64{1, 1.1, 1.2}, 1e-15)
		near(t, "Concat", ops.Concat(s, 1, x, x.Slice(1, 0, 1, 1)), []float64{0, 1, 2, 0, 3, 4, 5, 3}, 0)
		near(t, "Concat of rows", ops.Concat(s, 0, x, ops.Cast(s, x, nereid.Int32)),
			[]float64{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}, 0)
		joined := s.New(nereid.Float32, 5, 2).Transpose(0, 1)
		column := x.Slice(1, 0, 1, 1)
		near(t, "Concat of columns into a view", ops.Concat(s.Into(joined), 1, column, column, column, column,
			column), []float64{0, 0, 0, 0, 0, 3, 3, 3, 3, 3}, 0)
		near(t, "Concat of five", ops.Concat(s, 1, x, x, x.Slice(1, 1, 3, 1), x.Slice(1, 0, 0, 1), x, column),
			[]float64{0, 1, 2, 0, 1, 2, 1, 2, 0, 1, 2, 0, 3, 4, 5, 3, 4, 5, 4, 5, 3, 4, 5, 3}, 0)
		near(t, "Concat of nine", ops.Concat(s, 0, column, column, column, column, column, column, column,
			column, x.Slice(1, 2, 3, 1)), []float64{0, 3, 0, 3, 0, 3, 0, 3, 0, 3, 0, 3, 0, 3, 0, 3, 2, 5}, 0)
		near(t, "Pad", ops.Pad(s, x, -1, []int{1, 0}, []int{0, 1}),
			[]float64{-1, -1, -1, -1, 0, 1, 2, -1, 3, 4, 5, -1}, 0)
		near(t, "Pad at other sides", ops.Pad(s, x, -1, []int{0, 1}, []int{0, 1}),
			[]float64{-1, 0, 1, 2, -1, -1, 3, 4, 5, -1}, 0)
		near(t, "Pad of a transposed view", ops.Pad(s, x.Transpose(0, 1), 2, []int{0, 1}, []int{1, 0}),
			[]float64{2, 0, 3, 2, 1, 4, 2, 2, 5, 2, 2, 2}, 0)
		near(t, "Pad of three dimensions", ops.Pad(s, x.Reshape(1, 2, 3), .5, []int{1, 0, 0}, []int{0, 1, 0}),
			[]float64{.5, .5, .5, .5, .5, .5, .5, .5, .5, 0, 1, 2, 3, 4, 5, .5, .5, .5}, 0)
		long := made(t, s, nereid.Float32, wave, 2, 3, 1030)
		var want []float64
		for r := range 4 * 4 {
			for c := range 1035 {
				v := 9.0
				if r/4 >= 1 && r/4 < 3 && r%4 < 3 && c >= 3 && c < 1033 {
					v = wave(((r/4-1)*3+r%4)*1030 + c - 3)
				}
				want = append(want, v)
			}
		}
		near(t, "Pad of long rows", ops.Pad(s, long, 9, []int{1, 0, 3}, []int{1, 1, 2}), want, 1e-6)
		near(t, "Pad of integers", ops.Pad(s, ops.Cast(s, x, nereid.Int32), 7, []int{0, 1}, []int{0, 0}),
			[]float64{7, 0, 1, 2, 7, 3, 4, 5}, 0)
		near(t, "Pad by a large integer", ops.Pad(s, ops.Fill(s, 3, nereid.Int64, 1), 1<<40+1, []int{1},
			[]int{0}), []float64{1<<40 + 1, 3}, 0)
		if u := values(t, ops.Uniform(s, 7, nereid.Float32, 1000)); slices.Min(u) < 0 || slices.Max(u) >= 1 ||
			math.Abs(sumOf(u)/1000-.5) > .05 {
			t.Errorf("Uniform: from %v to %v, mean %v", slices.Min(u), slices.Max(u), sumOf(u)/1000)
		}
		if n := values(t, ops.Normal(s, 7, nereid.Float32, 1000)); math.Abs(sumOf(n)/1000) > .1 ||
			math.Abs(variance(n)-1) > .15 {
			t.Errorf("Normal: mean %v, variance %v", sumOf(n)/1000, variance(n))
		}
	})
}

// TestIndex: elements by index, of contiguous tensors and of views; an index outside gives zeros.
func TestIndex(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		x := made(t, s, nereid.Float32, func(i int) float64 { return float64(i + 1) }, 3, 4)
		index := made(t, s, nereid.Int64, func(i int) float64 { return []float64{2, 0, 5, -1}[i] }, 2, 2)
		got := ops.Take(s, x, index, 0)
		near(t, "Take", got, []float64{9, 10, 11, 12, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0}, 0)
		if !slices.Equal(got.Shape, []int{2, 2, 4}) {
			t.Errorf("the shape of Take is %v", got.Shape)
		}
		one := made(t, s, nereid.Int32, func(i int) float64 { return float64(3 - i) }, 2)
		near(t, "Take of columns", ops.Take(s, x, one, 1), []float64{4, 3, 8, 7, 12, 11}, 0)
		near(t, "Take of a view", ops.Take(s, x.Transpose(0, 1), one, 0), []float64{4, 8, 12, 3, 7, 11}, 0)
		each := made(t, s, nereid.Int32, func(i int) float64 { return float64(i % 3) }, 2, 4)
		near(t, "Gather", ops.Gather(s, x, each, 0), []float64{1, 6, 11, 4, 5, 10, 3, 8}, 0)
		ones := ops.Fill(s, 1.0, nereid.Float32, 2, 4)
		near(t, "ScatterAdd", ops.ScatterAdd(s, x, each, ones, 0),
			[]float64{2, 2, 4, 5, 6, 7, 7, 9, 9, 11, 12, 12}, 0)
		near(t, "Scatter", ops.Scatter(s, x, each, ones, 0), []float64{1, 2, 1, 1, 1, 1, 7, 1, 9, 1, 1, 12},
			0)
		flags := ops.Cast(s, ops.Fill(s, 0, nereid.Int8, 3, 4), nereid.Bool)
		near(t, "Scatter of bools", ops.Scatter(s, flags, each, ops.Cast(s, ones, nereid.Bool), 0),
			[]float64{1, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1, 0}, 0)
		refused(t, ops.Scatter(s, x, each, x, 0), "Scatter: source: its shape is [3 4], and that of index [2 4]")
		view := made(t, s, nereid.Float32, func(i int) float64 { return float64(i) }, 4, 2).Transpose(0, 1)
		near(t, "ScatterAdd of a view", ops.ScatterAdd(s, x, each, view, 0),
			[]float64{1, 2, 8, 10, 6, 8, 7, 15, 9, 13, 15, 12}, 0)
	})
}

// TestMoves: elements of 8 bits that are only moved keep their bits, infinities among them.
func TestMoves(t *testing.T) {
	list := []float64{1, math.Inf(1), math.NaN(), math.Inf(-1)}
	on(t, func(t *testing.T, s *ops.Stream) {
		x := made(t, s, nereid.Float8E5, func(i int) float64 { return list[i] }, 4)
		near(t, "Copy", ops.Copy(s, x), list, 0)
		near(t, "Copy of a view", ops.Copy(s, x.Slice(0, 1, 4, 2)), []float64{list[1], list[3]}, 0)
		index := made(t, s, nereid.Int32, func(i int) float64 { return float64(3 - 2*i) }, 3)
		want := []float64{list[3], list[1], 0}
		near(t, "Take", ops.Take(s, x, index, 0), want, 0)
		near(t, "Gather", ops.Gather(s, x, index, 0), want, 0)
		stored := ops.Scatter(s, x, index, x.Slice(0, 0, 3, 1), 0)
		near(t, "Scatter", stored, []float64{1, list[1], list[2], 1}, 0)
	})
}

// TestInto: a result in the caller's memory, also in place; memory that would be spoiled is refused.
func TestInto(t *testing.T) {
	s := streamOn(t, "cpu")
	x := made(t, s, nereid.Float32, wave, 4, 8)
	out := made(t, s, nereid.Float16, wave, 4, 8)
	if got := ops.Exp(s.Into(out), x); got != out {
		t.Errorf("Into returns %v", got)
	}
	near(t, "Exp", out, mapped(math.Exp, values(t, x)), 1e-3)
	near(t, "nested", ops.Add(s.Into(out), ops.Mul(s.Into(ops.Copy(s, x)), x, 0), 1), values(t,
		ops.Fill(s, 1.0, nereid.Float32, 32)), 0)
	want := mapped(func(v float64) float64 { return 2 * v }, values(t, x))
	near(t, "in place", ops.Add(s.Into(x), x, x), want, 1e-6)
	for _, c := range []struct {
		got  *nereid.Tensor
		want string
	}{
		{ops.Exp(s.Into(x.Slice(0, 1, 4, 1)), x.Slice(0, 0, 3, 1)), "ops: Exp: out: it shares memory with x"},
		{ops.Exp(s.Into(x), out.Slice(0, 1, 3, 1)), "ops: Exp: out: it is fp32[4 8], and the result fp32[2 8]"},
		{ops.Exp(s.Into(x, out), x), "ops: Exp: it has 1 results, and Into has 2 tensors"},
		{ops.Take(s.Into(x), x, x, 0), "ops: Take: index: it is of fp32, not of integers"},
	} {
		if err := c.got.Err(); err == nil || err.Error() != c.want {
			t.Errorf("the error is %v, want %s", err, c.want)
		}
	}
}

// TestInPlace: an output that is an input, small enough that threads hold the same elements.
func TestInPlace(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		for _, n := range []int{5, 600} {
			x := made(t, s, nereid.Float32, wave, n)
			y := made(t, s, nereid.Float16, wave, 3, n)
			want := mapped(func(v float64) float64 { return v*v + 1 }, values(t, x))
			near(t, "in place", ops.Add(s.Into(x), ops.Square(s.Into(x), x), 1), want, 1e-5)
			doubled := mapped(func(v float64) float64 { return 2 * v }, values(t, y))
			near(t, "rows in place", ops.Add(s.Into(y), y, y), doubled, 2e-3)
		}
	})
}

// TestErrors: an error names the op and the operand, and goes through later ops unchanged.
func TestErrors(t *testing.T) {
	s := streamOn(t, "interp")
	other := streamOn(t, "cpu")
	x := made(t, s, nereid.Float32, wave, 4, 8)
	for _, c := range []struct {
		got              *nereid.Tensor
		op, operand, has string
	}{
		{ops.Add(s, x, made(t, s, nereid.Float32, wave, 3)), "Add", "y", "8 and 3"},
		{ops.Add(s, x, "1"), "Add", "y", "string"},
		{ops.Add(s, nil, 1), "Add", "x", "<nil>"},
		{ops.And(s, x, 1), "And", "", "integers"},
		{ops.Sum(s, x, 2), "Sum", "", "no dimension 2 of 2"},
		{ops.Sum(s, x, 1, -1), "Sum", "", "twice"},
		{ops.Max(s, x.Slice(0, 0, 0, 1), 0), "Max", "", "no elements"},
		{ops.Where(s, x, 1, 2), "Where", "", "bools"},
		{ops.Exp(s, made(t, other, nereid.Float32, wave, 4)), "Exp", "x", "cpu"},
		{ops.Exp(s, x.Select(0, 9)), "Exp", "x", "no index 9"},
		{ops.Concat(s, 0, x, made(t, s, nereid.Float32, wave, 4, 7)), "Concat", "xs[1]", "[4 7]"},
		{ops.Pad(s, x, 0, []int{1}, []int{1}), "Pad", "x", "2 dimensions"},
		{ops.Concat(s, 0), "Concat", "", "no tensor"},
		{ops.ScatterAdd(s, ops.Cast(s, x, nereid.Int16), ops.Cast(s, x, nereid.Int32), x, 0), "ScatterAdd", "x",
			"no sums of i16"},
		{ops.Exp(ops.On(nil), x), "Exp", "", "nil"},
	} {
		var e *ops.Error
		err := c.got.Err()
		if !errors.As(err, &e) || e.Op != c.op || e.Operand != c.operand ||
			!strings.Contains(err.Error(), c.has) {
			t.Errorf("the error is %v, want %s: %s: … %s …", err, c.op, c.operand, c.has)
			continue
		}
		if later := ops.Sum(s, ops.Exp(s, c.got)).Err(); later != err {
			t.Errorf("the error becomes %v", later)
		}
	}
}

// TestEmpty: tensors without elements have results without elements, and sums of nothing are refused.
func TestEmpty(t *testing.T) {
	s := streamOn(t, "cpu")
	x := s.New(nereid.Float32, 0, 4)
	if y := ops.Exp(s, x); y.Err() != nil || !slices.Equal(y.Shape, []int{0, 4}) {
		t.Errorf("Exp of nothing is %v", y)
	}
	if y := ops.Sum(s, x, 1); y.Err() != nil || !slices.Equal(y.Shape, []int{0}) {
		t.Errorf("Sum of no rows is %v", y)
	}
}

// TestWarm: calls with Into like earlier ones allocate nothing.
func TestWarm(t *testing.T) {
	s := streamOn(t, "cpu")
	x := made(t, s, nereid.Float32, wave, 8, 32)
	w := made(t, s, nereid.Float32, wave, 32)
	out := s.New(nereid.Float32, 8, 32)
	row := s.New(nereid.Float32, 8)
	index := made(t, s, nereid.Int32, func(i int) float64 { return float64(i) }, 8)
	half, m := x.Slice(0, 0, 4, 1), made(t, s, nereid.Float32, wave, 32, 32)
	heads, heads2 := s.New(nereid.Float32, 1, 2, 8, 16), made(t, s, nereid.Float32, wave, 1, 2, 8, 16)
	query, query2 := s.New(nereid.Float32, 1, 2, 1, 16), made(t, s, nereid.Float32, wave, 1, 2, 1, 16)
	keys, turns := made(t, s, nereid.Float32, wave, 1, 2, 256, 16), made(t, s, nereid.Float32, wave, 8, 8)
	quantized, _ := quantizedMatrix(t, s, 0, 10, 512)
	long, wide := made(t, s, nereid.Float32, wave, 1, 512), s.New(nereid.Float32, 1, 10)
	best, where := s.New(nereid.Float32, 8, 4), s.New(nereid.Int64, 8, 4)
	image, filter := made(t, s, nereid.Float32, wave, 1, 16, 4, 4), made(t, s, nereid.Float32, wave, 16, 16,
		3, 3)
	same, halves := s.New(nereid.Float32, 1, 16, 4, 4), s.New(nereid.Float32, 1, 16, 2, 2)
	groups, _ := groupedMatrix(t, s, ops.AWQ, 4, 32, 32, 16, false)
	dw, places := s.New(nereid.Float32, 32), made(t, s, nereid.Int32,
		func(i int) float64 { return float64(i / 32) },
		8, 32)
	around := ops.ConvOptions{Padding: [2]int{1, 1}}
	attended, sums := ops.AttentionLSE(s, heads2, heads2, heads2, ops.AttentionOptions{})
	dq, dk, dv := s.New(nereid.Float32, 1, 2, 8, 16), s.New(nereid.Float32, 1, 2, 8, 16),
		s.New(nereid.Float32,
			1, 2, 8, 16)
	for name, f := range map[string]func() *nereid.Tensor{
		"Add":     func() *nereid.Tensor { return ops.Add(s.Into(out), x, w) },
		"Scaled":  func() *nereid.Tensor { return ops.Mul(s.Into(out), x, 0.3) },
		"Sum":     func() *nereid.Tensor { return ops.Sum(s.Into(row), x, 1) },
		"Softmax": func() *nereid.Tensor { return ops.Softmax(s.Into(out), x, -1) },
		"RMSNorm": func() *nereid.Tensor { return ops.RMSNorm(s.Into(out), x, w, 1e-5) },
		"Take":    func() *nereid.Tensor { return ops.Take(s.Into(out), x, index, 0) },
		"Copy":    func() *nereid.Tensor { return ops.Copy(s.Into(out), x) },
		"Fused":   func() *nereid.Tensor { return scored.Call(s.Into(out), x, w) },
		"Concat":  func() *nereid.Tensor { return ops.Concat(s.Into(out), 0, half, half) },
		"Cast":    func() *nereid.Tensor { return ops.Cast(s.Into(out), x, nereid.Float32) },
		"MatMul":  func() *nereid.Tensor { return ops.MatMul(s.Into(out), x, m, ops.Bias(w), ops.ThenReLU) },
		"Attention": func() *nereid.Tensor {
			return ops.Attention(s.Into(heads), heads2, heads2, heads2, ops.AttentionOptions{Causal: true})
		},
		"decode": func() *nereid.Tensor {
			return ops.Attention(s.Into(query), query2, keys, keys, ops.AttentionOptions{})
		},
		"Rope":         func() *nereid.Tensor { return ops.Rope(s.Into(heads), heads2, turns, turns) },
		"CrossEntropy": func() *nereid.Tensor { return ops.CrossEntropy(s.Into(row), x, index) },
		"CumSum":       func() *nereid.Tensor { return ops.CumSum(s.Into(out), x, 1) },
		"Quantized":    func() *nereid.Tensor { return ops.MatMulQuantized(s.Into(wide), long, quantized) },
		"Conv2D": func() *nereid.Tensor {
			return ops.Conv2D(s.Into(same), image, filter, around,
				ops.ThenReLU)
		},
		"MaxPool2D": func() *nereid.Tensor {
			return ops.MaxPool2D(s.Into(halves), image, ops.PoolOptions{Window: [2]int{2, 2}})
		},
		"CrossEntropyGrad": func() *nereid.Tensor { return ops.CrossEntropyGrad(s.Into(out), x, index, row) },
		"CrossEntropyGradLSE": func() *nereid.Tensor {
			return ops.CrossEntropyGradLSE(s.Into(out), x, index, row, row)
		},
		"RMSNormGrad": func() *nereid.Tensor {
			d, _ := ops.RMSNormGrad(s.Into(out, dw), x, w, x, 1e-5)
			return d
		},
		"CumMax":          func() *nereid.Tensor { return ops.CumMax(s.Into(out), x, 1) },
		"Scatter":         func() *nereid.Tensor { return ops.Scatter(s.Into(out), x, places, x, 0) },
		"Penalty":         func() *nereid.Tensor { return ops.RepetitionPenalty(s.Into(out), x, places, 2) },
		"Grouped":         func() *nereid.Tensor { return ops.MatMulGrouped(s.Into(out), x, groups) },
		"AdaptiveAvgPool": func() *nereid.Tensor { return ops.AdaptiveAvgPool(s.Into(halves), image, 2, 2) },
		"AttentionGrad": func() *nereid.Tensor {
			d, _, _ := ops.AttentionGrad(s.Into(dq, dk, dv), heads2, heads2, heads2, attended, sums, heads2,
				ops.AttentionOptions{})
			return d
		},
		"TopK": func() *nereid.Tensor {
			v, _ := ops.TopK(s.Into(best, where), x, 4)
			return v
		},
	} {
		if err := f().Err(); err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(50, func() { f() }); n != 0 && !raceDetector {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

// TestArena: results live until Release, memory is used again, and tensors larger than a chunk get one.
func TestArena(t *testing.T) {
	s := streamOn(t, "interp")
	m := s.Mark()
	a := s.New(nereid.Float32, 300)
	b := s.New(nereid.Float32, 300)
	if a.Addr()%256 != b.Addr()%256 || b.Addr()-a.Addr() < 1200 {
		t.Errorf("tensors at %x and %x", a.Addr(), b.Addr())
	}
	s.Release(m)
	if c := s.New(nereid.Int8, 5); c.Addr() != a.Addr() {
		t.Errorf("a tensor at %x after Release, not at %x", c.Addr(), a.Addr())
	}
	if big := s.New(nereid.Int8, 3<<20); big.Err() != nil {
		t.Error(big.Err())
	}
	if bad := s.New(nereid.Float32, -1); bad.Err() == nil {
		t.Error("a tensor of -1 elements")
	}
	s.Reset()
	if c := s.New(nereid.Int8, 5); c.Addr() != a.Addr() {
		t.Errorf("a tensor at %x after Reset, not at %x", c.Addr(), a.Addr())
	}
}
