package conform

import (
	"testing"

	"github.com/nereid-lang/nereid"
)

// TestConformCPU runs a part of the cases on the CPU, another part for each family of cases. All of them:
// -device cpu.
func TestConformCPU(t *testing.T) {
	const part = 16
	dev, err := nereid.Open("cpu")
	if err != nil {
		t.Skip(err)
	}
	var some []*testCase
	for i, c := range all() {
		if i%part == 0 && !c.refused && !c.compile {
			some = append(some, c)
		}
	}
	parallel(t, some, func(t *testing.T, c *testCase) {
		if err := c.run(dev); err != nil {
			t.Errorf("%v\n%s", err, c.show())
		}
	})
}
