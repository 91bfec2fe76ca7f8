package gpu

import "testing"

// Every op stands in one part of the table: which part came first must not matter.
func TestFactsOnce(t *testing.T) {
	n := len(slowMath)
	for _, part := range factParts() {
		n += len(part)
	}
	if n != len(facts) {
		t.Errorf("%d rows for %d ops", n, len(facts))
	}
}
