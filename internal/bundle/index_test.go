package bundle

import "testing"

// TestBlobSizes: an index that claims sizes which no packing gives is refused before memory is taken.
func TestBlobSizes(t *testing.T) {
	for _, c := range []struct {
		b    blob
		want bool
	}{
		{blob{size: 100, packed: 100, method: stored}, true},
		{blob{size: 100, packed: 99, method: stored}, false},
		{blob{size: 0, packed: 0, method: stored}, true},
		{blob{size: 1 << 20, packed: 2000, method: deflated}, true},
		{blob{size: 1 << 20, packed: 100, method: deflated}, false},
		{blob{size: maxPart, packed: 1, method: deflated}, false},
		{blob{size: maxPart + 1, packed: maxPart, method: deflated}, false},
		{blob{size: 10, packed: maxPart + 1, method: deflated}, false},
		{blob{size: -1, packed: 10, method: deflated}, false},
		{blob{size: 10, packed: -1, method: deflated}, false},
		{blob{size: 10, packed: 10, method: 2}, false},
	} {
		if c.b.valid() != c.want {
			t.Errorf("%d bytes in %d by method %d: %v", c.b.size, c.b.packed, c.b.method, c.b.valid())
		}
	}
}
