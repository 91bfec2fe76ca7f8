package conform

import (
	"slices"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// seeds are the orders under which cases run on the simulators.
var seeds = []string{"backward", "earliest", "latest", "random:1", "adversarial:2"}

// TestOrdersAMD runs cases on AMD's emulators under five orders of what the hardware leaves open: the results
// are those of the interpreter under all, and no race is reported. CI runs some cases, NEREID_TEST_AMD=all
// all.
func TestOrdersAMD(t *testing.T) {
	for _, chip := range []struct {
		name string
		part int
	}{{"gfx942", 480}, {"gfx90a", 1600}, {"gfx1100", 1600}} {
		for _, order := range seeds {
			t.Run(chip.name+"/"+order, func(t *testing.T) {
				dev := txtest.Device(t, "sim:"+chip.name, nereid.OpenDevice)
				t.Setenv(knob.SimOrder.Name(), order)
				parallel(t, someCases(t, chip.part, nil), func(t *testing.T, c *testCase) {
					if hipRefuses(c, chip.name) == "" && !slices.Contains(hipTakes, c.name) {
						c.test(t, dev)
					}
				})
			})
		}
	}
}
