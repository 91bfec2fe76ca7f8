package nereid_test

import (
	"context"
	"errors"
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
			if late > time.Second { // some 10 ms on an idle machine
				t.Errorf("the launch ended %v after its context", late)
			}
		})
	}
}
