package driver

import "testing"

// TestLargeOf: a launch takes the first code that is for its grid and words; of a word, the bits of the
// parameter count.
func TestLargeOf(t *testing.T) {
	small := &Large{From: 8, By: 2}
	all := &Large{From: 16, By: 4, Less: small}
	words := Ones{{Word: 1, Mask: 1<<32 - 1}, {Word: 2, Mask: 1<<64 - 1}}
	ones := &Large{From: 16, By: 4, Less: all, Ones: words}
	for _, test := range []struct {
		x     uint32
		words []uint64
		want  *Large
	}{
		{16, []uint64{7, 1, 1}, ones},
		{16, []uint64{7, 5<<32 | 1, 1}, ones},
		{16, []uint64{7, 1, 5<<32 | 1}, all},
		{16, []uint64{7, 2, 1}, all},
		{18, []uint64{7, 1, 1}, small},
		{7, []uint64{7, 1, 1}, nil},
	} {
		if got := ones.of(test.x, test.words); got != test.want {
			t.Errorf("%d blocks, words %v: %+v", test.x, test.words, got)
		}
	}
}
