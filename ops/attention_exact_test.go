package ops_test

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/ops"
)

// gradCase is a size of the backward pass of attention.
type gradCase struct {
	dt                             nereid.DType
	batch, heads, kv, length, size int
	causal                         bool
}

// gradCases returns sizes that fill an H200 and sizes that do not, of both heads of the one-kernel form.
func gradCases() (out []gradCase) {
	for _, size := range []int{64, 128} {
		for i, c := range []gradCase{{batch: 4, heads: 8, kv: 8, length: 1024},
			{batch: 1, heads: 2, kv: 2, length: 256}, {batch: 2, heads: 8, kv: 2, length: 512},
			{batch: 1, heads: 3, kv: 3, length: 1000}, {batch: 1, heads: 1, kv: 1, length: 64},
			{batch: 1, heads: 4, kv: 1, length: 2048}, {batch: 8, heads: 8, kv: 4, length: 1000}} {
			for _, causal := range []bool{false, true} {
				c.size, c.causal = size, causal
				if c.dt = nereid.BFloat16; (i+size/64)%2 == 0 != causal {
					c.dt = nereid.Float16
				}
				out = append(out, c)
			}
		}
	}
	return out
}

// gradOperands are the operands of AttentionGrad.
type gradOperands struct{ q, k, v, out, lse, grad *nereid.Tensor }

// exact returns operands with which all sums are exact, so that their order does not matter. The scores are
// -1, 0 and 1, and the scale is ln 2: weights are 1/2, 1 and 2, their gradients small whole numbers times
// these. Along the first dimension of a head lie the scores; of the others, queries have the first half and
// keys the second.
func (c gradCase) exact(t *testing.T, s *ops.Stream) gradOperands {
	half := func(i int) bool { return i%c.size < c.size/2 }
	small := func(i, n int) float64 { return float64((i*7+i/c.size*5+n*3)%5 - 2) }
	sparse := func(i, n int) float64 { // one element of four, so that sums stay below 128
		if (i+i/c.size+n)%4 > 0 {
			return 0
		}
		return float64((i/4+i/c.size*2)%3 - 1)
	}
	score := func(i, n int, own bool) float64 {
		switch {
		case i%c.size == 0:
			return float64((i/c.size+n)%3 - 1)
		case own:
			return small(i, n)
		}
		return 0
	}
	of := func(heads int, f func(i int) float64) *nereid.Tensor {
		return made(t, s, c.dt, f, c.batch, heads, c.length, c.size)
	}
	return gradOperands{
		q:    of(c.heads, func(i int) float64 { return score(i, 0, half(i)) }),
		k:    of(c.kv, func(i int) float64 { return score(i, 1, !half(i)) }),
		v:    of(c.kv, func(i int) float64 { return sparse(i, 1) }),
		out:  of(c.heads, func(i int) float64 { return sparse(i, 2) }),
		grad: of(c.heads, func(i int) float64 { return float64((i+i/c.size)%3 - 1) }),
		lse:  made(t, s, nereid.Float32, func(int) float64 { return 0 }, c.batch, c.heads, c.length),
	}
}

// random returns operands of a forward pass.
func (c gradCase) random(t *testing.T, s *ops.Stream) gradOperands {
	of := func(heads, n int) *nereid.Tensor {
		f := func(i int) float64 { return wave(i*n) / 3 }
		return made(t, s, c.dt, f, c.batch, heads, c.length, c.size)
	}
	x := gradOperands{q: of(c.heads, 1), k: of(c.kv, 3), v: of(c.kv, 5), grad: of(c.heads, 7)}
	x.out, x.lse = ops.AttentionLSE(s, x.q, x.k, x.v, ops.AttentionOptions{Causal: c.causal})
	return x
}

// grads returns the gradients of q, k and v.
func (x gradOperands) grads(s *ops.Stream, o ops.AttentionOptions) [3]*nereid.Tensor {
	dq, dk, dv := ops.AttentionGrad(s, x.q, x.k, x.v, x.out, x.lse, x.grad, o)
	return [3]*nereid.Tensor{dq, dk, dv}
}

// repeat calls the backward pass n times and returns how many elements differ from the first call, or from
// want if it is not nil; of the gradients of queries only if whole is set.
func (x gradOperands) repeat(t *testing.T, s *ops.Stream, o ops.AttentionOptions, n int, whole bool,
	want *[3]*nereid.Tensor) (differ int) {
	t.Helper()
	if want == nil {
		first := x.grads(s, o)
		want = &first
	}
	for range n {
		at := s.Mark()
		got := x.grads(s, o)
		for i := range got {
			if i > 0 || whole {
				wrong := ops.NotEqual(s, got[i], want[i])
				differ += int(values(t, ops.Sum(s, ops.Cast(s, wrong, nereid.Float32)))[0])
			}
		}
		s.Release(at)
	}
	return differ
}

// TestAttentionGradExact: with exact operands, the backward pass with atomic additions has every bit of the
// one without, on a simulated H200.
func TestAttentionGradExact(t *testing.T) {
	s, c := streamOn(t, "sim:90"), gradCase{nereid.BFloat16, 1, 1, 1, 320, 128, false}
	x := c.exact(t, s)
	o := ops.AttentionOptions{Scale: math.Ln2}
	want := x.grads(s, o)
	o.AnyOrder = true
	if n := x.repeat(t, s, o, 1, true, &want); n > 0 {
		t.Errorf("%d elements differ", n)
	}
	for i, g := range want {
		zeros := 0
		for _, v := range values(t, g) {
			if v == 0 {
				zeros++
			}
		}
		if zeros > g.Len()*3/4 {
			t.Errorf("%d of %d elements of gradient %d are 0", zeros, g.Len(), i)
		}
	}
}

// TestAttentionGradRepeated is the long form of TestAttentionGradExact: all sizes on a device, many times,
// half of them while another stream computes products. With random operands, the gradients of keys and values
// have the same bits in every call.
func TestAttentionGradRepeated(t *testing.T) {
	where := txtest.LongForm(t, "NEREID_TEST_OPS_EXACT", "the device and the repetitions: cuda:0,100")
	name, text, _ := strings.Cut(where, ",")
	runs, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	s := streamOn(t, name)
	launches := 0
	for i, c := range gradCases() {
		start := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan int)
		if i%2 > 0 {
			go contend(ctx, t, streamOn(t, name), done)
		}
		s.Reset()
		x, o := c.exact(t, s), ops.AttentionOptions{Causal: c.causal, Scale: math.Ln2}
		want := x.grads(s, o)
		o.AnyOrder = true
		exact := x.repeat(t, s, o, runs, true, &want)
		y := c.random(t, s)
		same := y.repeat(t, s, ops.AttentionOptions{Causal: c.causal, AnyOrder: true}, runs, false, nil)
		cancel()
		beside := 0
		if i%2 > 0 {
			beside = <-done
		}
		launches += 2*runs + 1
		fmt.Printf("%+v: exact operands: %d elements differ in %d calls; random: %d; %d products beside; "+
			"%.1f s\n", c, exact, runs, same, beside, time.Since(start).Seconds())
		if exact+same > 0 {
			t.Errorf("%+v: %d and %d elements differ", c, exact, same)
		}
	}
	fmt.Printf("%d calls\n", launches)
}

// contend computes products on another stream of the device until ctx ends, and sends how many.
func contend(ctx context.Context, t *testing.T, s *ops.Stream, done chan<- int) {
	n := 0
	defer func() { done <- n }()
	x := made(t, s, nereid.BFloat16, wave, 1024, 1024)
	for ctx.Err() == nil {
		at := s.Mark()
		err := ops.MatMul(s, x, x).Err()
		if n++; err == nil && n%64 == 0 {
			err = s.Sync()
		}
		if s.Release(at); err != nil {
			t.Error(err)
			return
		}
	}
}
