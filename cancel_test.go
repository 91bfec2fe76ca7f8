package nereid_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
)

// largeKernels work on blocks of 1024 by 1024 for long: op chooses how.
const largeKernels = `
import triton
import triton.language as tl

@triton.jit
def turn(v, op: tl.constexpr):
    if op == "exp":
        return tl.exp(v) * 0.5
    elif op == "pow":
        return tl.extra.cuda.libdevice.pow(v, v)
    elif op == "dot":
        return tl.dot(v, v)
    elif op == "sort":
        return tl.sort(v, dim=1)
    elif op == "scan":
        return tl.cumsum(v, axis=0)
    else:
        return v + tl.sum(v, axis=1)[:, None]

@triton.jit
def work(x, turns, op: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    v = tl.load(x + i)
    for _ in range(turns):
        v = turn(v, op)
    tl.store(x + i, v)
`

// TestCancelLarge ends the context of launches in the middle of operations on large blocks: the interpreter
// looks at it between elements, not between operations.
func TestCancelLarge(t *testing.T) {
	const size = 1024
	dev := stream(t, "interp").Device()
	k := kernelOf(t, "large.py", largeKernels, "work", nereid.With(nereid.Config{}))
	x := make([]float32, size*size)
	for _, op := range []string{"exp", "pow", "dot", "sort", "scan", "sum"} {
		t.Run(op, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s, err := dev.NewStream(ctx)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			launch := func(turns int) error {
				return k.Launch(s, nereid.Grid{1}, nereid.FromSlice(x), turns, op, size)
			}
			if err := launch(0); err != nil { // compiles
				t.Fatal(err)
			}
			var ended time.Time
			time.AfterFunc(200*time.Millisecond, func() { ended = time.Now(); cancel() })
			err = launch(1 << 20)
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			late := time.Since(ended)
			t.Logf("the launch ended %v after its context", late)
			if late > 20*time.Second { // some 10 ms on an idle machine
				t.Errorf("the launch ended %v after its context", late)
			}
		})
	}
}

// TestLoopEnds: a loop whose counter would pass the end of its type ends, and does not wrap around.
func TestLoopEnds(t *testing.T) {
	const kernel = `
import triton
import triton.language as tl

@triton.jit
def count(x, lo, hi, step):
    c = 0
    for i in range(lo, hi, step):
        c += 1
    tl.store(x, c)

@triton.jit
def count_const(x, lo: tl.constexpr, hi: tl.constexpr, step: tl.constexpr):
    c = 0
    for i in tl.range(lo, hi, step):
        c += 1
    tl.store(x, c)
    down = 0
    for i in range(hi, lo, -step):
        down += 1
    tl.store(x + 1, down)
`
	for _, device := range []string{"interp", "cpu", "sim:80", "sim:90", "sim:gfx942", "sim:gfx1100"} {
		s := stream(t, device)
		for _, name := range []string{"count", "count_const"} {
			k := kernelOf(t, "count.py", kernel, name, nereid.With(nereid.Config{}))
			for _, c := range []struct{ lo, hi, step, want int }{
				{math.MaxInt32 - 10, math.MaxInt32, 7, 2}, {math.MaxInt32 - 14, math.MaxInt32, 7, 2},
				{math.MinInt32, math.MaxInt32, 1 << 30, 4}, {5, 5, 7, 0}, {6, 5, 7, 0}, {0, 21, 7, 3},
				{math.MaxInt32 - 3, math.MaxInt32, 1, 3}, {0, math.MaxInt32, 1 << 30, 2},
				{-5, math.MaxInt32, math.MaxInt32, 2}, {math.MinInt32, math.MinInt32 + 2, 1 << 20, 1},
			} {
				x := []int32{-1, -1}
				err := k.Launch(s, nereid.Grid{1}, nereid.FromSlice(x), c.lo, c.hi, c.step)
				if err != nil || x[0] != int32(c.want) || name == "count_const" && x[1] != int32(c.want) {
					t.Errorf("%s, %s: range(%d, %d, %d): %d rounds, want %d, %v", device, name, c.lo, c.hi,
						c.step, x, c.want, err)
				}
			}
		}
	}
}
