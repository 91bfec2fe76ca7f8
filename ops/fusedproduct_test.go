package ops_test

import (
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/ops"
)

// TestProductOptions: Norm, Gated and Plus in products of one row, of few and of many, with all formats of
// small blocks and with dense matrices, beside the same by ops of their own.
func TestProductOptions(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		const cols, rows = 96, 48
		for i, c := range formats[:3] {
			for _, m := range []int{1, 3, 9} {
				if s.Stream().Device().String() == "sim:90" && (i+m)%3 != 1 {
					continue // one format for each number of rows is enough for a slow device
				}
				s.Reset()
				w, _ := quantizedMatrix(t, s, i, rows, cols)
				x := made(t, s, nereid.Float16, wave, m, cols)
				norm := made(t, s, nereid.Float16, func(i int) float64 { return 1 + wave(i)/9 }, cols)
				plus := made(t, s, nereid.Float16, wave, m, rows)
				dense := ops.Dequantize(s, w, nereid.Float32).Transpose(0, 1)
				h := ops.RMSNorm(s, ops.Cast(s, x, nereid.Float32), norm, 1e-3)
				y := ops.MatMul(s, h, dense)
				tol := []float64{6e-3, 6e-3, 4e-2}[i] // of differences of products that are large in Q8_0
				what := fmt.Sprintf("%s, %d rows", c.f, m)
				near(t, "Norm, Plus "+what, ops.MatMulQuantized(s, x, w, ops.Norm(norm, 1e-3), ops.Plus(plus),
					ops.FixedWeights), values(t, ops.Add(s, y, plus)), tol)
				gate := ops.SwiGLU(s, y.Slice(1, 0, rows/2, 1), y.Slice(1, rows/2, rows, 1))
				want := values(t, gate)
				near(t, "Norm, Gated "+what, ops.MatMulQuantized(s, x, w, ops.Norm(norm, 1e-3), ops.ThenSiLU,
					ops.Gated, ops.FixedWeights), want, tol)
				if i > 0 {
					continue
				}
				single := ops.Cast(s, x, nereid.Float32)
				near(t, "dense "+what, ops.MatMul(s, single, dense, ops.Norm(norm, 1e-3), ops.ThenSiLU,
					ops.Gated), want, 1e-5)
			}
		}
	})
}
