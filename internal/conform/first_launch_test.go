package conform

import (
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
)

// TestFirstLaunch: the first launch of products, and of attention, compiles the code that suits it and no
// other, whether or not its programs stay. Later launches get theirs.
func TestFirstLaunch(t *testing.T) {
	dev, made := hopper(t), 0
	conf := nereid.Config{Hooks: nereid.Hooks{
		AfterCompile: func(nereid.Variant, time.Duration, bool, error) { made++ },
	}}
	o := nereid.Options{NumWarps: 8, NumStages: 3}
	product, attention := loopedCases[0], persistCases[0]
	for _, grids := range [][]nereid.Grid{{{5}, {3, 2}, {1}, {2}}, {{1}, {2}, {5}, {4}}} {
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
