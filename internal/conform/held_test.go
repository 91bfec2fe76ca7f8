package conform

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

// heldCase has a loop whose products have left operands from before the loop.
type heldCase struct {
	pipelineCase
	held int // of them, that are in registers during the loop
}

// TestHeldOperands runs loops of products with few columns on the simulated sm_90. The interpreter says what
// is right. With -device, they run on that device.
func TestHeldOperands(t *testing.T) {
	dev, judge := hopper(t), interpreter(t)
	for _, c := range heldCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := nereid.Options{NumStages: 3, NumWarps: 4}
			k := c.kernel(t)
			text := c.ttgir(t, k, o)
			if n := strings.Count(text, "ttg.local_load"); n != c.held {
				t.Errorf("%d operands are held, not %d\n%s", n, c.held, text)
			}
			for _, n := range []int{0, 1, 4} {
				c.agree(t, k, judge, dev, n, o)
			}
		})
	}
}

// heldBody returns a loop in which q and g, of 128 rows, are multiplied by 32 rows of another matrix.
func heldBody(q, g string) string {
	return `
q = ` + q + `
g = ` + g + `
acc = tl.zeros((128, 64), tl.float32)
for i in range(n):
    k = tl.load(tile(p2 + i * 2048, 32, 64))
    s = tl.dot(q, tl.trans(k))
    d = tl.dot(g, tl.trans(k))
    acc = tl.dot(tl.where(s > d, 1.0, 2.0).to(k.dtype), k, acc)
tl.store(tile(p3, 128, 64), acc)
`
}

const (
	plainQ  = "tl.load(tile(p0, 128, 64))"
	plainG  = "tl.load(tile(p1, 128, 64))"
	turnedG = "tl.trans(tl.load(tile(p1, 64, 128)))"
)

var heldCases = []*heldCase{
	{pipelineCase{name: "fp16", sizes: heldSizes("fp16"), body: heldBody(plainQ, plainG)}, 2},
	{pipelineCase{name: "bf16", sizes: heldSizes("bf16"), body: heldBody(plainQ, plainG)}, 2},
	{pipelineCase{name: "turned", sizes: heldSizes("fp16"), body: heldBody(plainQ, turnedG)}, 2},
	{pipelineCase{name: "fp8", sizes: heldSizes("fp8e4nv"), body: heldBody(plainQ, plainG)}, 2},
}

func heldSizes(elem string) []string {
	return []string{elem + ":8192", elem + ":8192", elem + ":8192", "fp32:8192"}
}
