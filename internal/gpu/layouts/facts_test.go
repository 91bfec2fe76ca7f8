package layouts

import (
	"testing"
)

// Every op stands in one part of the table: which part came first must not matter.
func TestFactsOnce(t *testing.T) {
	n := len(SlowMath)
	for _, part := range factParts() {
		n += len(part)
	}
	if n != len(Facts) {
		t.Errorf("%d rows for %d ops", n, len(Facts))
	}
}
