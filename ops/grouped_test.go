package ops_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/ops"
)

// groupedMatrix returns a random matrix in a layout, and its values.
func groupedMatrix(t *testing.T, s *ops.Stream, layout ops.GroupLayout, bits, rows, cols, group int,
	ordered bool) (ops.Grouped, []float64) {
	t.Helper()
	r, per, groups := rand.New(rand.NewPCG(uint64(layout), 5)), 32/bits, (rows+group-1)/group
	less := 0
	if layout == ops.GPTQ {
		less = 1
	}
	random := func(n int) (list []int) {
		for range n {
			list = append(list, r.IntN(1<<bits-1)+less)
		}
		return list
	}
	weights, zeros := random(rows*cols), random(groups*cols)
	place := func(col int) int { // of a column in a word of columns
		if layout == ops.AWQ {
			return []int{0, 4, 1, 5, 2, 6, 3, 7}[col%8]
		}
		return col % per
	}
	words, zeroWords := make([]int32, rows*cols/per), make([]int32, groups*cols/per)
	for i, v := range weights {
		k, n := i/cols, i%cols
		if layout == ops.AWQ {
			words[k*cols/per+n/per] |= int32(v << (place(n) * bits))
		} else {
			words[k/per*cols+n] |= int32(v << (k % per * bits))
		}
	}
	for i, v := range zeros {
		zeroWords[i/cols*cols/per+i%cols/per] |= int32((v - less) << (place(i%cols) * bits))
	}
	w := ops.Grouped{Layout: layout, Bits: bits, Rows: rows, Cols: cols, Group: group,
		Weights: s.New(nereid.Int32, rows/per, cols), Zeros: s.New(nereid.Int32, groups, cols/per),
		Scales: made(t, s, nereid.Float16, func(i int) float64 { return float64(1+i%7) / 64 }, groups, cols)}
	if layout == ops.AWQ {
		w.Weights = s.New(nereid.Int32, rows, cols/per)
	}
	of := func(k int) int { return k / group }
	if ordered {
		of = func(k int) int { return k % groups }
		w.Order = made(t, s, nereid.Int32, func(i int) float64 { return float64(of(i)) }, rows)
	}
	if err := nereid.CopyFrom(w.Weights, words); err != nil {
		t.Fatal(err)
	}
	if err := nereid.CopyFrom(w.Zeros, zeroWords); err != nil {
		t.Fatal(err)
	}
	want, scales := make([]float64, rows*cols), values(t, w.Scales)
	for i, v := range weights {
		g := of(i/cols)*cols + i%cols
		want[i] = float64(v-zeros[g]) * scales[g]
	}
	return w, want
}

// TestGrouped: matrices of AWQ and GPTQ as they are, in products of few rows and of many.
func TestGrouped(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		for _, c := range []struct {
			layout  ops.GroupLayout
			bits    int
			ordered bool
		}{{ops.AWQ, 4, false}, {ops.GPTQ, 4, true}, {ops.GPTQv2, 8, false}} {
			const rows, cols = 64, 24
			w, matrix := groupedMatrix(t, s, c.layout, c.bits, rows, cols, 16, c.ordered)
			what := fmt.Sprintf("layout %d of %d bits", c.layout, c.bits)
			near(t, what, ops.DequantizeGrouped(s, w, nereid.Float32), matrix, 1e-6)
			for _, m := range []int{3, 40} {
				x := made(t, s, nereid.Float16, func(i int) float64 { return float64(i%5) - 2 }, m, rows)
				b := made(t, s, nereid.Float16, func(i int) float64 { return float64(i) }, cols)
				xs := values(t, x)
				want := make([]float64, m*cols)
				for i := range want {
					want[i] = float64(i % cols)
					for k := range rows {
						want[i] += xs[i/cols*rows+k] * matrix[k*cols+i%cols]
					}
					want[i] = max(want[i], 0)
				}
				near(t, fmt.Sprintf("%s, %d rows", what, m), ops.MatMulGrouped(s, x, w, ops.Bias(b),
					ops.ThenReLU),
					want, 1e-2)
			}
		}
		w, _ := groupedMatrix(t, s, ops.AWQ, 4, 16, 8, 16, false)
		x := s.New(nereid.Float16, 2, 8)
		refused(t, ops.MatMulGrouped(s, x, w), "MatMulGrouped: x: it is fp16[2 8], and w has 16 rows")
		w.Zeros = w.Weights
		refused(t, ops.DequantizeGrouped(s, w, nereid.Float16), "DequantizeGrouped: w.Zeros: it is i32[16 1], not")
		w.Bits = 8
		refused(t, ops.MatMulGrouped(s, x, w), "MatMulGrouped: w: there is no 16x8 matrix of 8 bits")
	})
}
