package conform

import (
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid"
)

// lateReductions are kernels that accumulate truth values of p0, in rows of w, in a loop, and reduce them
// behind it into p1: one element, all but one, none, by a loop that does not run.
var lateReductions = map[string]string{
	"any": `acc = tl.zeros([8, 64], tl.int1)
for o in range(0, n, 64):
    x = tl.load(p0 + r * 300 + o + c, o + c < n, 0.0)
    acc = acc | (x > 6.5)
tl.store(p1 + tl.arange(0, 8), tl.reduce(acc, 1, either))`,
	"all": `acc = tl.full([8, 64], 1, tl.int1)
for o in range(0, n, 64):
    x = tl.load(p0 + r * 300 + o + c, o + c < n, 0.0)
    acc = (x > -6.5) & acc
tl.store(p1 + tl.arange(0, 8), tl.reduce(acc, 1, both))`,
	"begun": `acc = (r * 64 + c) % 300 == 7
for o in range(0, n, 64):
    x = tl.load(p0 + r * 300 + o + c, o + c < n, 0.0)
    acc = acc | (x > 6.5)
tl.store(p1 + tl.arange(0, 8), tl.reduce(acc, 1, either))`,
	"at once": `x = tl.load(p0 + r * 300 + c, c < n, 0.0)
tl.store(p1 + tl.arange(0, 8), tl.reduce(x > 6.5, 1, either))
tl.store(p1 + 8 + tl.arange(0, 8), tl.reduce(x > -6.5, 1, both))`,
	"used twice": `acc = tl.zeros([8, 64], tl.int1)
for o in range(0, n, 64):
    x = tl.load(p0 + r * 300 + o + c, o + c < n, 0.0)
    acc = acc | (x > 6.5)
tl.store(p1 + r * 64 + c, acc)
tl.store(p1 + 512 + tl.arange(0, 8), tl.reduce(acc, 1, either))`,
}

const lateHelpers = `@triton.jit
def either(a, b):
    return a | b

@triton.jit
def both(a, b):
    return a & b
`

// TestLateReduce: loops of truth values that are reduced at the end give the interpreter's answer. At each
// commit it is every other length.
func TestLateReduce(t *testing.T) {
	judge, chosen := interpreter(t), sampleHere(t, 2)
	for _, dev := range gpus(t, "sim:90", "sim:80", "sim:gfx942", "sim:gfx1100") {
		for name, body := range lateReductions {
			for i, n := range []int{0, 5, 64, 300} {
				if !chosen(i) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%d", dev, name, n), func(t *testing.T) {
					k := bodyKernel(t, lateHelpers, fmt.Sprintf("n = %d\n", n)+
						"r = tl.arange(0, 8)[:, None]\nc = tl.arange(0, 64)[None, :]\n"+body, 2, nil)
					l := clusterCase{dtype: nereid.Float32, sizes: []int{2400, 1024}, grid: nereid.Grid{1}}
					want, err := l.run(k, judge, nereid.Options{})
					if err != nil {
						t.Fatal(err)
					}
					for _, warps := range []int{1, 4} {
						got, err := l.run(k, dev, nereid.Options{NumWarps: warps})
						if err != nil {
							t.Fatal(err)
						}
						if err := l.compare(got, want); err != nil {
							t.Errorf("%d warps: %v", warps, err)
						}
					}
				})
			}
		}
	}
}
