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
		lse := 0.0
		if len(scores) > 0 {
			lse = logSumExp(scores)
		}
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

// TestLowScores: a masked key has no weight beside a score far below zero.
func TestLowScores(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		const keys, size = 20, 16
		for _, o := range []ops.AttentionOptions{{Causal: true}, {Causal: true, Window: 3}, {}} {
			q := made(t, s, nereid.Float32, func(int) float64 { return 2048 }, 1, 1, keys, size)
			k := made(t, s, nereid.Float32, func(int) float64 { return -2048 }, 1, 1, keys, size)
			row := func(i int) float64 { return float64(i / size) }
			v := made(t, s, nereid.Float32, row, 1, 1, keys, size)
			want := attended(t, q, 1, []int{keys}, o, func(v bool, _, _, n, _ int) float64 {
				if v {
					return float64(n)
				}
				return -2048
			})
			near(t, fmt.Sprintf("Attention %+v", o), ops.Attention(s, q, k, v, o), want, 1e-5)
		}
	})
}

// TestPagedAttention: sequences of different lengths whose positions are in scattered pages; one has none.
func TestPagedAttention(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		const pages, page, kv, size, room = 12, 16, 2, 16, 5
		k := made(t, s, nereid.Float16, func(i int) float64 { return wave(i*3) / 2 }, pages, page, kv, size)
		v := made(t, s, nereid.Float16, func(i int) float64 { return wave(i + 5) }, pages, page, kv, size)
		q := made(t, s, nereid.Float16, wave, 3, 4, 1, size)
		table := made(t, s, nereid.Int32, func(i int) float64 { return float64(i * 7 % pages) }, 3, room)
		lengths := made(t, s, nereid.Int32, func(i int) float64 { return []float64{77, 5, 0}[i] }, 3)
		ks, vs := values(t, k), values(t, v)
		o := ops.AttentionOptions{Causal: true}
		want := attended(t, q, kv, []int{77, 5, 0}, o, func(v bool, b, h, n, d int) float64 {
			at := (((b*room+n/page)*7%pages*page+n%page)*kv+h)*size + d
			if v {
				return vs[at]
			}
			return ks[at]
		})
		near(t, "PagedAttention", ops.PagedAttention(s, q, k, v, table, lengths, o), want, 3e-3)
	})
}

// TestAppendAttention: new tokens of sequences of several lengths are rotated, stored in their pages and
// attend to what was there before, beside the same by ops of their own.
func TestAppendAttention(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		const pages, page, heads, kv, size, room = 24, 16, 6, 2, 16, 10
		rows := heads + 2*kv
		for i, queries := range []int{1, 4, 1} {
			if i == 2 && s.Stream().Device().String() == "sim:90" {
				continue
			}
			s.Reset()
			full := []int{150, 5 + queries}
			o := ops.AttentionOptions{Window: []int{0, 0, 40}[i]}
			at := func(b, position int) int { return (b*room+position/page)*7%pages*page + position%page }
			cache := ops.PagedCache{
				Keys: made(t, s, nereid.Float16, func(i int) float64 { return wave(i*3) / 2 }, pages, page,
					kv, size),
				Values: made(t, s, nereid.Float16, func(i int) float64 { return wave(i + 5) }, pages, page,
					kv, size),
				Table: made(t, s, nereid.Int32, func(i int) float64 { return float64(i * 7 % pages) }, 2,
					room),
				Lengths: made(t, s, nereid.Int32, func(i int) float64 { return float64(full[i]) }, 2),
				Slots: made(t, s, nereid.Int32, func(i int) float64 {
					if i == 2*queries-1 {
						return -1 // the last one is stored nowhere
					}
					return float64(at(i/queries, full[i/queries]-queries+i%queries))
				}, 2*queries),
			}
			angle := func(f func(float64) float64) *nereid.Tensor {
				return made(t, s, nereid.Float32, func(i int) float64 {
					return f(float64(i/(size/2)) / float64(1+i%(size/2)))
				}, 160, size/2)
			}
			r := ops.Rotary{Cos: angle(math.Cos), Sin: angle(math.Sin), Pairs: i != 1}
			qkv := made(t, s, nereid.Float16, wave, 2, queries, rows*size)

			// The same step by step: rotation, cache, attention.
			split := qkv.Reshape(2, queries, rows, size).Transpose(1, 2)
			pick := make([]float64, 2*queries)
			for j := range pick {
				pick[j] = float64(full[j/queries] - queries + j%queries)
			}
			index := made(t, s, nereid.Int32, func(i int) float64 { return pick[i] }, 2*queries)
			cos := ops.Take(s, r.Cos, index, 0).Reshape(2, queries, size/2)
			sin := ops.Take(s, r.Sin, index, 0).Reshape(2, queries, size/2)
			rope := ops.Rope
			if r.Pairs {
				rope = ops.RopePairs
			}
			turned := rope(s, split.Slice(1, 0, heads+kv, 1), cos, sin)
			k, v := values(t, cache.Keys), values(t, cache.Values)
			newK := values(t, turned.Slice(1, heads, heads+kv, 1))
			newV := values(t, split.Slice(1, heads+kv, rows, 1))
			for j := range 2 * queries * kv * size {
				b, h, n, d := j/(kv*queries*size), j/(queries*size)%kv, j/size%queries, j%size
				to := (at(b, full[b]-queries+n)*kv+h)*size + d
				k[to], v[to] = newK[j], newV[j]
			}
			want := attended(t, turned.Slice(1, 0, heads, 1), kv, full,
				ops.AttentionOptions{Causal: true, Window: o.Window}, func(isV bool, b, h, n, d int) float64 {
					if isV {
						return v[(at(b, n)*kv+h)*size+d]
					}
					return k[(at(b, n)*kv+h)*size+d]
				})
			if queries > 1 { // the one that is stored nowhere is not seen either
				want = want[:heads*queries*size]
			}
			for range 2 { // counters are as they were after the first call
				got := ops.AppendAttention(s, qkv, heads, cache, r, o)
				if got.Err() == nil {
					got = got.Reshape(2, queries, heads, size).Transpose(1, 2)
					got = got.Slice(0, 0, len(want)/(heads*queries*size), 1)
				}
				near(t, fmt.Sprintf("AppendAttention of %d queries", queries), got, want, 3e-3)
			}
			stored := (at(1, full[1]-1) * kv) * size
			for j := range kv * size { // the slot of the last token has what it had
				k[stored+j], v[stored+j] = wave((stored+j)*3)/2, wave(stored+j+5)
			}
			near(t, "keys", cache.Keys, k, 1e-3)
			near(t, "values", cache.Values, v, 1e-3)
		}
	})
}
