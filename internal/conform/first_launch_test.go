package conform

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestFirstLaunch: the first launch of products, and of attention, compiles the code that suits it and no
// other, whether or not its programs stay. Later launches get theirs. At each commit it is one of two orders.
func TestFirstLaunch(t *testing.T) {
	dev, made := hopper(t), 0
	conf := nereid.Config{Hooks: nereid.Hooks{
		AfterCompile: func(nereid.Variant, time.Duration, bool, error) { made++ },
	}}
	o := nereid.Options{NumWarps: 8, NumStages: 3}
	product, attention := loopedCases[0], persistCases[0]
	chosen := txtest.Sample(t, 2)
	for i, grids := range [][]nereid.Grid{{{5}, {3, 2}, {1}, {2}}, {{1}, {2}, {5}, {4}}} {
		if !chosen(i) {
			continue
		}
		p, a := product.kernel(t, conf), attention.kernel(t, conf)
		for name, run := range map[string]func(nereid.Grid){
			"product":   func(g nereid.Grid) { product.run(t, p, dev, g, 64, o) },
			"attention": func(g nereid.Grid) { attention.run(t, a, dev, g, 192, o) },
		} {
			made = 0
			for i, grid := range grids {
				run(grid)
				if want := 1 + i/2; made != want && strings.HasPrefix(dev.String(), "sim") {
					t.Errorf("%s, %v: %d codes after the launch of %v, want %d",
						name, grids, made, grid, want)
				}
			}
		}
	}
}

// TestCountingWhile: a while that counts is a loop, for whose launches with few programs there is code of its
// own. The code for many asks for it once, and it asks for no other.
func TestCountingWhile(t *testing.T) {
	dev, made := hopper(t), 0
	k := kernelOf(t, "\n@triton.jit\ndef k(x, y, n):\n", `
p = tl.program_id(0)
at = tl.arange(0, 256)
i = p * 0
while i < n:
    v = tl.load(x + i * 256 + at)
    tl.store(y + (p * n + i) * 256 + at, tl.cumsum(v, 0) + tl.sum(v, 0))
    i += 1
`, nereid.With(nereid.Config{Hooks: nereid.Hooks{
		AfterCompile: func(nereid.Variant, time.Duration, bool, error) { made++ },
	}}))
	judge, x := interpreter(t), newArray(i32, 256*3)
	for i := range x.len() {
		x.setInt(i, int64(i*i%1000))
	}
	for _, c := range []struct{ programs, codes int }{{40, 1}, {1, 1}, {2, 0}, {40, 0}, {1, 0}} {
		run := func(dev *nereid.Device) []byte {
			return leaves(t, k, dev, nereid.Grid{c.programs}, x, newArray(i32, 256*3*c.programs), 3)
		}
		want := run(judge)
		made = 0
		if got := run(dev); !bytes.Equal(want, got) {
			t.Errorf("%d programs: results differ %s", c.programs, firstDifference(want, got))
		}
		if made != c.codes && strings.HasPrefix(dev.String(), "sim") {
			t.Errorf("%d programs: %d codes were made, want %d", c.programs, made, c.codes)
		}
	}
}
