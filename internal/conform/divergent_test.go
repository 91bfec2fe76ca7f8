package conform

import (
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid"
)

// divergentCases are kernels on tensors p0 to p2 of 64 floats in which some lanes of a warp go another way
// (the cosine of a huge number is computed apart), and then all lanes of the warp work together.
var divergentCases = map[string]string{
	"sum":    "tl.store(p2 + i, tl.sum(i) + y)",
	"max":    "tl.store(p2 + i, tl.max(i, 0) + y)",
	"argmax": "tl.store(p2 + i, tl.argmax((i * 37) % 64, 0) + y)",
	"cumsum": "tl.store(p2 + i, tl.cumsum(i, 0) + y)",
	"sort":   "tl.store(p2 + i, tl.sort(i ^ 21) + y)",
	"gather": "tl.store(p2 + i, tl.gather(i, 63 - i, 0) + y)",
	"dot": `j = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
m = tl.dot((j % 7).to(tl.float16), (j % 5).to(tl.float16))
tl.store(p1 + i, y)
tl.store(p2 + j, m)`,
}

// TestDivergent: sums, scans, sorts and products are right behind a branch that parts the lanes of a warp.
func TestDivergent(t *testing.T) {
	judge := interpreter(t)
	for _, dev := range gpus(t, "sim:90", "sim:80") {
		for name, body := range divergentCases {
			for _, warps := range []int{1, 2} {
				t.Run(fmt.Sprintf("%s/%s/%d", dev, name, warps), func(t *testing.T) {
					k := bodyKernel(t, "", "i = tl.arange(0, 64)\n"+
						"x = tl.where(i % 3 == 0, 1e30, tl.load(p0 + i))\n"+
						"y = tl.where(i % 3 == 0, 0.0, tl.cos(x))\n"+body, 3, nil)
					l := clusterCase{dtype: nereid.Float32, sizes: []int{64, 64, 256}, grid: nereid.Grid{1}}
					want, err := l.run(k, judge, nereid.Options{})
					if err != nil {
						t.Fatal(err)
					}
					got, err := l.run(k, dev, nereid.Options{NumWarps: warps})
					if err != nil {
						t.Fatal(err)
					}
					if err := l.compare(got, want); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}
