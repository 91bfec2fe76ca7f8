package ops_test

import (
	"math"
	"slices"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/ops"
)

// grouped returns the elements of x by what a reduction along dimensions combines, in the order of the
// result.
func grouped(t *testing.T, x *nereid.Tensor, axes ...int) (groups [][]float64) {
	t.Helper()
	data, at := values(t, x), map[int]int{}
	for i, v := range data {
		key, rest := 0, i
		index := make([]int, len(x.Shape))
		for d := len(x.Shape) - 1; d >= 0; d-- {
			index[d], rest = rest%x.Shape[d], rest/x.Shape[d]
		}
		for d, n := range x.Shape {
			if !slices.Contains(axes, d) && !slices.Contains(axes, d-len(x.Shape)) && len(axes) > 0 {
				key = key*n + index[d]
			}
		}
		if _, ok := at[key]; !ok {
			at[key] = len(groups)
			groups = append(groups, nil)
		}
		groups[at[key]] = append(groups[at[key]], v)
	}
	return groups
}

func sumOf(list []float64) (sum float64) {
	for _, v := range list {
		sum += v
	}
	return sum
}

func variance(list []float64) (v float64) {
	mean := sumOf(list) / float64(len(list))
	for _, x := range list {
		v += (x - mean) * (x - mean)
	}
	return v / float64(len(list))
}

func logSumExp(list []float64) float64 {
	sum, m := 0.0, slices.Max(list)
	for _, x := range list {
		sum += math.Exp(x - m)
	}
	return math.Log(sum) + m
}

// TestReductions: reductions along any dimensions of any view.
func TestReductions(t *testing.T) {
	reductions := []struct {
		name string
		op   func(s *ops.Stream, x *nereid.Tensor, axes ...int) *nereid.Tensor
		want func(list []float64) float64
	}{
		{"Sum", ops.Sum, sumOf},
		{"Mean", ops.Mean, func(l []float64) float64 { return sumOf(l) / float64(len(l)) }},
		{"Max", ops.Max, slices.Max[[]float64]},
		{"Min", ops.Min, slices.Min[[]float64]},
		{"ArgMax", ops.ArgMax, func(l []float64) float64 { return float64(slices.Index(l, slices.Max(l))) }},
		{"ArgMin", ops.ArgMin, func(l []float64) float64 { return float64(slices.Index(l, slices.Min(l))) }},
		{"Variance", ops.Variance, variance},
		{"LogSumExp", ops.LogSumExp, logSumExp},
		{"Any", ops.Any, func(l []float64) float64 {
			return truth(slices.Max(l) != 0 || slices.Min(l) != 0)
		}},
		{"All", ops.All, func(l []float64) float64 { return truth(!slices.Contains(l, 0)) }},
	}
	on(t, func(t *testing.T, s *ops.Stream) {
		x := made(t, s, nereid.Float32, func(i int) float64 { return math.Round(wave(i)*8) / 8 }, 4, 3, 50)
		views := []*nereid.Tensor{x, x.Permute(2, 0, 1).Slice(0, 3, 48, 4)}
		lists := [][]int{nil, {-1}, {0}, {1}, {0, 2}, {1, -1}}
		base := s.Mark()
		for i, r := range reductions {
			for j, v := range views {
				for k, axes := range lists {
					if (i+j+k)%6 > 0 && s.Stream().Device().String() != "interp" {
						continue // a sixth is enough for compiled code
					}
					s.Release(base)
					var want []float64
					for _, g := range grouped(t, v, axes...) {
						want = append(want, r.want(g))
					}
					near(t, r.name, r.op(s, v, axes...), want, 1e-5)
				}
			}
		}
	})
}

// TestRowsOfFormulas: a formula has each reduction of a row for all its elements.
func TestRowsOfFormulas(t *testing.T) {
	const rows, cols = 3, 37
	sum := func(l []float64) (n float64) {
		for _, v := range l {
			n += v
		}
		return n
	}
	reductions := map[string]struct {
		of   func(ops.Expr) ops.Expr
		want func([]float64) float64
	}{
		"RowSum":  {ops.Expr.RowSum, sum},
		"RowMean": {ops.Expr.RowMean, func(l []float64) float64 { return sum(l) / cols }},
		"RowMin":  {ops.Expr.RowMin, slices.Min[[]float64]},
		"RowMax":  {ops.Expr.RowMax, slices.Max[[]float64]},
		"RowProd": {ops.Expr.RowProd, func(l []float64) float64 {
			n := 1.0
			for _, v := range l {
				n *= v
			}
			return n
		}},
	}
	on(t, func(t *testing.T, s *ops.Stream) {
		x := made(t, s, nereid.Float32, func(i int) float64 { return 1 + wave(i)/8 }, rows, cols)
		for name, r := range reductions {
			var want []float64
			for _, l := range grouped(t, x, 1) {
				for _, v := range l {
					want = append(want, v-r.want(l))
				}
			}
			formula := ops.Fuse(func(x ops.Expr) ops.Expr { return x.Sub(r.of(x)) })
			near(t, name, formula.Call(s, x), want, 1e-5)
		}
	})
}

// TestLongRows: rows that do not fit into a tile are reduced in loops, and NaN and equal elements are found.
func TestLongRows(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		rows, cols := 2, 70001
		if s.Stream().Device().String() == "sim:90" {
			rows, cols = 1, 33001 // just longer than a tile
		}
		x := made(t, s, nereid.Float32, wave, rows, cols)
		var lse, at, p, log []float64
		for _, g := range grouped(t, x, 1) {
			lse = append(lse, logSumExp(g))
			for _, v := range g {
				log = append(log, v-lse[len(lse)-1])
				p = append(p, math.Exp(v-lse[len(lse)-1])*float64(cols))
			}
			at = append(at, float64(slices.Index(g, slices.Max(g))))
		}
		near(t, "LogSumExp", ops.LogSumExp(s, x, 1), lse, 1e-5)
		near(t, "ArgMax", ops.ArgMax(s, x, 1), at, 0)
		near(t, "Softmax", ops.Mul(s, ops.Softmax(s, x, -1), float64(cols)), p, 1e-5)
		near(t, "LogSoftmax", ops.LogSoftmax(s, x, -1), log, 1e-5)
		nan := made(t, s, nereid.Float32, func(i int) float64 {
			if i == 5 {
				return math.NaN()
			}
			return 1
		}, 9)
		near(t, "ArgMax of NaN", ops.ArgMax(s, nan, 0), []float64{5}, 0)
		near(t, "ArgMin of equals", ops.ArgMin(s, nan.Slice(0, 6, 9, 1), 0), []float64{0}, 0)
		near(t, "Max of NaN", ops.Max(s, nan), []float64{math.NaN()}, 0)
		for _, sign := range []int{-1, 1} {
			inf := math.Inf(sign)
			x := made(t, s, nereid.Float32, func(int) float64 { return inf }, 9)
			near(t, "LogSumExp of infinities", ops.LogSumExp(s, x, 0), []float64{inf}, 0)
		}
	})
}

// TestParts: reductions of long rows are made in parts, contiguous or not.
func TestParts(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		n := 200_003
		if s.Stream().Device().String() == "sim:90" {
			n = 40_001
		}
		x := made(t, s, nereid.Float32, small, n)
		list := values(t, x)
		near(t, "Sum", ops.Sum(s, x), []float64{sumOf(list)}, 1e-6)
		near(t, "Mean", ops.Mean(s, x), []float64{sumOf(list) / float64(n)}, 1e-6)
		near(t, "All", ops.All(s, ops.Greater(s, x, -9)), []float64{1}, 0)
		y := x.Slice(0, 0, n/2*2, 1).Reshape(n/2, 2)
		var sums []float64
		for _, g := range grouped(t, y, 0) {
			sums = append(sums, sumOf(g))
		}
		near(t, "Sum of columns", ops.Sum(s, y, 0), sums, 1e-6)
	})
}

// TestIntegerReductions: sums of integers are i64, and the identities of all integer types are right.
func TestIntegerReductions(t *testing.T) {
	s := streamOn(t, "cpu")
	for _, dt := range []nereid.DType{nereid.Int8, nereid.Uint8, nereid.Int16, nereid.Int32, nereid.Uint32,
		nereid.Int64, nereid.Uint64} {
		x := made(t, s, dt, func(i int) float64 { return float64(100 + i) }, 27)
		near(t, "Sum", ops.Sum(s, x), []float64{27*100 + 26*27/2}, 0)
		near(t, "Max", ops.Max(s, x), []float64{126}, 0)
		near(t, "Min", ops.Min(s, x), []float64{100}, 0)
		near(t, "Prod", ops.Prod(s, x.Slice(0, 0, 4, 1)), []float64{100 * 101 * 102 * 103}, 0)
	}
}

// TestNorms: softmax and the norms, with residuals, in fp32 and with weights in bf16.
func TestNorms(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		for _, dt := range []nereid.DType{nereid.Float32, nereid.BFloat16} {
			if dt == nereid.Float32 && s.Stream().Device().String() == "sim:90" {
				continue
			}
			tol := map[nereid.DType]float64{nereid.Float32: 1e-5, nereid.BFloat16: 2e-2}[dt]
			x := made(t, s, dt, wave, 3, 2, 40)
			r := made(t, s, dt, func(i int) float64 { return wave(i + 7) }, 3, 2, 40)
			w := made(t, s, dt, func(i int) float64 { return 1 + wave(i)/9 }, 40)
			b := made(t, s, dt, func(i int) float64 { return wave(i) / 9 }, 40)
			xs, rs, ws, bs := values(t, x), values(t, r), values(t, w), values(t, b)
			soft, logSoft := make([]float64, 240), make([]float64, 240)
			rms, layer := make([]float64, 240), make([]float64, 240)
			sum, addRMS := make([]float64, 240), make([]float64, 240)
			for row := range 6 {
				part := xs[row*40 : row*40+40]
				lse, v, mean := logSumExp(part), variance(part), sumOf(part)/40
				var sums []float64
				for i, e := range part {
					k := row*40 + i
					soft[k], logSoft[k] = math.Exp(e-lse), e-lse
					rms[k] = e / math.Sqrt(v+mean*mean+1e-5) * ws[i]
					layer[k] = (e-mean)/math.Sqrt(v+1e-5)*ws[i] + bs[i]
					sum[k] = e + rs[k]
					sums = append(sums, sum[k])
				}
				v, mean = variance(sums), sumOf(sums)/40
				for i, e := range sums {
					addRMS[row*40+i] = e / math.Sqrt(v+mean*mean+1e-5) * ws[i]
				}
			}
			near(t, "Softmax", ops.Softmax(s, x, -1), soft, tol)
			near(t, "LogSoftmax", ops.LogSoftmax(s, x, 2), logSoft, tol)
			near(t, "Softmax of columns", ops.Softmax(s, x.Transpose(1, 2), 1).Transpose(1, 2), soft, tol)
			near(t, "RMSNorm", ops.RMSNorm(s, x, w, 1e-5), rms, tol)
			near(t, "LayerNorm", ops.LayerNorm(s, x, w, b, 1e-5), layer, tol)
			norm, total := ops.AddRMSNorm(s, x, r, w, 1e-5)
			near(t, "AddRMSNorm", norm, addRMS, tol)
			near(t, "its sum", total, sum, tol)
			plain := ops.LayerNorm(s, ops.Cast(s, total, nereid.Float32), w, b, 1e-5)
			norm, total = ops.AddLayerNorm(s, x, r, w, b, 1e-5)
			near(t, "AddLayerNorm", norm, values(t, plain), 3*tol)
			near(t, "its sum", total, sum, tol)
		}
	})
}
