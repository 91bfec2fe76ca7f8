package bundle

import (
	"testing"

	format "github.com/nereid-lang/nereid/internal/bundle"
)

// TestRank: of code that a device runs, machine code comes before PTX whatever its architecture, a later
// architecture before an earlier one, and of a CPU's the code that uses more of its features.
func TestRank(t *testing.T) {
	type code struct{ part, machine string }
	for _, order := range [][]code{ // the best first
		{{format.PartCubin, "sm_90a"}, {format.PartCubin, "sm_90"}, {format.PartCubin, "sm_80"},
			{format.PartPTX, "sm_90"}, {format.PartPTX, "sm_80"}, {format.PartPTX, "sm_75"}},
		{{format.PartCubin, "sm_80"}, {format.PartPTX, "sm_100"}},
		{{format.PartObj, "x86-64+avx2+avx512f"}, {format.PartObj, "x86-64+avx2"},
			{format.PartObj, "x86-64"}},
	} {
		for i := range order[1:] {
			better, worse := order[i], order[i+1]
			r, s := rank(better.part, better.machine), rank(worse.part, worse.machine)
			if r < s || r == s && better.machine != "sm_90a" {
				t.Errorf("%v has rank %d, %v has %d", better, r, worse, s)
			}
		}
	}
}
