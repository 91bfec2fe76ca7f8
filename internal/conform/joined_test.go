package conform

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

// joinCase has two loops that follow each other.
type joinCase struct {
	pipelineCase
	loops int // that are left of them
}

// TestJoinedLoops runs pairs of loops of which the second has masks that the first lacks, on the simulated
// sm_90. The interpreter says what is right. With -device, they run on that device.
func TestJoinedLoops(t *testing.T) {
	dev, judge := hopper(t), interpreter(t)
	o := nereid.Options{NumStages: 3, NumWarps: 4}
	for _, c := range joinCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := c.kernel(t)
			text := c.ttgir(t, k, o)
			if n := strings.Count(text, "scf.for"); n != c.loops {
				t.Errorf("%d loops, not %d\n%s", n, c.loops, text)
			}
			for _, n := range c.counts {
				c.agree(t, k, judge, dev, n, o)
			}
		})
	}
}

// joinBody returns two loops with the given bounds and steps, of which the second has a statement more and
// something added to its last one.
func joinBody(first, second, masked, other string) string {
	loop := func(bounds, score, other string) string {
		return `
for k in range(` + bounds + `):
    y = tl.load(tile(p1 + k * 32, 32, 32), mask=(k + i)[:, None] < n, other=0.0)
    s = tl.dot(x, tl.trans(y))
    ` + score + `
    s = tl.where((k + i)[None, :] < n, s, -7.0)
    top = tl.maximum(top, tl.max(s, 1))
    acc = tl.dot(tl.where(s > 0, 1.0, 2.0).to(tl.float16), y, acc)` + other
	}
	return `
x = tl.load(tile(p0, 64, 32))
i = tl.arange(0, 32)
rows = tl.arange(0, 64)
acc = tl.zeros((64, 32), tl.float32)
top = tl.zeros((64,), tl.float32)
middle = n // 64 * 32` + loop(first, "s = s * 2", "") + loop(second, "s = s * 2\n    "+masked, other) + `
tl.store(tile(p2, 64, 32), acc)
tl.store(p2 + 2048 + rows, top)
`
}

var joinSizes = []string{"fp16:2048", "fp16:8192", "fp32:2112"}

const fewer = "s = tl.where(k + i < n - 3, s, -8.0)"

const causal = "s = tl.where(rows[:, None] >= (k + i)[None, :] - middle, s, -9.0)"

var joinCases = []*joinCase{
	{pipelineCase{name: "more masks", sizes: joinSizes, counts: []int{0, 5, 32, 64, 100, 130, 224},
		body: joinBody("0, middle, 32", "middle, n, 32", causal, "")}, 1},
	{pipelineCase{name: "a second loop that may be empty", sizes: joinSizes, counts: []int{0, 64, 100, 200},
		body: joinBody("0, middle, 32", "middle, n - 64, 32", causal, "")}, 1},
	{pipelineCase{name: "a first loop that may be empty", sizes: joinSizes,
		counts: []int{0, 64, 100, 160, 200},
		body:   joinBody("96, middle, 32", "middle, n, 32", causal, "")}, 1},
	{pipelineCase{name: "two more masks", sizes: joinSizes, counts: []int{0, 64, 200},
		body: joinBody("0, middle, 32", "middle, n, 32", causal+"\n    "+fewer, "")}, 1},
	{pipelineCase{name: "the same", sizes: joinSizes, counts: []int{0, 100},
		body: joinBody("0, middle, 32", "middle, n, 32", "", "")}, 1},
	{pipelineCase{name: "another sum", sizes: joinSizes, counts: []int{0, 100},
		body: joinBody("0, middle, 32", "middle, n, 32", causal, " * 2")}, 2},
	{pipelineCase{name: "another step", sizes: joinSizes, counts: []int{0, 100},
		body: joinBody("0, middle, 32", "middle, n, 16", causal, "")}, 2},
	{pipelineCase{name: "another place", sizes: joinSizes, counts: []int{0, 100},
		body: joinBody("0, middle, 32", "middle + 32, n, 32", causal, "")}, 2},
	{pipelineCase{name: "a middle between steps", sizes: joinSizes, counts: []int{0, 100},
		body: joinBody("8, middle, 32", "middle, n, 32", causal, "")}, 2},
}
