package ops

import (
	"math"
	"slices"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

// AttentionOptions says how queries attend to keys. The zero value lets each query see all keys.
type AttentionOptions struct {
	Causal bool    // a query sees the keys up to its position; the last query is at that of the last key
	Window int     // if not 0: a query sees no key that lies this many positions or more before its own
	Scale  float64 // of the products; 0: 1 divided by the root of the size of a head
	// AnyOrder lets AttentionGrad add up the gradients of queries in any order, which is faster on GPUs: two
	// calls may differ in the last bits.
	AnyOrder bool
}

// Attention returns softmax(q @ kᵀ * scale) @ v for each head. q has the shape [batch, heads, queries,
// size], k and v [batch, heads, keys, size]; the first dimension may be missing. k and v may have fewer
// heads, each for several of q in turn (grouped heads). The operands are of one type, views of any strides
// but along the last dimension. The result has type and shape of q.
//
// Few queries over many keys, as when a text is continued, are computed in parts of the keys.
func Attention(s *Stream, q, k, v *nereid.Tensor, o AttentionOptions) *nereid.Tensor {
	c := s.begin("Attention")
	c.in("q", q)
	c.in("k", k)
	c.in("v", v)
	o.key(c)
	return c.run(func(c *call) (*plan, error) {
		a := attention{c: c, o: o}
		return a.plan()
	})
}

// PagedAttention returns attention of the last queries of several sequences, whose keys and values lie in
// pages: k and v have the shape [pages, positions of a page, heads, size], table, of i32, says for each
// sequence which pages its positions are in, in order, and lengths, of i32, how many positions it has. q
// has the shape [batch, heads, queries, size], the last query being at the last position. Of a query without
// positions the result is 0. The number of positions that the table has room for bounds the work of a launch.
func PagedAttention(s *Stream, q, k, v, table, lengths *nereid.Tensor, o AttentionOptions) *nereid.Tensor {
	c := s.begin("PagedAttention")
	c.in("q", q)
	c.in("k", k)
	c.in("v", v)
	c.in("table", table)
	c.in("lengths", lengths)
	o.key(c)
	return c.run(func(c *call) (*plan, error) {
		a := attention{c: c, o: o, paged: true}
		return a.plan()
	})
}

// key adds the options to a call's key. The scale is a part of it, too: models have few.
func (o *AttentionOptions) key(c *call) {
	c.attr(int(b2i(o.Causal)) | int(b2i(o.AnyOrder))<<1)
	c.attr(o.Window)
	c.attr(int(math.Float64bits(o.Scale)))
	if c.err == nil && o.Window < 0 {
		c.err = wrong(c.op, "", "the window is %d", o.Window)
	}
}

// attention plans a call.
type attention struct {
	c                          *call
	o                          AttentionOptions
	paged                      bool
	batch, heads, group        int
	queries, length, size, dim int
	page                       int
	strides                    [4][3]int // of q, k, v, out: batch or page, head, position
}

func (a *attention) plan() (*plan, error) {
	if err := a.shapes(); err != nil {
		return nil, err
	}
	p := &plan{outs: []result{{a.c.ins[0].DType, slices.Clone(a.c.ins[0].Shape)}}}
	if count(p.outs[0].shape) == 0 {
		return p, nil
	}
	if a.paged || a.queries*a.group <= decodeRows && a.length >= decodeKeys {
		return p, a.decode(p)
	}
	return p, a.prefill(p)
}

// shapes checks the operands and finds sizes and strides.
func (a *attention) shapes() error {
	c := a.c
	var dims [3][]int
	for i := range 3 {
		t := c.ins[i]
		shape, strides := t.Shape, core.Strides(t)
		if len(shape) == 3 && (i == 0 || !a.paged) {
			shape, strides = append([]int{1}, shape...), append([]int{0}, strides...)
		}
		if len(shape) != 4 {
			return wrong(c.op, c.names[i], "its shape is %v, not one of four dimensions", t.Shape)
		}
		if a.paged && i > 0 { // [page, position, head, size] → [page, head, position, size]
			shape, strides = swapped(shape), swapped(strides)
		}
		if t.DType != c.ins[0].DType || !t.DType.IsFloat() || t.DType == nereid.Float64 {
			return wrong(c.op, c.names[i], "it is of %s, and q of %s", t.DType, c.ins[0].DType)
		}
		if strides[3] != 1 && shape[3] > 1 {
			return wrong(c.op, c.names[i], "its last dimension has the stride %d: copy it", strides[3])
		}
		dims[i] = shape
		a.strides[i] = [3]int(strides[:3])
	}
	q, k, v := dims[0], dims[1], dims[2]
	a.batch, a.heads, a.queries, a.size = q[0], q[1], q[2], q[3]
	a.length, a.page, a.dim = k[2], k[2], max(pow2(a.size), 16)
	switch {
	case !slices.Equal(k, v):
		return wrong(c.op, "v", "its shape is %v, and that of k %v", c.ins[2].Shape, c.ins[1].Shape)
	case k[3] != q[3] || !a.paged && k[0] != q[0]:
		return wrong(c.op, "k", "its shape is %v, and that of q %v", c.ins[1].Shape, c.ins[0].Shape)
	case k[1] == 0 || a.heads%k[1] != 0:
		return wrong(c.op, "k", "its %d heads are no part of the %d of q", k[1], a.heads)
	case a.length == 0:
		return wrong(c.op, "k", "it has no positions")
	case a.o.Causal && !a.paged && a.queries > a.length:
		return wrong(c.op, "q", "its first positions are before the first key: it has %d positions, and k %d",
			a.queries, a.length)
	}
	a.group = a.heads / k[1]
	out := c.outStrides(c.ins[0].Shape)
	if len(out) == 3 {
		out = append([]int{0}, out...)
	}
	if out[3] != 1 && a.size > 1 {
		return wrong(c.op, outNames[0], "its last dimension has the stride %d", out[3])
	}
	a.strides[3] = [3]int(out[:3])
	if a.o.Scale == 0 {
		a.o.Scale = 1 / math.Sqrt(float64(a.size))
	}
	if a.paged {
		return a.pages()
	}
	return nil
}

func swapped(x []int) []int { return []int{x[0], x[2], x[1], x[3]} }

// pages checks the table of pages.
func (a *attention) pages() error {
	c := a.c
	table, lengths := c.ins[3], c.ins[4]
	for i := 3; i < 5; i++ {
		if c.ins[i].DType != nereid.Int32 {
			return wrong(c.op, c.names[i], "it is of %s, not of i32", c.ins[i].DType)
		}
	}
	if len(table.Shape) != 2 || table.Shape[0] != a.batch || core.Strides(table)[1] != 1 {
		return wrong(c.op, "table", "its shape is %v with the strides %v: it needs a contiguous row for "+
			"each of %d sequences", table.Shape, core.Strides(table), a.batch)
	}
	if len(lengths.Shape) != 1 || lengths.Shape[0] != a.batch || !lengths.Contiguous() {
		return wrong(c.op, "lengths", "its shape is %v: it needs one number for each of %d sequences",
			lengths.Shape, a.batch)
	}
	if a.queries*a.group > 128 {
		return wrong(c.op, "q", "it has %d queries for each head of k, more than 128", a.queries*a.group)
	}
	a.length = table.Shape[1] * a.page
	return nil
}

// precision returns the input precision of products: that of the type.
func (a *attention) precision() string { return "ieee" }

// prefill plans blocks of queries.
func (a *attention) prefill(p *plan) error {
	k, err := a.c.s.lib.kernel("attention.py", "attention_kernel")
	if err != nil {
		return err
	}
	t := a.tile()
	args := []any{nil, nil, nil, nil, nil, a.o.Scale, a.heads, a.group, a.queries, a.length, a.o.Window}
	for _, s := range a.strides {
		args = append(args, s[0], s[1], s[2])
	}
	args = append(args, a.size, a.dim, t.m, t.n, a.o.Causal, a.o.Window > 0, a.queries == a.length,
		a.precision(), t.options())
	p.steps = []step{{kernel: k, args: args, slots: []slot{{0, 0}, {1, 1}, {2, 2}, {3, a.c.n}},
		grid: nereid.Grid{nereid.Cdiv(a.queries, t.m), a.batch * a.heads}}}
	return nil
}

// decode plans parts of the keys, and their sum.
func (a *attention) decode(p *plan) error {
	first, err := a.c.s.lib.kernel("attention.py", "decode_kernel")
	if err != nil {
		return err
	}
	second, err := a.c.s.lib.kernel("attention.py", "combine_kernel")
	if err != nil {
		return err
	}
	kv := a.heads / a.group
	t, chunk := a.decodeTile()
	splits := nereid.Cdiv(a.length, chunk)
	rows := a.batch * a.heads * a.queries
	p.scratch = []result{{nereid.Float32, []int{rows * splits, a.dim}},
		{nereid.Float32, []int{rows * splits, 2}}}
	partial, table, stride := a.c.n+1, -1, 0
	if a.paged {
		table, stride = 3, core.Strides(a.c.ins[3])[0]
	}
	args := []any{nil, nil, nil, nil, nil, nil, nil, a.o.Scale, a.heads, a.group, a.queries, a.length,
		a.o.Window, chunk, splits}
	for _, s := range a.strides[:3] {
		args = append(args, s[0], s[1], s[2])
	}
	args = append(args, stride, a.page, a.size, a.dim, t.m, t.n, a.o.Causal, a.o.Window > 0, a.precision(),
		t.options())
	slots := []slot{{0, 0}, {1, 1}, {2, 2}, {5, partial}, {6, partial + 1}}
	if table >= 0 {
		slots = append(slots, slot{3, 3}, slot{4, 4})
	}
	o := a.strides[3]
	p.steps = []step{
		{kernel: first, args: args, slots: slots, grid: nereid.Grid{splits, a.batch * kv}},
		{kernel: second, slots: []slot{{0, partial}, {1, partial + 1}, {2, a.c.n}}, grid: nereid.Grid{rows},
			args: []any{nil, nil, nil, a.heads, a.queries, splits, o[0], o[1], o[2], a.size, a.dim,
				pow2(splits), nereid.Options{NumWarps: 4}}},
	}
	return nil
}

const (
	decodeRows = 16  // queries of a group of heads that are computed in parts of the keys
	decodeKeys = 256 // from how many keys on
)

// tile returns the config of prefill: that of kernels/attention.py with which an H200 is fastest
// (docs/PERFORMANCE.md). docs/OPERATORS.md has what this kernel reaches with it.
func (a *attention) tile() blocks {
	t := blocks{m: 128, n: 128, warps: 8, stages: 3}
	if a.dim <= 64 { // two programs run on an SM, and fill each other's gaps
		t = blocks{m: 128, n: 64, warps: 8, stages: 3}
	}
	switch {
	case a.c.s.chip != gpuChip:
		t = blocks{m: 64, n: 64, warps: 4, stages: 1}
	case a.c.ins[0].DType == nereid.Float32 || a.dim > 128:
		t = blocks{m: 64, n: 32, warps: 4, stages: 2}
	}
	t.m = min(t.m, max(pow2(a.queries), 16))
	t.n = min(t.n, max(pow2(a.length), 16))
	if t.m < 64 {
		t.warps = 4
	}
	return t
}

// decodeTile returns the config of decode, and how many keys a part has: enough parts for all SMs, and not
// more than combine takes at once.
func (a *attention) decodeTile() (t blocks, chunk int) {
	t = blocks{m: max(pow2(a.queries*a.group), 16), n: 64, warps: 4, stages: 3}
	parts := nereid.Cdiv(3*enough, a.batch*(a.heads/a.group))
	if a.c.s.chip != gpuChip {
		parts = 4
	}
	parts = max(1, min(parts, 64, nereid.Cdiv(a.length, 2*t.n)))
	chunk = nereid.Cdiv(nereid.Cdiv(a.length, parts), t.n) * t.n
	return t, chunk
}
