package conform

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// simPart is one in how many cases TestConformSim runs.
const simPart = 60

// TestConformSim runs a part of the cases on the simulated GPU, another part at each commit, and those that
// always run. All of them: NEREID_TEST_PART=all.
func TestConformSim(t *testing.T) {
	chosen, always := txtest.Sample(t, simPart), chosenFor("cuda:90")
	simulate(t, "sim", func(i int, c *testCase) bool { return chosen(i) || always[c.name] })
}

// TestConformDescriptors runs all cases with tensor descriptors on the simulated sm_90, whose copy engine
// serves them, and on sm_80, which has none and refuses the types and atomics that need sm_89 or sm_90.
func TestConformDescriptors(t *testing.T) {
	for _, device := range []string{"sim:90", "sim:80"} {
		t.Run(device, func(t *testing.T) {
			simulate(t, device, func(_ int, c *testCase) bool {
				return strings.HasPrefix(c.name, "descriptor/")
			})
		})
	}
}

// simulate runs the chosen ones of the cases that GPUs run.
func simulate(t *testing.T, device string, chosen func(i int, c *testCase) bool) {
	dev := txtest.Device(t, device, nereid.OpenDevice)
	var some []*testCase
	for i, c := range all() {
		if !c.refused && !c.compile && c.gpuless == "" && chosen(i, c) {
			some = append(some, c)
		}
	}
	parallel(t, some, func(t *testing.T, c *testCase) {
		err := c.run(dev)
		switch {
		case err == nil:
		case device == "sim:80" && strings.Contains(err.Error(), "[unsupported-on-target]"):
			txtest.LeftOut(t, "%v", err)
		default:
			t.Errorf("%v\n%s", err, c.show())
		}
	})
}
