package ops_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/ops"
)

// attended returns attention in float64. at returns an element of k or v by batch, head, position and
// dimension.
func attended(t *testing.T, q *nereid.Tensor, kvHeads int, lengths []int, o ops.AttentionOptions,
	at func(v bool, b, h, n, d int) float64) (out []float64) {
	t.Helper()
	x := values(t, q)
	heads, queries, size := q.Shape[1], q.Shape[2], q.Shape[3]
	scale := o.Scale
	if scale == 0 {
		scale = 1 / math.Sqrt(float64(size))
	}
	for row := range q.Shape[0] * heads * queries {
		b, h, pos := row/queries/heads, row/queries%heads, lengths[row/queries/heads]-queries+row%queries
		var scores []float64
		var seen []int
		for n := range lengths[b] {
			if o.Causal && n > pos || o.Window > 0 && n <= pos-o.Window {
				continue
			}
			sum := 0.0
			for d := range size {
				sum += x[row*size+d] * at(false, b, h*kvHeads/heads, n, d)
			}
			scores, seen = append(scores, sum*scale), append(seen, n)
		}
		lse := logSumExp(scores)
		for d := range size {
			sum := 0.0
			for i, n := range seen {
				sum += math.Exp(scores[i]-lse) * at(true, b, h*kvHeads/heads, n, d)
			}
			out = append(out, sum)
		}
	}
	return out
}

// TestAttention: full, causal and sliding attention, grouped heads, sizes that no block divides, few queries
// over many keys.
func TestAttention(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		for i, c := range []struct {
			heads, kv, queries, keys, size int
			o                              ops.AttentionOptions
		}{
			{2, 2, 40, 40, 16, ops.AttentionOptions{}},
			{2, 2, 40, 40, 16, ops.AttentionOptions{Causal: true}},
			{4, 2, 33, 70, 32, ops.AttentionOptions{Causal: true}},
			{4, 1, 70, 70, 24, ops.AttentionOptions{Causal: true, Window: 20}},
			{2, 1, 20, 50, 16, ops.AttentionOptions{Scale: 0.5}},
			{4, 2, 1, 300, 16, ops.AttentionOptions{Causal: true}},
			{3, 1, 3, 333, 24, ops.AttentionOptions{Causal: true, Window: 100}},
		} {
			if s.Stream().Device().String() != "interp" && i%3 != 2 {
				continue // two are enough for compiled code
			}
			s.Reset()
			dt, tol := nereid.Float32, 1e-5
			if i%2 == 1 {
				dt, tol = nereid.Float16, 3e-3
			}
			q := made(t, s, dt, wave, 2, c.heads, c.queries, c.size)
			k := made(t, s, dt, func(i int) float64 { return wave(i*3) / 2 }, 2, c.keys, c.kv, c.size)
			k = k.Transpose(1, 2)
			v := made(t, s, dt, func(i int) float64 { return wave(i + 5) }, 2, c.kv, c.keys, c.size)
			ks, vs := values(t, k), values(t, v)
			want := attended(t, q, c.kv, []int{c.keys, c.keys}, c.o, func(v bool, b, h, n, d int) float64 {
				if v {
					return vs[((b*c.kv+h)*c.keys+n)*c.size+d]
				}
				return ks[((b*c.kv+h)*c.keys+n)*c.size+d]
			})
			near(t, fmt.Sprintf("Attention %+v", c), ops.Attention(s, q, k, v, c.o), want, tol)
		}
	})
}

// TestPagedAttention: sequences of different lengths whose positions are in scattered pages.
func TestPagedAttention(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		const pages, page, kv, size, room = 12, 16, 2, 16, 5
		k := made(t, s, nereid.Float16, func(i int) float64 { return wave(i*3) / 2 }, pages, page, kv, size)
		v := made(t, s, nereid.Float16, func(i int) float64 { return wave(i + 5) }, pages, page, kv, size)
		q := made(t, s, nereid.Float16, wave, 2, 4, 1, size)
		table := made(t, s, nereid.Int32, func(i int) float64 { return float64(i * 7 % pages) }, 2, room)
		lengths := made(t, s, nereid.Int32, func(i int) float64 { return []float64{77, 5}[i] }, 2)
		ks, vs := values(t, k), values(t, v)
		o := ops.AttentionOptions{Causal: true}
		want := attended(t, q, kv, []int{77, 5}, o, func(v bool, b, h, n, d int) float64 {
			at := (((b*room+n/page)*7%pages*page+n%page)*kv+h)*size + d
			if v {
				return vs[at]
			}
			return ks[at]
		})
		near(t, "PagedAttention", ops.PagedAttention(s, q, k, v, table, lengths, o), want, 3e-3)
	})
}
