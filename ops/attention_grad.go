package ops

import (
	"slices"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

// AttentionLSE returns Attention and what its backward pass needs: the logarithm of the sum of e**score of
// each query, of fp32 in the shape [batch, heads, queries].
func AttentionLSE(s *Stream, q, k, v *nereid.Tensor, o AttentionOptions) (out, lse *nereid.Tensor) {
	c := s.begin("AttentionLSE")
	c.in("q", q)
	c.in("k", k)
	c.in("v", v)
	o.key(c)
	c.run(func(c *call) (*plan, error) {
		a := attention{c: c, o: o}
		return a.planLSE()
	})
	return c.outs[0], c.outs[1]
}

// AttentionGrad returns the gradients of q, k and v from grad, that of the result of Attention: out and lse
// are the results of AttentionLSE for the same operands and options. Each gradient has type and shape of its
// operand. The sums have one order, so the same operands give the same bits, unless o.AnyOrder is set.
func AttentionGrad(s *Stream, q, k, v, out, lse, grad *nereid.Tensor, o AttentionOptions) (dq, dk,
	dv *nereid.Tensor) {
	c := s.begin("AttentionGrad")
	c.in("q", q)
	c.in("k", k)
	c.in("v", v)
	c.in("out", out)
	c.in("lse", lse)
	c.in("grad", grad)
	o.key(c)
	c.run(func(c *call) (*plan, error) {
		a := attentionGrad{attention: attention{c: c, o: o}}
		return a.plan()
	})
	return c.outs[0], c.outs[1], c.outs[2]
}

func (a *attention) planLSE() (*plan, error) {
	if err := a.shapes(); err != nil {
		return nil, err
	}
	c, q := a.c, a.c.ins[0]
	p := &plan{outs: []result{{q.DType, slices.Clone(q.Shape)},
		{nereid.Float32, slices.Clone(q.Shape[:len(q.Shape)-1])}}}
	if c.s.into && c.s.n > 1 && !c.s.outs[1].Contiguous() {
		return nil, wrong(c.op, outNames[1], "it is a view; this op fills tensors without gaps")
	}
	if p.empty() {
		return p, nil
	}
	if err := a.prefill(p); err != nil {
		return nil, err
	}
	p.steps[0].slots = append(p.steps[0].slots, slot{4, c.n + 1})
	return p, nil
}

// attentionGrad plans a call of AttentionGrad.
type attentionGrad struct {
	attention
	gradStrides [3]int
	results     [3][3]int // strides of dq, dk, dv
}

// deltaOp is the sum of the result times its gradient along each row.
var deltaOp = fusedN("AttentionGrad", []string{"out", "grad"}, func(x []Expr) []Expr {
	return []Expr{x[0].Mul(x[1]).RowSum()}
})

func (a *attentionGrad) plan() (*plan, error) {
	if err := a.shapes(); err != nil {
		return nil, err
	}
	if err := a.checkRest(); err != nil {
		return nil, err
	}
	c, p := a.c, &plan{}
	for i := range 3 {
		t := c.ins[i]
		p.outs = append(p.outs, result{t.DType, slices.Clone(t.Shape)})
		strides, err := a.last(outNames[i], t.Shape, c.outStridesOf(i, t.Shape))
		if err != nil {
			return nil, err
		}
		a.results[i] = strides
	}
	if p.empty() || count(p.outs[1].shape) == 0 {
		return p, nil
	}
	delta := c.n + len(p.outs)
	p.scratch = []result{{nereid.Float32, []int{a.batch * a.heads * a.queries}}}
	x := &fusion{f: deltaOp, axes: []int{-1}, dt: nereid.Float32}
	if err := c.formula(p, x, delta, 3, 5); err != nil {
		return nil, err
	}
	return p, a.launches(p, delta)
}

// last returns the strides but the last one of a tensor in four dimensions, the last of which is contiguous.
func (a *attentionGrad) last(name string, shape, strides []int) (out [3]int, err error) {
	n := len(shape)
	if n < 3 || n > 4 || strides[n-1] != 1 && shape[n-1] > 1 {
		return out, wrong(a.c.op, name, "its shape is %v with the strides %v: it has other dimensions than q, or "+
			"the last is not contiguous", shape, strides)
	}
	copy(out[4-n:], strides[:n-1])
	return out, nil
}

// checkRest checks out, lse and grad.
func (a *attentionGrad) checkRest() (err error) {
	c := a.c
	q, lse := c.ins[0], c.ins[4]
	for _, i := range []int{3, 5} {
		if t := c.ins[i]; t.DType != q.DType || !slices.Equal(t.Shape, q.Shape) {
			return wrong(c.op, c.names[i], "it is %s%v, and q %s%v", t.DType, t.Shape, q.DType, q.Shape)
		}
	}
	if lse.DType != nereid.Float32 || !slices.Equal(lse.Shape,
		q.Shape[:len(q.Shape)-1]) || !lse.Contiguous() {
		return wrong(c.op, "lse", "it is %s%v with the strides %v, not the second result of AttentionLSE",
			lse.DType, lse.Shape, core.Strides(lse))
	}
	a.gradStrides, err = a.last("grad", c.ins[5].Shape, core.Strides(c.ins[5]))
	return err
}

// launches adds the kernels of the gradients to a plan.
func (a *attentionGrad) launches(p *plan, delta int) error {
	n := a.c.n
	inputs := []slot{{0, 0}, {1, 1}, {2, 2}, {3, 5}, {4, 4}, {5, delta}}
	kv, q := a.gradTiles()
	keys := step{slots: append(slices.Clone(inputs), slot{6, n + 1}, slot{7, n + 2}),
		grid: nereid.Grid{nereid.Cdiv(a.length, kv.n), a.batch * a.heads / a.group}}
	if a.headsFirst() {
		keys.grid = nereid.Grid{a.batch * a.heads / a.group, nereid.Cdiv(a.length, kv.n)}
	}
	if a.atOnce() {
		keys.args = append(a.arguments(3, a.results[1], a.results[2]), a.dim, kv.m, kv.n, a.o.Causal,
			a.o.Window > 0, a.headsFirst(), kv.options())
		return a.oneKernel(p, keys, delta+1)
	}
	keys.args = append(a.arguments(2, a.results[1], a.results[2]), a.size, a.dim, kv.m, kv.n, a.o.Causal,
		a.o.Window > 0, a.headsFirst(), a.precision(), kv.options())
	if err := a.add(p, "attention_dkv_kernel", keys); err != nil {
		return err
	}
	return a.add(p, "attention_dq_kernel", step{slots: append(slices.Clone(inputs), slot{6, n}),
		args: append(a.arguments(1, a.results[0]), a.size, a.dim, q.m, q.n, a.o.Causal, a.o.Window > 0,
			a.precision(), q.options()),
		grid: nereid.Grid{nereid.Cdiv(a.queries, q.m), a.batch * a.heads}})
}

// add adds a launch of a kernel of attention_grad.py to a plan.
func (a *attentionGrad) add(p *plan, name string, st step) (err error) {
	st.kernel, err = a.c.s.lib.kernel("attention_grad.py", name)
	p.steps = append(p.steps, st)
	return err
}

// atOnce reports whether one kernel computes all gradients, with atomic additions to those of queries.
func (a *attentionGrad) atOnce() bool {
	if !a.o.AnyOrder || !a.c.s.copies || a.c.ins[0].DType.Size() != 2 || a.dim != a.size {
		return false
	}
	return a.dim <= 64 || a.dim == 128
}

// headsFirst reports whether the longest programs of all heads start first: with causal masks, those of the
// first keys. Otherwise the long programs of the last head run alone at the end, which costs the more the
// fewer programs an SM gets: 724 instead of 484 µs for two on an H200. Heads of 64 with many programs are 2%
// faster the other way, by which programs share queries in the cache.
func (a *attentionGrad) headsFirst() bool {
	const few = 1024 // eight for each SM
	kv, _ := a.gradTiles()
	return a.o.Causal && (a.dim > 64 || nereid.Cdiv(a.length, kv.n)*a.batch*a.heads/a.group <= few)
}

// oneKernel adds the launches of the form with atomic additions, by which keys add to sums in scratch memory.
func (a *attentionGrad) oneKernel(p *plan, keys step, sums int) error {
	const block, rows = 4096, 32
	total := a.batch * a.heads * a.queries * a.dim
	p.scratch = append(p.scratch, result{nereid.Float32, []int{total}})
	keys.slots = append(keys.slots, slot{8, sums})
	r := a.results[0]
	for _, x := range []struct {
		name string
		st   step
	}{
		{"zero_kernel", step{slots: []slot{{0, sums}}, args: []any{nil, total, block},
			grid: nereid.Grid{nereid.Cdiv(total, block)}}},
		{"attention_at_once_kernel", keys},
		{"scaled_queries_kernel", step{slots: []slot{{0, sums}, {1, a.c.n}},
			args: []any{nil, nil, a.o.Scale, a.heads, a.queries, r[0], r[1], r[2], a.size, a.dim, rows},
			grid: nereid.Grid{nereid.Cdiv(a.queries, rows), a.batch * a.heads}}},
	} {
		if err := a.add(p, x.name, x.st); err != nil {
			return err
		}
	}
	return nil
}

// arguments returns those of a kernel with so many results, whose strides are given, up to its constants.
func (a *attentionGrad) arguments(results int, strides ...[3]int) []any {
	args := append(make([]any, 6+results), a.o.Scale, a.heads, a.group, a.queries, a.length, a.o.Window)
	for _, s := range append([][3]int{a.strides[0], a.strides[1], a.strides[2], a.gradStrides}, strides...) {
		args = append(args, s[0], s[1], s[2])
	}
	return args
}

// The shipped configs of the backward pass on GPUs, by the size of heads: of the kernel of keys and values,
// and of that of queries.
var (
	smallGrads = [2]blocks{{m: 32, n: 128, warps: 4, stages: 3}, {m: 64, n: 64, warps: 4, stages: 2}}
	largeGrads = [2]blocks{{m: 64, n: 64, warps: 4, stages: 2}, {m: 64, n: 64, warps: 4, stages: 2}}
	// of the kernel with atomic additions: for heads of up to 64; of 64 where all keys are seen; of 128
	atOnceGrads = [3]blocks{{m: 64, n: 64, warps: 4, stages: 4}, {m: 128, n: 128, warps: 8, stages: 3},
		{m: 64, n: 128, warps: 8, stages: 3}}
)

// gradTiles returns the configs of the kernel of keys and values and of that of queries.
func (a *attentionGrad) gradTiles() (kv, q blocks) {
	list := largeGrads
	switch {
	case a.c.s.chip != gpuChip:
		list = [2]blocks{{m: 64, n: 64, warps: 4, stages: 1}, {m: 64, n: 64, warps: 4, stages: 1}}
	case a.c.ins[0].DType == nereid.Float32 || a.dim > 128:
		list = [2]blocks{{m: 32, n: 32, warps: 4, stages: 1}, {m: 32, n: 32, warps: 4, stages: 1}}
	case a.atOnce() && a.dim > 64:
		list[0] = atOnceGrads[2]
	case a.atOnce():
		list[0] = atOnceGrads[0]
		if t := atOnceGrads[1]; !a.o.Causal && a.o.Window == 0 && a.dim == 64 &&
			nereid.Cdiv(a.length, t.n)*a.batch*a.heads/a.group >= 2*enough {
			list[0] = t
		}
	case a.dim <= 64:
		list = smallGrads
	}
	for i := range list {
		list[i].m = min(list[i].m, max(pow2(a.queries), 16))
		list[i].n = min(list[i].n, max(pow2(a.length), 16))
		if list[i].m*list[i].n < 64*64 {
			list[i].warps = 4
		}
	}
	return list[0], list[1]
}
