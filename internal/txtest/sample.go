package txtest

import (
	"hash/fnv"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// partVariable chooses the part of the cases that samples run: a number, or "all" for every case.
const partVariable = "NEREID_TEST_PART"

// Sample returns a function that chooses one in part of a test's cases by their numbers. The residue
// changes with every commit, so that in time all cases run; the log names it, and NEREID_TEST_PART repeats
// it or, as "all", chooses all cases.
func Sample(t testing.TB, part int) func(i int) bool {
	t.Helper()
	rest, part := Rest(t, part)
	return func(i int) bool { return i%part == rest }
}

// Rest returns what Sample chooses by: the numbers with a residue. With NEREID_TEST_PART=all these are all.
func Rest(t testing.TB, part int) (rest, of int) {
	t.Helper()
	asked := os.Getenv(partVariable)
	if asked == "all" {
		return 0, 1
	}
	n, err := strconv.ParseUint(asked, 10, 64)
	if err != nil && asked != "" {
		t.Fatalf("%s=%s is neither a number nor all", partVariable, asked)
	}
	if asked == "" {
		n = turn()
	}
	t.Logf("one of %d cases; to repeat: %s=%d", part, partVariable, n)
	return int(n % uint64(part)), part
}

// turn returns a number of the commit, or of the day where there is no repository.
var turn = sync.OnceValue(func() uint64 {
	what, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		what = []byte(time.Now().UTC().Format(time.DateOnly))
	}
	return hashed(strings.TrimSpace(string(what)))
})

func hashed(s string) uint64 {
	h := fnv.New32a()
	h.Write([]byte(s))
	return uint64(h.Sum32())
}
