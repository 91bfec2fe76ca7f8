package conform

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// steppedCases are loops with a product whose left operand they compute in registers. Its steps along k, of
// which there are four, alternate with their conversions.
var steppedCases = []*pipelineCase{
	{name: "converted", sizes: []string{"i8:20480", "fp16:20480", "fp32:4096"}, body: `
acc = tl.zeros((64, 64), tl.float32)
for k in range(n):
    a = tl.load(tile(p0 + k * 4096, 64, 64)).to(tl.float16) * 2
    acc = tl.dot(a, tl.load(tile(p1 + k * 4096, 64, 64)), acc)
tl.store(tile(p2, 64, 64), acc)
`},
	{name: "four bits", sizes: []string{"bf16:20480", "i8:20480", "i8:1280", "fp32:8192"}, body: `
acc = tl.zeros((64, 128), tl.float32)
for k in range(n):
    a = tl.load(tile(p0 + k * 4096, 64, 64))
    w = tl.load(tile(p1 + k * 4096, 32, 128)).to(tl.uint8, bitcast=True)
    scale = (tl.load(tile(p2 + k * 256, 128, 2)) + 127).to(tl.uint8)
    acc = tl.dot_scaled(a, None, "bf16", w, scale, "e2m1", acc)
tl.store(tile(p3, 64, 128), acc)
`},
	{name: "behind a product", sizes: []string{"i8:20480", "fp16:20480", "fp32:4096"}, body: `
b = tl.load(tile(p1, 64, 64))
acc = tl.dot(b, b)
for k in range(n):
    a = tl.load(tile(p0 + k * 4096, 64, 64)).to(tl.float16)
    acc = tl.dot(a + b, tl.load(tile(p1 + k * 4096, 64, 64)), acc)
tl.store(tile(p2, 64, 64), acc)
`},
}

// alikeSteps is a loop whose steps have the same registers: each product is complete when the next is begun.
var alikeSteps = &pipelineCase{name: "alike", sizes: []string{"fp16:20480", "fp32:4096"}, body: `
acc = tl.zeros((64, 64), tl.float32)
for k in range(n):
    a = tl.full((64, 64), k, tl.int32).to(tl.float16)
    acc = tl.dot(a, tl.load(tile(p0 + k * 4096, 64, 64)), acc)
tl.store(tile(p1, 64, 64), acc)
`}

// TestStepped runs them with few and many iterations, and pipelines of several depths.
func TestStepped(t *testing.T) {
	dev, judge := hopper(t), interpreter(t)
	for _, c := range append(slices.Clone(steppedCases), alikeSteps) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := c.kernel(t)
			for _, n := range []int{0, 1, 2, 5} {
				c.agree(t, k, judge, dev, n, nereid.Options{NumStages: 2}, nereid.Options{NumStages: 3},
					nereid.Options{NumStages: 4, NumWarps: 8})
			}
			if text := c.ttgir(t, k, nereid.Options{NumStages: 3}); !strings.Contains(text, "nereid.steps") {
				t.Error("the product is not divided into steps")
			}
		})
	}
}

// TestSteppedFaults leaves out, two at a time, the waits of steps: as many steps as there are may then be
// under way when the next one's registers are written, which the simulator must report.
func TestSteppedFaults(t *testing.T) {
	dev := opened(t, "sim:90")[0]
	for _, c := range steppedCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dump := t.TempDir()
			fails := func(config nereid.Config) bool {
				k := bodyKernel(t, pipelineHelpers, c.body, len(c.sizes), []string{"n"}, nereid.With(config))
				_, err := c.run(k, dev, 4, nereid.Options{NumStages: 3})
				return err != nil
			}
			if fails(nereid.Config{Dump: dump}) {
				t.Fatal("the code as it is fails")
			}
			files, err := filepath.Glob(filepath.Join(dump, "*", "k.ptx"))
			if err != nil || len(files) != 1 {
				t.Fatalf("PTX is in %q, %v", files, err)
			}
			lines := strings.Split(txtest.Read(t, files[0]), "\n")
			var waits []int
			for i, line := range lines {
				if strings.HasPrefix(strings.TrimSpace(line), "wgmma.wait_group.sync.aligned 2;") {
					waits = append(waits, i)
				}
			}
			if len(waits) != 4 {
				t.Fatalf("%d waits, not 4", len(waits))
			}
			for i, at := range waits {
				changed := slices.Clone(lines)
				changed[at], changed[waits[(i+1)%4]] = "", ""
				if !fails(nereid.Config{Override: overriding(t, files[0], changed)}) {
					t.Errorf("line %d, a wait, and the next are left out, and nothing is reported", at+1)
				}
			}
		})
	}
}
