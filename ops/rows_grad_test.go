package ops_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/ops"
)

// TestCrossEntropyGrad: the gradient of logits, and zeros for a label outside of the row.
func TestCrossEntropyGrad(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		const rows, cols = 3, 70
		x := made(t, s, nereid.Float32, wave, rows, cols)
		labels := made(t, s, nereid.Int32, func(i int) float64 { return []float64{4, -1, 69}[i] }, rows)
		grad := made(t, s, nereid.Float32, func(i int) float64 { return float64(i + 1) }, rows)
		xs := values(t, x)
		want := make([]float64, rows*cols)
		for r, label := range []int{4, -1, 69} {
			sum := logSumExp(xs[r*cols : (r+1)*cols])
			for j := range cols {
				if label >= 0 {
					want[r*cols+j] = math.Exp(xs[r*cols+j]-sum) * float64(r+1)
				}
			}
			if label >= 0 {
				want[r*cols+label] -= float64(r + 1)
			}
		}
		near(t, "CrossEntropyGrad", ops.CrossEntropyGrad(s, x, labels, grad), want, 1e-5)
		loss, lse := ops.CrossEntropyLSE(s, x, labels)
		near(t, "loss of CrossEntropyLSE", loss, values(t, ops.CrossEntropy(s, x, labels)), 1e-6)
		near(t, "CrossEntropyGradLSE", ops.CrossEntropyGradLSE(s, x, labels, lse, grad), want, 1e-5)
		refused(t, ops.CrossEntropyGradLSE(s, x, labels, x, grad),
			"CrossEntropyGradLSE: lse: it is fp32[3 70], not floats of the shape [3]")
		refused(t, ops.CrossEntropyGrad(s, x, labels, x),
			"CrossEntropyGrad: grad: it is fp32[3 70], not floats of the shape [3]")
	})
}

// normGrads returns the gradients of a norm in float64.
func normGrads(x, w, g []float64, eps float64, center bool) (dx, dw, db []float64) {
	cols := len(w)
	n := float64(cols)
	dx, dw, db = make([]float64, len(x)), make([]float64, cols), make([]float64, cols)
	for r := 0; r < len(x); r += cols {
		mean, squares, along, sum := 0.0, 0.0, 0.0, 0.0
		if center {
			mean = sumOf(x[r:r+cols]) / n
		}
		for j := range cols {
			squares += (x[r+j] - mean) * (x[r+j] - mean) / n
		}
		inv := 1 / math.Sqrt(squares+eps)
		for j := range cols {
			v := (x[r+j] - mean) * inv
			along, sum = along+g[r+j]*w[j]*v/n, sum+g[r+j]*w[j]/n
			dw[j], db[j] = dw[j]+g[r+j]*v, db[j]+g[r+j]
		}
		if !center {
			sum = 0
		}
		for j := range cols {
			dx[r+j] = (g[r+j]*w[j] - (x[r+j]-mean)*inv*along - sum) * inv
		}
	}
	return dx, dw, db
}

// TestNormGrad: gradients of RMS norm and layer norm, of contiguous rows and of views.
func TestNormGrad(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		for _, cols := range []int{20, 64} {
			whole := made(t, s, nereid.Float32, wave, 2, 5, cols+3)
			x := whole.Slice(2, 0, cols, 1)
			w := made(t, s, nereid.Float32, func(i int) float64 { return wave(i * 3) }, cols)
			g := made(t, s, nereid.Float32, func(i int) float64 { return wave(i * 5) }, 2, 5, cols)
			what := fmt.Sprintf(" of rows of %d", cols)
			dx, dw, _ := normGrads(values(t, x), values(t, w), values(t, g), 1e-5, false)
			gx, gw := ops.RMSNormGrad(s, x, w, g, 1e-5)
			near(t, "RMSNormGrad"+what, gx, dx, 1e-5)
			near(t, "the weight"+what, gw, dw, 1e-5)
			dx, dw, db := normGrads(values(t, x), values(t, w), values(t, g), 1e-5, true)
			gx, gw, gb := ops.LayerNormGrad(s, x, w, g, 1e-5)
			near(t, "LayerNormGrad"+what, gx, dx, 2e-5)
			near(t, "the weight of LayerNorm"+what, gw, dw, 1e-5)
			near(t, "the bias"+what, gb, db, 1e-5)
			gx, _ = ops.RMSNormGrad(s, x.Transpose(0, 2), w, g, 1e-5)
			refused(t, gx, "RMSNormGrad: weight: ")
			gx, _ = ops.RMSNormGrad(s, x, w, w, 1e-5)
			refused(t, gx, "RMSNormGrad: grad: ")
		}
	})
}
