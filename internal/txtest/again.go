package txtest

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// again is the variable that is set in processes that Again starts.
const again = "NEREID_TEST_STUB"

// Again runs the calling test once more, in a process of its own with more variables of the environment and
// the cache on, and returns its output. There, Inside reports true.
func Again(tb testing.TB, env ...string) string {
	tb.Helper()
	exe, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	only := "^" + strings.ReplaceAll(tb.Name(), "/", "$/^") + "$"
	cmd := exec.Command(exe, "-test.run", only, "-test.v", "-test.count=1")
	cmd.Env = append(append(os.Environ(), again+"=1", "NEREID_CACHE=on"), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		tb.Fatalf("in a process of its own: %v\n%s", err, out)
	}
	return string(out)
}

// Inside reports whether this process is one that Again started.
func Inside() bool { return os.Getenv(again) != "" }
