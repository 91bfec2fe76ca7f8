package cpu_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
)

const endless = `
import triton
import triton.language as tl

@triton.jit
def spin(x, n, B: tl.constexpr):
    while True:
        n += 1
    tl.store(x, n)

@triton.jit
def wait(x, n, B: tl.constexpr):
    while tl.load(x + 1) == 0:
        n += 1
    tl.store(x, n)

@triton.jit
def lock(x, n, B: tl.constexpr):
    tl.atomic_xchg(x + 2, 1)
    while tl.atomic_cas(x + 2, 0, 1) == 1:
        pass
    tl.store(x, n)

@triton.jit
def blocks(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    for q in range(2147483647):
        for r in range(n * 1000000):
            v = v * 3 + r
    tl.store(x + i, v)

@triton.jit
def stores(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    for q in range(2147483647):
        for r in tl.static_range(2):
            for s in range(2000):
                for u in range(2000):
                    tl.store(x + i, q + r + u)

@triton.jit
def branches(x, n, B: tl.constexpr):
    while n > 0:
        if n % 2 == 0:
            n += 1
        else:
            n += 3
    tl.store(x, n)

@triton.jit
def lanes(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    while tl.max(v, 0) < 1000:
        v = v * 0
    tl.store(x + i, v)
`

// TestStop: a kernel that would not end is ended by its context, and the launch returns the context's error.
// The device is as good as before then.
func TestStop(t *testing.T) {
	dev := hostCPU(t)
	m, err := nereid.Parse("endless.py", []byte(endless))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"spin", "wait", "lock", "blocks", "stores", "branches", "lanes"} {
		for _, programs := range []int{1, 64} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				k, err := m.Kernel(name)
				if err != nil {
					t.Fatal(err)
				}
				x := nereid.FromSlice(make([]int32, 64))
				own := streamOf(t, dev)
				b, err := k.Bind(own, x, 5, 16) // compiles, for which there is time
				if err != nil {
					t.Fatal(err)
				}
				defer b.Close()
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
				defer cancel()
				s, err := dev.NewStream(ctx)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				if err := k.Launch(s, nereid.Grid{programs}, x, 5, 16); !errors.Is(err,
					context.DeadlineExceeded) {
					t.Errorf("the launch of a kernel that does not end returned %v", err)
				}
			})
		}
	}
}
