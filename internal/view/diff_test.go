package view

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestChanges(t *testing.T) {
	for _, c := range []struct {
		a, b          string
		remove, added int
	}{
		{"", "", 0, 0},
		{"a b c", "a b c", 0, 0},
		{"", "a b", 0, 2},
		{"a b", "", 2, 0},
		{"a b c d", "a x c d", 1, 1},
		{"a b c", "c a b", 1, 1},
		{"a b c a b b a", "c b a b a c", 3, 2},
	} {
		a, b := strings.Fields(c.a), strings.Fields(c.b)
		edits := changes(a, b)
		if got := apply(a, edits); !slices.Equal(got, b) {
			t.Errorf("%q to %q: the edits %+v make %q", c.a, c.b, edits, got)
		}
		removed, added := size(edits)
		if removed != c.remove || added != c.added {
			t.Errorf("%q to %q: -%d +%d, want -%d +%d: %+v", c.a, c.b, removed, added, c.remove, c.added,
				edits)
		}
	}
}

func size(edits []Edit) (removed, added int) {
	for _, e := range edits {
		removed, added = removed+e.Remove, added+len(e.Add)
	}
	return removed, added
}

// TestChangesRandom: edits lead from one text to the other, and are no more than replacing all of it.
func TestChangesRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func(n, letters int) (out []string) {
		for range n {
			out = append(out, fmt.Sprint(r.IntN(letters)))
		}
		return out
	}
	for i := range 2000 {
		a, b := text(r.IntN(30), 1+i%7), text(r.IntN(30), 1+i%7)
		edits := changes(a, b)
		if got := apply(a, edits); !slices.Equal(got, b) {
			t.Fatalf("%q to %q: %+v makes %q", a, b, edits, got)
		}
		removed, added := size(edits)
		if removed > len(a) || added > len(b) || removed-added != len(a)-len(b) {
			t.Fatalf("%q to %q: -%d +%d", a, b, removed, added)
		}
	}
	// texts with nothing in common are not compared line by line
	a, b := text(3000, 1<<30), text(3000, 1<<30)
	if edits := changes(a, b); len(edits) > 3 || !slices.Equal(apply(a, edits), b) {
		t.Errorf("%d edits", len(edits))
	}
}
