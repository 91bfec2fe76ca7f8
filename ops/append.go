package ops

import (
	"math"
	"slices"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

// PagedCache is where the keys and values of several sequences lie, as PagedAttention has them: Keys and
// Values of the shape [pages, positions of a page, heads, size], the Table of each sequence's pages and its
// length, of i32. Slots, of i32, say for each new token where its key and value go: the number of its page
// times the positions of a page, plus its position in the page, or a negative number for nowhere.
type PagedCache struct {
	Keys, Values, Table, Lengths, Slots *nereid.Tensor
}

// Rotary is a rotary embedding: Cos and Sin, of fp32, have the shape [positions, size/2]. Elements i and i +
// size/2 of a head are rotated together, or, if Pairs is set, 2i and 2i + 1.
type Rotary struct {
	Cos, Sin *nereid.Tensor
	Pairs    bool
}

// AppendAttention is what a layer of a transformer does between its products. qkv has the shape [batch,
// queries, (heads + 2 * heads of the cache) * size]: the queries, keys and values of the last tokens of some
// sequences, whose lengths include them. Queries and keys are rotated by their positions, keys and values
// stored in the cache, and queries attend to all keys up to their own. The result has the shape [batch,
// queries, heads * size]. For one query of each sequence all this is one kernel.
func AppendAttention(s *Stream, qkv *nereid.Tensor, heads int, cache PagedCache, r Rotary,
	o AttentionOptions) *nereid.Tensor {
	o.Causal = true
	qkv = s.packed(qkv)
	if qkv.Err() == nil && len(qkv.Shape) == 3 && qkv.Shape[1] > 1 {
		return s.appendApart(qkv, heads, cache, r, o)
	}
	c := s.beginAppend("AppendAttention", qkv, heads, cache, r)
	o.key(c)
	return c.run(func(c *call) (*plan, error) {
		a := appending{c: c, o: o, heads: heads, pairs: r.Pairs}
		return a.decode()
	})
}

// beginAppend starts a call with the operands of AppendAttention.
func (s *Stream) beginAppend(op string, qkv *nereid.Tensor, heads int, cache PagedCache, r Rotary) *call {
	c := s.begin(op)
	c.in("qkv", qkv)
	c.in("keys", cache.Keys)
	c.in("values", cache.Values)
	c.in("table", cache.Table)
	c.in("lengths", cache.Lengths)
	c.in("slots", cache.Slots)
	c.in("cos", r.Cos)
	c.in("sin", r.Sin)
	c.attr(heads)
	c.attr(int(b2i(r.Pairs)))
	return c
}

// appendApart does AppendAttention for several queries of a sequence: they attend to each other's keys, which
// must be in the cache before.
func (s *Stream) appendApart(qkv *nereid.Tensor, heads int, cache PagedCache, r Rotary,
	o AttentionOptions) *nereid.Tensor {
	c := s.plain.beginAppend("AppendAttention", qkv, heads, cache, r)
	q := c.run(func(c *call) (*plan, error) {
		a := appending{c: c, o: o, heads: heads, pairs: r.Pairs}
		return a.rotate()
	})
	if q.Err() != nil {
		s.done()
		return q
	}
	shape := []int{q.Shape[0], q.Shape[1], heads * q.Shape[3]}
	var out *nereid.Tensor
	if s.into && s.n > 0 {
		out = s.outs[0]
	} else {
		out = s.New(q.DType, shape...)
	}
	s.done()
	if out.Err() != nil {
		return out
	}
	if !slices.Equal(out.Shape, shape) || !out.Contiguous() {
		return failed(wrong("AppendAttention", outNames[0], "it is %v, not a contiguous tensor of the shape "+
			"%v", out.Shape, shape))
	}
	view := out.Reshape(q.Shape...).Transpose(1, 2)
	a := PagedAttention(s.plain.Into(view), q.Transpose(1, 2), cache.Keys, cache.Values, cache.Table,
		cache.Lengths, o)
	if a.Err() != nil {
		return a
	}
	return out
}

// appending plans a call of AppendAttention.
type appending struct {
	c                    *call
	o                    AttentionOptions
	heads, kv, size      int
	pairs                bool
	batch, queries, page int
	width                int // of a row of qkv
	keys, values         []int
}

// check finds sizes and strides.
func (a *appending) check() error {
	c := a.c
	qkv, keys, values := c.ins[0], c.ins[1], c.ins[2]
	if len(keys.Shape) != 4 || !slices.Equal(keys.Shape, values.Shape) || keys.Shape[3]%2 != 0 {
		return wrong(c.op, "keys", "their shape is %v, and that of values %v: they need four dimensions, "+
			"the last of them even", keys.Shape, values.Shape)
	}
	a.page, a.kv, a.size = keys.Shape[1], keys.Shape[2], keys.Shape[3]
	a.keys, a.values = core.Strides(keys), core.Strides(values)
	a.width = (a.heads + 2*a.kv) * a.size
	switch {
	case len(qkv.Shape) != 3 || qkv.Shape[2] != a.width || a.kv == 0 || a.heads%a.kv != 0:
		return wrong(c.op, "qkv", "its shape is %v: %d heads, and %d of the cache, of the size %d", qkv.Shape,
			a.heads, a.kv, a.size)
	case keys.DType != qkv.DType || values.DType != qkv.DType || !qkv.DType.IsFloat():
		return wrong(c.op, "keys", "qkv, keys and values are of %s, %s and %s", qkv.DType, keys.DType,
			values.DType)
	case a.keys[3] != 1 || a.values[3] != 1:
		return wrong(c.op, "keys", "their last dimension has the stride %d, and that of values %d", a.keys[3],
			a.values[3])
	}
	a.batch, a.queries = qkv.Shape[0], qkv.Shape[1]
	if a.o.Scale == 0 {
		a.o.Scale = 1 / math.Sqrt(float64(a.size))
	}
	return a.checkTables()
}

// checkTables checks the operands of integers, and those of angles.
func (a *appending) checkTables() error {
	c := a.c
	table := c.ins[3]
	for i := 3; i < 6; i++ {
		if c.ins[i].DType != nereid.Int32 {
			return wrong(c.op, c.names[i], "it is of %s, not of i32", c.ins[i].DType)
		}
	}
	if len(table.Shape) != 2 || table.Shape[0] != a.batch || core.Strides(table)[1] != 1 {
		return wrong(c.op, "table", "its shape is %v: it needs a contiguous row for each of %d sequences",
			table.Shape, a.batch)
	}
	for i, n := range []int{a.batch, a.batch * a.queries} {
		if t := c.ins[4+i]; len(t.Shape) != 1 || t.Shape[0] != n || !t.Contiguous() {
			return wrong(c.op, c.names[4+i], "its shape is %v, not [%d]", t.Shape, n)
		}
	}
	for i := 6; i < 8; i++ {
		t := c.ins[i]
		if t.DType != nereid.Float32 || len(t.Shape) != 2 || t.Shape[1] != a.size/2 || !t.Contiguous() {
			return wrong(c.op, c.names[i], "it is %s%v, not contiguous fp32 with %d columns", t.DType,
				t.Shape, a.size/2)
		}
	}
	return nil
}

// rotate plans the queries, rotated, as the result, and keys and values in the cache.
func (a *appending) rotate() (*plan, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	c := a.c
	p := &plan{outs: []result{{c.ins[0].DType, []int{a.batch, a.queries, a.heads, a.size}}}}
	if p.empty() {
		return p, nil
	}
	k, err := c.s.lib.kernel("attention.py", "append_kernel")
	if err != nil {
		return nil, err
	}
	p.steps = []step{{kernel: k, grid: nereid.Grid{a.batch * a.queries},
		slots: []slot{{0, 0}, {1, c.n}, {2, 1}, {3, 2}, {4, 4}, {5, 5}, {6, 6}, {7, 7}},
		args: []any{nil, nil, nil, nil, nil, nil, nil, nil, a.heads, a.kv, a.queries, a.page, a.width,
			a.keys[0], a.keys[2], a.keys[1], a.values[0], a.values[2], a.values[1], a.size / 2, pow2(a.size),
			pow2(a.heads + a.kv), a.pairs, c.s.overlap, nereid.Options{NumWarps: 4, LaunchPDL: c.s.overlap}}}}
	return p, nil
}

// decode plans one query of each sequence.
func (a *appending) decode() (*plan, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	c := a.c
	dt := c.ins[0].DType
	p := &plan{outs: []result{{dt, []int{a.batch, 1, a.heads * a.size}}}}
	if p.empty() {
		return p, nil
	}
	if c.s.into && c.s.n > 0 && !c.s.outs[0].Contiguous() {
		return nil, wrong(c.op, outNames[0], "it is a view; this op fills tensors without gaps")
	}
	if c.s.chip == cpuChip && a.page <= longestPage && a.page == pow2(a.page) {
		return p, a.decodeOnCores(p)
	}
	k, err := c.s.lib.kernel("attention.py", "append_decode_kernel")
	if err != nil {
		return nil, err
	}
	counters, err := c.s.zeros(a.batch * a.kv)
	if err != nil {
		return nil, err
	}
	t, splits := a.tile()
	group, dim := a.heads/a.kv, max(pow2(a.size), 16)
	p.scratch = []result{{nereid.Float32, []int{a.batch * a.heads * splits, dim}},
		{nereid.Float32, []int{a.batch * a.heads * splits, 2}}}
	p.steps = []step{{kernel: k, grid: nereid.Grid{splits, a.batch * a.kv},
		slots: []slot{{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}, {7, 7}, {8, c.n}, {9, c.n + 1},
			{10, c.n + 2}},
		args: []any{nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, counters, a.o.Scale, a.heads,
			group, a.o.Window, splits, a.page, a.width, a.keys[0], a.keys[2], a.keys[1], a.values[0],
			a.values[2], a.values[1], core.Strides(c.ins[3])[0], a.heads * a.size, a.size / 2, dim, t.m, t.n,
			pow2(group),
			max(1, min(pow2(splits), 1024*t.warps/(dim*pow2(group)))), a.pairs, a.o.Window > 0, "ieee",
			c.s.overlap,
			nereid.Options{NumWarps: t.warps, NumStages: t.stages, LaunchPDL: c.s.overlap}}}}
	return p, nil
}

// longestPage is how many positions a page may have that a core attends to at once.
const longestPage = 64

// decodeOnCores plans decode for the cores of a CPU: a program for each head.
func (a *appending) decodeOnCores(p *plan) error {
	c := a.c
	k, err := c.s.lib.kernel("attention.py", "append_decode_core_kernel")
	p.steps = []step{{kernel: k, grid: nereid.Grid{a.heads, a.batch},
		slots: []slot{{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}, {7, 7}, {8, c.n}},
		args: []any{nil, nil, nil, nil, nil, nil, nil, nil, nil, a.o.Scale, a.heads, a.heads / a.kv,
			a.o.Window, a.width, a.keys[0], a.keys[2], a.keys[1], a.values[0], a.values[2], a.values[1],
			core.Strides(c.ins[3])[0], a.heads * a.size, a.size / 2, pow2(a.size), a.page, a.pairs,
			a.o.Window > 0}}}
	return err
}

// tile returns the config of decode, and into how many parts the keys of a sequence are divided at most:
// enough of them for all SMs.
func (a *appending) tile() (t blocks, splits int) {
	t = blocks{m: max(pow2(a.heads/a.kv), 16), n: 32, warps: 4, stages: 1}
	if a.batch*a.kv >= enough {
		t.warps = 1 // programs enough: each waits for nobody
	}
	splits = nereid.Cdiv(4*enough, a.batch*a.kv)
	if a.c.s.chip != gpuChip {
		splits = 4
	}
	return t, min(splits, 64, nereid.Cdiv(a.c.ins[3].Shape[1]*a.page, t.n))
}
