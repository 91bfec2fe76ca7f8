package conform

import (
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestOrdersNVIDIA runs cases on the simulated NVIDIA GPUs under five orders of what the hardware leaves
// open: the results are right under all, and nothing is reported. CI runs some cases, others at each commit:
// the same ones under every order, so that each is compiled once. NEREID_TEST_PART=all runs all.
func TestOrdersNVIDIA(t *testing.T) {
	for i, device := range []string{"sim:90", "sim:80"} {
		for _, order := range seeds {
			t.Run(device+"/"+order, func(t *testing.T) {
				chosen := txtest.Sample(t, 2*simPart) // on sim:90, cases of TestConformSim, compiled once
				t.Setenv(knob.SimOrder.Name(), order)
				simulate(t, device, func(n int, c *testCase) bool {
					return chosen(n+i) && !strings.HasPrefix(c.name, "target/") // which are for sm_90
				})
			})
		}
	}
}

// TestOrders runs kernels under orders of warps and of asynchronous ends that once found a fault: one makes
// tensor maps in a loop, the other has products that read one buffer as both operands.
func TestOrders(t *testing.T) {
	mod, judge := describedKernels(t), interpreter(t)
	for _, order := range []string{"backward", "latest", "adversarial:1"} {
		t.Setenv("NEREID_SIM_ORDER", order)
		for _, d := range describedLaunches() {
			if d.kernel != "grouped" {
				continue
			}
			want, got := d.run(t, mod, judge), d.run(t, mod, hopper(t))
			for j := range want {
				if k := differ(want[j], got[j], d.within); k >= 0 {
					t.Errorf("%s: element %d of tensor %d is %v, not %v", order, k, j, got[j][k], want[j][k])
				}
			}
		}
		same := func(c *pipelineCase) bool { return c.name == "behind a product" }
		c := steppedCases[slices.IndexFunc(steppedCases, same)]
		c.agree(t, c.kernel(t), judge, hopper(t), 2, nereid.Options{NumStages: 2})
	}
}
