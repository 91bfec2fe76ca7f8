package ops

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// closedPlanner returns a planner whose calls plan and launch nothing.
func closedPlanner(t *testing.T) *planner {
	t.Helper()
	stream, err := txtest.Device(t, "interp", nereid.OpenDevice).NewStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
	return &planner{Stream: Load().On(stream), t: t, texts: map[string]bool{}}
}

// keyed are calls that differ from others of their group in one thing each, on which plans depend.
func (p *planner) keyed() map[string][]func() *nereid.Tensor {
	f32, f16 := nereid.Float32, nereid.Float16
	a, b := p.tensor(f32, 32, 64), p.tensor(f32, 64, 48)
	bias, plus := p.tensor(f32, 48), p.tensor(f32, 32, 48)
	x, i := p.tensor(f32, 6, 10), p.tensor(nereid.Int32, 6, 4)
	row, few := p.tensor(nereid.Int32, 4), p.tensor(nereid.Int32, 6, 2)
	q, k := p.tensor(f32, 1, 4, 64, 32), p.tensor(f32, 1, 2, 64, 32)
	logits := p.tensor(f32, 2, 100)
	product := func(a, b *nereid.Tensor, o ...MatMulOption) func() *nereid.Tensor {
		return func() *nereid.Tensor { return MatMul(p.Stream, a, b, o...) }
	}
	attention := func(o AttentionOptions) func() *nereid.Tensor {
		return func() *nereid.Tensor { return Attention(p.Stream, q, k, k, o) }
	}
	pad := func(before, after []int) func() *nereid.Tensor {
		return func() *nereid.Tensor { return Pad(p.Stream, x, 1, before, after) }
	}
	image := p.tensor(f32, 1, 2, 12, 12)
	pool := func(o PoolOptions) func() *nereid.Tensor {
		return func() *nereid.Tensor { return MaxPool2D(p.Stream, image, o) }
	}
	average := func(o PoolOptions) func() *nereid.Tensor {
		return func() *nereid.Tensor { return AvgPool2D(p.Stream, image, o) }
	}
	type reduction = func(*Stream, *nereid.Tensor, ...int) *nereid.Tensor
	reduced := func(f reduction, axes ...int) func() *nereid.Tensor {
		return func() *nereid.Tensor { return f(p.Stream, x, axes...) }
	}
	top := func(n int) func() *nereid.Tensor {
		return func() *nereid.Tensor { y, _ := TopK(p.Stream, logits, n); return y }
	}
	sorted := func(down bool) func() *nereid.Tensor {
		return func() *nereid.Tensor { y, _ := Sort(p.Stream, logits, down); return y }
	}
	return map[string][]func() *nereid.Tensor{
		"MatMul": {product(a, b), product(a, b, TF32), product(a, b, TF32x3), product(a, b, Bias(bias)),
			product(a, b, Plus(plus)), product(a, b, As(f16)), product(a, b, Then(Expr.SiLU)),
			product(a, b, Then(Expr.ReLU)), product(a.Slice(0, 0, 16, 1), b),
			product(a.Slice(0, 0, 32, 2), b),
			product(p.tensor(f16, 32, 64), b), product(a, p.tensor(f32, 48, 64).Permute(1, 0))},
		"Attention": {attention(AttentionOptions{}), attention(AttentionOptions{Causal: true}),
			attention(AttentionOptions{Window: 5}), attention(AttentionOptions{Window: 5, Causal: true}),
			attention(AttentionOptions{Scale: 0.5})},
		"Pad": {pad([]int{0, 0}, []int{0, 0}), pad([]int{1, 0}, []int{0, 0}), pad([]int{0, 1}, []int{0, 0}),
			pad([]int{0, 0}, []int{1, 0}), pad([]int{0, 0}, []int{0, 1})},
		"reductions": {reduced(Sum), reduced(Sum, 0), reduced(Sum, 1), reduced(Max), reduced(Max, 0),
			reduced(Mean, 0), reduced(ArgMax, 0), reduced(ArgMax, 1), reduced(Variance, 1)},
		"order": {top(3), top(4), sorted(true), sorted(false),
			func() *nereid.Tensor { return CumSum(p.Stream, x, 0) },
			func() *nereid.Tensor { return CumSum(p.Stream, x, 1) },
			func() *nereid.Tensor { return Softmax(p.Stream, x, 0) },
			func() *nereid.Tensor { return Softmax(p.Stream, x, 1) },
			func() *nereid.Tensor { return LogSoftmax(p.Stream, x, 1) }},
		// Results of one size, so that only the option itself tells the calls apart.
		"pools": {pool(PoolOptions{Window: [2]int{3, 3}, Stride: [2]int{3, 3}}),
			pool(PoolOptions{Window: [2]int{3, 3}, Stride: [2]int{3, 3}, Padding: [2]int{1, 0}}),
			pool(PoolOptions{Window: [2]int{2, 3}, Stride: [2]int{3, 3}}),
			pool(PoolOptions{Window: [2]int{2, 3}, Stride: [2]int{3, 3}, Dilation: [2]int{2, 1}}),
			pool(PoolOptions{Window: [2]int{3, 2}, Stride: [2]int{3, 3}}),
			pool(PoolOptions{Window: [2]int{3, 2}, Stride: [2]int{3, 3}, Dilation: [2]int{1, 2}}),
			average(PoolOptions{Window: [2]int{3, 3}, Stride: [2]int{3, 3}, Padding: [2]int{1, 1}}),
			average(PoolOptions{Window: [2]int{3, 3}, Stride: [2]int{3, 3}, Padding: [2]int{1, 1},
				InsideOnly: true})},
		"index": {func() *nereid.Tensor { return Gather(p.Stream, x, i, 1) },
			func() *nereid.Tensor { return Gather(p.Stream, x, few, 1) },
			func() *nereid.Tensor { return Take(p.Stream, x, row, 0) },
			func() *nereid.Tensor { return Take(p.Stream, x, row, 1) },
			func() *nereid.Tensor { return Concat(p.Stream, 0, x, x) },
			func() *nereid.Tensor { return Concat(p.Stream, 1, x, x) },
			func() *nereid.Tensor { return Concat(p.Stream, 1, x, x, x) },
			func() *nereid.Tensor { return Cast(p.Stream, x, f16) },
			func() *nereid.Tensor { return Cast(p.Stream, x, nereid.Int8) },
			func() *nereid.Tensor { return Fill(p.Stream, 1, f16, 3, 4) },
			func() *nereid.Tensor { return Fill(p.Stream, 1, f16, 4, 3) },
			func() *nereid.Tensor { return Fill(p.Stream, 1, f32, 3, 4) }},
	}
}

// TestKeys: a call after others like it has the plan that it has alone, whatever tells them apart.
func TestKeys(t *testing.T) {
	after, alone := closedPlanner(t), closedPlanner(t)
	first, second := after.keyed(), alone.keyed()
	for name, list := range first {
		for i, f := range list {
			clear(alone.plans)
			f()
			second[name][i]()
			if got, want := after.lastPlan(), alone.lastPlan(); got != want {
				t.Errorf("call %d of %s has the plan\n%s\nand alone\n%s", i, name, got, want)
			}
		}
	}
	for _, p := range []*planner{after, alone} {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// lastPlan returns the plan of the last call as text.
func (p *planner) lastPlan() string {
	x := p.plans[string(p.call.key)]
	if x == nil {
		p.t.Errorf("%s has no plan: %v", p.call.op, p.call.err)
		return ""
	}
	text := fmt.Sprintf("%v %v", x.outs, x.extents)
	for _, st := range x.steps {
		text += fmt.Sprintf("; %s%v %v", st.kernel.Name(), st.grid, st.slots)
		for _, a := range st.args {
			if t, ok := a.(*nereid.Tensor); ok {
				a = fmt.Sprint(t.DType, t.Shape, t.Strides)
			}
			text += fmt.Sprintf(" %v", a)
		}
	}
	return text
}

// TestArenaRandom: whatever is allocated and given back in turn, tensors that are in use lie apart.
func TestArenaRandom(t *testing.T) {
	s := closedPlanner(t)
	r := rand.New(rand.NewPCG(7, 8))
	type held struct {
		lo, hi uint64
		mark   Mark // before it
	}
	var live []held
	for range 3000 {
		if len(live) > 0 && r.IntN(3) == 0 {
			n := r.IntN(len(live))
			s.Release(live[n].mark)
			live = live[:n]
			continue
		}
		mark, size := s.Mark(), 1+r.IntN(100)
		switch r.IntN(10) {
		case 0:
			size = r.IntN(firstChunk / 2)
		case 1:
			size = firstChunk - 300 + r.IntN(600)
		}
		x := s.tensor(nereid.Uint8, size)
		h := held{x.Addr(), x.Addr() + uint64(size), mark}
		if h.lo%arenaAlign != 0 {
			t.Fatalf("a tensor begins at %#x", h.lo)
		}
		for _, o := range live {
			if h.lo < o.hi && o.lo < h.hi {
				t.Fatalf("[%#x, %#x) is given out beside [%#x, %#x)", h.lo, h.hi, o.lo, o.hi)
			}
		}
		live = append(live, h)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
