package lower

import "testing"

// Every operation stands in one of the tables that facts is made of: which of them came first must not
// matter.
func TestFactsOnce(t *testing.T) {
	withMore := 0 // those that stand in facts itself
	for _, f := range facts {
		if f.scratch != nil || f.crosses != nil || f.effects.global != untouched ||
			f.effects.touches != nil || f.effects.settles != nil {
			withMore++
		}
	}
	if n := withMore + len(plainOps()) + len(castOps) + len(binaryOps) + len(divisions) +
		len(unaryOps) + len(mathOps); n != len(facts) {
		t.Errorf("%d rows for %d operations", n, len(facts))
	}
}
