package ops_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/ops"
)

// attendedGrad returns the gradients of q, k and v, and lse, in float64.
func attendedGrad(t *testing.T, q, k, v, g *nereid.Tensor, o ops.AttentionOptions) (lse, dq, dk,
	dv []float64) {
	t.Helper()
	xq, xk, xv, xg := values(t, q), values(t, k), values(t, v), values(t, g)
	heads, queries, size, kvHeads, keys := q.Shape[1], q.Shape[2], q.Shape[3], k.Shape[1], k.Shape[2]
	scale := 1 / math.Sqrt(float64(size))
	dq, dk, dv = make([]float64, len(xq)), make([]float64, len(xk)), make([]float64, len(xv))
	dot := func(a, b []float64, i, j int) (sum float64) {
		for d := range size {
			sum += a[i*size+d] * b[j*size+d]
		}
		return sum
	}
	for row := range q.Shape[0] * heads * queries {
		first := (row/queries/heads*kvHeads + row/queries%heads*kvHeads/heads) * keys
		pos := keys - queries + row%queries
		var scores []float64
		for n := range keys {
			if o.Causal && n > pos || o.Window > 0 && n <= pos-o.Window {
				scores = append(scores, math.Inf(-1))
				continue
			}
			scores = append(scores, dot(xq, xk, row, first+n)*scale)
		}
		sum := logSumExp(scores)
		lse = append(lse, sum)
		delta := 0.0
		for n := range keys {
			delta += math.Exp(scores[n]-sum) * dot(xg, xv, row, first+n)
		}
		for n := range keys {
			p := math.Exp(scores[n] - sum)
			ds := p * (dot(xg, xv, row, first+n) - delta) * scale
			for d := range size {
				dq[row*size+d] += ds * xk[(first+n)*size+d]
				dk[(first+n)*size+d] += ds * xq[row*size+d]
				dv[(first+n)*size+d] += p * xg[row*size+d]
			}
		}
	}
	return lse, dq, dk, dv
}

// TestAttentionGrad: gradients of full, causal and sliding attention with grouped heads.
func TestAttentionGrad(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		for i, c := range []struct {
			dt                             nereid.DType
			heads, kv, queries, keys, size int
			o                              ops.AttentionOptions
		}{
			{nereid.Float32, 2, 1, 21, 40, 24, ops.AttentionOptions{Causal: true}},
			{nereid.Float16, 4, 2, 70, 70, 16, ops.AttentionOptions{Causal: true, Window: 20}},
			{nereid.BFloat16, 2, 2, 33, 50, 16, ops.AttentionOptions{}},
			{nereid.Float32, 2, 2, 40, 40, 16, ops.AttentionOptions{Window: 9}},
			{nereid.Float16, 2, 1, 150, 150, 16, ops.AttentionOptions{Causal: true}},
			{nereid.BFloat16, 1, 1, 70, 130, 64, ops.AttentionOptions{Causal: true}},
		} {
			if on := s.Stream().Device().String(); on != "interp" && i > 2 && (on != "sim:90" || i < 5) {
				continue // three are enough for compiled code, and one with the tiles of large heads
			}
			s.Reset()
			q := made(t, s, c.dt, func(i int) float64 { return wave(i) / 3 }, 2, c.heads, c.queries, c.size)
			k := made(t, s, c.dt, func(i int) float64 { return wave(i*3) / 3 }, 2, c.kv, c.keys, c.size)
			v := made(t, s, c.dt, func(i int) float64 { return wave(i*5) / 3 }, 2, c.kv, c.keys, c.size)
			g := made(t, s, c.dt, func(i int) float64 { return wave(i*7) / 3 }, 2, c.heads, c.queries, c.size)
			lse, dq, dk, dv := attendedGrad(t, q, k, v, g, c.o)
			for _, anyOrder := range []bool{false, true} {
				c.o.AnyOrder = anyOrder
				out, sums := ops.AttentionLSE(s, q, k, v, c.o)
				gq, gk, gv := ops.AttentionGrad(s, q, k, v, out, sums, g, c.o)
				for _, r := range []struct {
					what string
					got  *nereid.Tensor
					want []float64
					tol  float64
				}{{"lse", sums, lse, 2e-3}, {"dq", gq, dq, 1}, {"dk", gk, dk, 1}, {"dv", gv, dv, 1}} {
					near(t, fmt.Sprintf("%s of case %d, any order %v", r.what, i, anyOrder), r.got, r.want,
						min(r.tol, 3*tolerance(c.dt)))
				}
			}
		}
	})
}

// TestAttentionGradErrors: wrong operands are named.
func TestAttentionGradErrors(t *testing.T) {
	s := streamOn(t, "cpu")
	q, lse := s.New(nereid.Float32, 1, 2, 8, 16), s.New(nereid.Float32, 1, 2, 8)
	var o ops.AttentionOptions
	for _, c := range []struct {
		out, lse, grad *nereid.Tensor
		want           string
	}{
		{q, q, q, "AttentionGrad: lse: it is fp32[1 2 8 16]"},
		{q, lse, q.Slice(2, 0, 4, 1), "AttentionGrad: grad: it is fp32[1 2 4 16], and q fp32[1 2 8 16]"},
		{ops.Cast(s, q, nereid.Float16), lse, q, "AttentionGrad: out: it is fp16[1 2 8 16], and q fp32"},
		{q, lse, s.New(nereid.Float32, 1, 2, 16, 8).Transpose(2, 3), "AttentionGrad: grad: its shape is"},
	} {
		dq, _, dv := ops.AttentionGrad(s, q, q, q, c.out, c.lse, c.grad, o)
		refused(t, dq, c.want)
		refused(t, dv, c.want)
	}
}
