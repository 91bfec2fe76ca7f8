package ops_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/ops"
)

// TestRope: both kinds of rotary embedding, of a view, and in place.
func TestRope(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		const batch, heads, positions, size = 2, 3, 5, 12
		x := made(t, s, nereid.Float32, wave, batch, positions, heads, size).Transpose(1, 2)
		angle := func(i int) float64 { return float64(i) / 7 }
		angles := made(t, s, nereid.Float32, angle, positions, size/2)
		cos, sin := ops.Cos(s, angles), ops.Sin(s, angles)
		xs := values(t, x)
		halves, pairs := make([]float64, len(xs)), make([]float64, len(xs))
		for row := range len(xs) / size {
			for i := range size / 2 {
				c, n := math.Cos(angle(row%positions*size/2+i)), math.Sin(angle(row%positions*size/2+i))
				for _, k := range []struct {
					out  []float64
					a, b int
				}{
					{halves, row*size + i, row*size + i + size/2},
					{pairs, row*size + 2*i, row*size + 2*i + 1},
				} {
					k.out[k.a], k.out[k.b] = xs[k.a]*c-xs[k.b]*n, xs[k.b]*c+xs[k.a]*n
				}
			}
		}
		near(t, "Rope", ops.Rope(s, x, cos, sin), halves, 1e-5)
		near(t, "RopePairs", ops.RopePairs(s, x, cos, sin), pairs, 1e-5)
		near(t, "Rope in place", ops.Rope(s.Into(x), x, cos, sin), halves, 1e-5)
	})
}

// TestGated: SwiGLU and GeGLU of the halves of a tensor.
func TestGated(t *testing.T) {
	s := streamOn(t, "cpu")
	x := made(t, s, nereid.Float32, wave, 3, 20)
	gate, up := x.Slice(1, 0, 10, 1), x.Slice(1, 10, 20, 1)
	g, u := values(t, gate), values(t, up)
	var swi, ge []float64
	for i := range g {
		swi = append(swi, g[i]/(1+math.Exp(-g[i]))*u[i])
		ge = append(ge, g[i]/2*(1+math.Erf(g[i]/math.Sqrt2))*u[i])
	}
	near(t, "SwiGLU", ops.SwiGLU(s, gate, up), swi, 1e-5)
	near(t, "GeGLU", ops.GeGLU(s, gate, up), ge, 1e-5)
}

// TestCrossEntropy: rows longer and shorter than a block, -inf among the logits, and a label outside.
func TestCrossEntropy(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		for _, cols := range []int{7, 5000} {
			x := made(t, s, nereid.Float32, func(i int) float64 {
				if i%5 == 4 {
					return math.Inf(-1)
				}
				return wave(i)
			}, 3, cols)
			at := []float64{3, -100, 6}
			labels := made(t, s, nereid.Int64, func(i int) float64 { return at[i] }, 3)
			want := make([]float64, 3)
			for i, g := range grouped(t, x, 1) {
				if at[i] >= 0 {
					want[i] = logSumExp(g) - g[int(at[i])]
				}
			}
			near(t, "CrossEntropy", ops.CrossEntropy(s, x, labels), want, 1e-5)
		}
	})
}

// TestOrder: the largest elements and whole rows in order; equal elements keep theirs, and NaN is the
// largest.
func TestOrder(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		cols := 100
		if s.Stream().Device().String() == "interp" {
			cols = 2100 // several blocks; sorting code takes a compiler long
		}
		x := made(t, s, nereid.Float32, func(i int) float64 {
			if i == 40 {
				return math.NaN()
			}
			if v := float64(i*7919%60) - 30; v != 0 || i%8 != 2 {
				return v
			}
			return math.Copysign(0, -1) // equal to 0
		}, 2, cols)
		for row, g := range grouped(t, x, 1) {
			at := make([]int, cols)
			for i := range at {
				at[i] = i
			}
			slices.SortStableFunc(at, func(a, b int) int {
				if math.IsNaN(g[a]) || math.IsNaN(g[b]) {
					return int(truth(math.IsNaN(g[b])) - truth(math.IsNaN(g[a])))
				}
				return cmp.Compare(g[b], g[a])
			})
			v, i := ops.TopK(s, x.Slice(0, row, row+1, 1), 5)
			var largest, where []float64
			for _, k := range at[:5] {
				largest, where = append(largest, g[k]), append(where, float64(k))
			}
			near(t, "TopK", v, largest, 0)
			near(t, "its indices", i, where, 0)
			sorted(t, s, x.Select(0, row), g, at, true)
		}
	})
}

// sorted checks Sort of one row, of which at are the positions in falling order.
func sorted(t *testing.T, s *ops.Stream, x *nereid.Tensor, g []float64, at []int, descending bool) {
	t.Helper()
	values0, indices := ops.Sort(s, x, descending)
	var want, where []float64
	for _, i := range at {
		want, where = append(want, g[i]), append(where, float64(i))
	}
	near(t, "Sort", values0, want, 0)
	near(t, "its indices", indices, where, 0)
	up, first := ops.Sort(s, x, false)
	list, order := values(t, up), values(t, first)
	for i := 1; i < len(list); i++ {
		same := list[i] == list[i-1]
		if list[i] < list[i-1] || same && order[i] < order[i-1] ||
			list[i] != g[int(order[i])] && !math.IsNaN(list[i]) {
			t.Errorf("Sort, ascending: %v at %v after %v at %v", list[i], order[i], list[i-1], order[i-1])
			return
		}
	}
}

// TestCumSum: sums along a dimension, of rows longer than a block.
func TestCumSum(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		x := made(t, s, nereid.Float32, small, 3, 1500)
		var want []float64
		for _, g := range grouped(t, x, 1) {
			sum := 0.0
			for _, v := range g {
				sum += v
				want = append(want, sum)
			}
		}
		near(t, "CumSum", ops.CumSum(s, x, 1), want, 0)
		near(t, "CumSum of columns", ops.CumSum(s, x.Transpose(0, 1), 0).Transpose(0, 1), want, 0)
		b := made(t, s, nereid.Bool, func(i int) float64 { return float64(i % 2) }, 6)
		near(t, "CumSum of bools", ops.CumSum(s, b, 0), []float64{0, 1, 1, 2, 2, 3}, 0)
	})
}

// TestSample: draws follow the probabilities that the options leave.
func TestSample(t *testing.T) {
	s := streamOn(t, "cpu")
	logits := made(t, s, nereid.Float32, func(i int) float64 { return []float64{0, 2, -1, 3, 1}[i] }, 1, 5)
	draw := func(o ops.Sampling) []float64 {
		p := make([]float64, 5)
		base := s.Mark()
		for i := range 600 {
			s.Release(base)
			o.Seed, o.Step = 11, i
			p[int(values(t, ops.Sample(s, logits, o))[0])] += 1. / 600
		}
		return p
	}
	total := 1 + math.Exp(2) + math.Exp(-1) + math.Exp(3) + math.Exp(1)
	for i, p := range draw(ops.Sampling{Temperature: 1}) {
		if want := math.Exp(values(t, logits)[i]) / total; math.Abs(p-want) > 0.06 {
			t.Errorf("token %d is drawn with %v, not %v", i, p, want)
		}
	}
	for name, c := range map[string]struct {
		o    ops.Sampling
		want []bool
	}{
		"temperature 0": {ops.Sampling{}, []bool{false, false, false, true, false}},
		"top k":         {ops.Sampling{Temperature: 2, TopK: 2}, []bool{false, true, false, true, false}},
		"top p":         {ops.Sampling{Temperature: 1, TopP: 0.7}, []bool{false, true, false, true, false}},
		"min p":         {ops.Sampling{Temperature: 1, MinP: 0.1}, []bool{false, true, false, true, true}},
		"min p of all":  {ops.Sampling{Temperature: 1, MinP: 1.5}, []bool{false, false, false, true, false}},
	} {
		for i, p := range draw(c.o) {
			if (p > 0) != c.want[i] {
				t.Errorf("%s: token %d is drawn with %v", name, i, p)
			}
		}
	}
}

// TestScans: products and extremes along a dimension, of rows longer than a block.
func TestScans(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		const rows, cols = 2, 1100
		x := made(t, s, nereid.Float32, func(i int) float64 { return 1 + wave(i*i)/50 }, rows, cols)
		xs := values(t, x)
		for _, c := range []struct {
			name string
			op   func(*ops.Stream, *nereid.Tensor, int) *nereid.Tensor
			f    func(a, b float64) float64
		}{
			{"CumProd", ops.CumProd, func(a, b float64) float64 { return a * b }},
			{"CumMax", ops.CumMax, func(a, b float64) float64 { return max(a, b) }},
			{"CumMin", ops.CumMin, func(a, b float64) float64 { return min(a, b) }},
		} {
			want := make([]float64, len(xs))
			for i, v := range xs {
				want[i] = v
				if i%cols > 0 {
					want[i] = c.f(want[i-1], v)
				}
			}
			near(t, c.name, c.op(s, x, 1), want, 1e-4)
			near(t, c.name+" of columns", c.op(s, ops.Copy(s, x.Transpose(0, 1)), 0).Transpose(0, 1), want,
				1e-4)
		}
		i := made(t, s, nereid.Int16, func(i int) float64 { return []float64{2, -3, 1, 5}[i] }, 4)
		near(t, "CumMax of integers", ops.CumMax(s, i, 0), []float64{2, 2, 2, 5}, 0)
		near(t, "CumProd of integers", ops.CumProd(s, i, 0), []float64{2, -6, -6, -30}, 0)
		nan := made(t, s, nereid.Float16, func(i int) float64 { return []float64{2, math.NaN(), 1}[i] }, 3)
		near(t, "CumMin of NaN", ops.CumMin(s, nan, 0), []float64{2, math.NaN(), math.NaN()}, 0)
	})
}

// TestRepetition: logits of tokens that were seen, once or twice, are nearer to those of none.
func TestRepetition(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		x := made(t, s, nereid.Float32, func(i int) float64 { return float64(i - 3) }, 2, 4)
		seen := made(t, s, nereid.Int32, func(i int) float64 { return []float64{0, 0, -1, 3, 9, 1}[i] }, 2, 3)
		near(t, "RepetitionPenalty", ops.RepetitionPenalty(s, x, seen, 2), []float64{-6, -2, -1, 0, 1, 1, 3,
			2}, 0)
		near(t, "Sample", ops.Sample(s, x, ops.Sampling{Seen: seen, Repetition: 4}), []float64{3, 2}, 0)
		refused(t, ops.RepetitionPenalty(s, x, x, 2), "RepetitionPenalty: seen: it is fp32[2 4], not integers")
		refused(t, ops.RepetitionPenalty(s, x, seen, 0), "RepetitionPenalty: penalty: it is 0")
	})
}
