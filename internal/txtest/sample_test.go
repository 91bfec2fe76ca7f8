package txtest

import (
	"strconv"
	"strings"
	"testing"
)

// TestSample: each part is one residue, all parts together are all cases, a commit has a part of its own,
// and the variable repeats a part.
func TestSample(t *testing.T) {
	const part, cases = 7, 100
	seen := make([]int, cases)
	for n := range part {
		t.Setenv(partVariable, strconv.Itoa(n+part*1000))
		chosen := Sample(t, part)
		for i := range seen {
			if chosen(i) {
				seen[i]++
			}
		}
	}
	for i, n := range seen {
		if n != 1 {
			t.Errorf("case %d is in %d parts", i, n)
		}
	}
	t.Setenv(partVariable, "all")
	for i, chosen := 0, Sample(t, part); i < cases; i++ {
		if !chosen(i) {
			t.Errorf("case %d is not in all", i)
		}
	}
	t.Setenv(partVariable, "some")
	if got := outcome(t, func(tb testing.TB) { Sample(tb, part) }); !strings.HasPrefix(got, "fatal: ") {
		t.Errorf("a part that is no number ended with %q", got)
	}
	residues := map[uint64]bool{}
	for i := range 100 {
		residues[hashed(strconv.Itoa(i))%16] = true
	}
	if len(residues) < 14 {
		t.Errorf("100 commits have %d of 16 parts", len(residues))
	}
}
