package conform

import (
	"bytes"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

// TestFetchAhead runs a recurrence through memory with one, two and many programs on each SM of the simulated
// sm_90, which has two in this respect. Each iteration loads the row that the one before has stored: requests
// for it come too early, and change nothing. Many programs make none.
func TestFetchAhead(t *testing.T) {
	dev, judge := opened(t, "sim:90")[0], interpreter(t)
	for _, x := range []struct {
		programs int
		asks     bool
	}{{2, true}, {3, true}, {9, false}, {1, true}} {
		dump := t.TempDir()
		k := kernelOf(t, `
@triton.jit
def k(y, x, n):
`, `
i = tl.arange(0, 256)
x += tl.program_id(0) * (n + 1) * 256
y += tl.program_id(0) * n * 256
for step in range(n):
    a = tl.load(x + step * 256 + i)
    b = tl.load(y + i, mask=i < 200, other=1.0)
    tl.store(x + (step + 1) * 256 + i, a * 0.5 + b + tl.max(a))
    y += 256
`, nereid.With(nereid.Config{Dump: dump}))
		const n = 5
		rows := numbers(f32, x.programs*(n+1)*256)
		run := func(dev *nereid.Device) []byte {
			return leaves(t, k, dev, nereid.Grid{x.programs}, numbers(f32, x.programs*n*256), rows, n)
		}
		if !bytes.Equal(run(judge), run(dev)) {
			t.Errorf("%d programs: results differ", x.programs)
		}
		if got := strings.Contains(onlyTTGIR(t, dump), "nereid.prefetch"); got != x.asks {
			t.Errorf("%d programs: asks for memory: %v", x.programs, got)
		}
	}
}

// TestFetchBehindLoop asks for the memory of the next iteration at remainders by the number of iterations
// that follow. Behind the last one that is zero, and LLVM must not conclude that the loop goes on.
func TestFetchBehindLoop(t *testing.T) {
	dev, judge := opened(t, "sim:90")[0], interpreter(t)
	for _, op := range []string{"%", "//"} {
		k := kernelOf(t, `
@triton.jit
def k(x, y, n):
`, `
i = tl.arange(0, 16)
sum = tl.zeros((16,), tl.float32)
for step in range(n):
    sum += tl.load(x + (i `+op+` (n - step)))
tl.store(y + i, sum)
`)
		run := func(dev *nereid.Device) []byte {
			return leaves(t, k, dev, nereid.Grid{1}, numbers(f32, 16), numbers(f32, 16), 3)
		}
		if !bytes.Equal(run(judge), run(dev)) {
			t.Errorf("%s: results differ", op)
		}
	}
}
