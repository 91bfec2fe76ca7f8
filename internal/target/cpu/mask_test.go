package cpu_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/nereid-lang/nereid"
)

// maskKernels choose by comparing an index with a bound, in a formula and through a buffer that two loops
// read. No load has the bound.
const maskKernels = `
import triton
import triton.language as tl

@triton.jit
def formula(out, first, n, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.where(first + i < n, i * 3, -7)
    tl.store(out + i, x + tl.sum(tl.where(i < n, i, 1), 0))

@triton.jit
def buffer(out, first, n, B: tl.constexpr):
    i = tl.arange(0, B)
    j = tl.arange(0, 64)
    x = (i[:, None] % 5 + j[None, :] % 3).to(tl.float32)
    x = tl.dot(x, (j[:, None] % 4 + i[None, :] % 7).to(tl.float32))
    for k in range(first, first + 2):
        x = tl.where((k + i)[None, :] < n, x * 2, -7.0)
        x = x - tl.max(x, 1)[:, None]
    tl.store(out + i, tl.sum(x, 0).to(tl.int32))
`

// maskBounds are the first index and the bound.
var maskBounds = [][2]int32{{0, 64}, {0, 63}, {0, 0}, {0, -5}, {3, 20}, {-9, 40}, {100, 64}, {5, 70},
	{math.MaxInt32 - 30, math.MaxInt32}, {math.MaxInt32 - 30, 12}, {math.MinInt32, math.MinInt32 + 17}}

// TestMaskBounds: elements on both sides of a bound are chosen as in the interpreter, also where the sum of
// an index and an offset overflows.
func TestMaskBounds(t *testing.T) {
	cpu, judge := cpuAndJudge(t)
	m, err := nereid.Parse("mask.py", []byte(maskKernels))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"formula", "buffer"} {
		for _, c := range maskBounds {
			t.Run(fmt.Sprint(name, c), func(t *testing.T) {
				want, got := masked(t, judge, m, name, c), masked(t, cpu, m, name, c)
				for i := range want {
					if got[i] != want[i] {
						t.Fatalf("element %d is %d, want %d", i, got[i], want[i])
					}
				}
			})
		}
	}
}

// masked runs a kernel of maskKernels on a device.
func masked(t *testing.T, dev *nereid.Device, m *nereid.Module, name string, bounds [2]int32) []int32 {
	t.Helper()
	const block = 64
	k, err := m.Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	s := streamOf(t, dev)
	out := make([]int32, block)
	args := []any{nereid.FromSlice(out), bounds[0], bounds[1], block}
	if err := k.Launch(s, nereid.Grid{1}, args...); err != nil {
		t.Fatal(err)
	}
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	return out
}
