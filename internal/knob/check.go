package knob

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
)

// Check says what is wrong in the environment: NEREID_ variables that nobody reads, values that make no
// sense, and a variable of Triton's that asks for something that is not here.
func Check() []error { return check(os.Environ()) }

// forTests are variables of the project's own scripts and tests.
var forTests = []string{"NEREID_NO_SETUP", "NEREID_REQUIRE_TOOLS", "NEREID_ACCEPT_ALL", "NEREID_KEEP",
	"NEREID_RANDOM", "NEREID_SEED"}

func ofTests(name string) bool {
	return strings.HasPrefix(name, "NEREID_TEST_") || slices.Contains(forTests, name)
}

func check(environ []string) []error {
	known := map[string]Row{}
	var names []string
	for _, r := range rows {
		known[r.Name] = r
		names = append(names, r.Name)
	}
	var out []error
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if name == instrumentation && value != "" {
			out = append(out, fmt.Errorf("%s=%s: kernels are not instrumented here: NEREID_CHECK=1 checks "+
				"accesses and overflow on every device, and the simulated GPUs (sim:90, sim:gfx942) find races",
				name, value))
		}
		if !strings.HasPrefix(name, "NEREID_") || value == "" || ofTests(name) {
			continue
		}
		r, ok := known[name]
		if !ok {
			out = append(out, unknown(name, names))
			continue
		}
		if err := r.check(value); err != nil {
			out = append(out, fmt.Errorf("%s=%s: %w", name, value, err))
		}
	}
	return out
}

func unknown(name string, names []string) error {
	if best := nearest(name, names); best != "" {
		return fmt.Errorf("%s is no variable of Nereid's: did you mean %s?", name, best)
	}
	return fmt.Errorf("%s is no variable of Nereid's", name)
}

// nearest returns the variable that a wrong name is most like, or "". The prefix that all share says nothing.
func nearest(name string, names []string) string {
	tails := make([]string, len(names))
	for i, n := range names {
		tails[i] = strings.TrimPrefix(n, "NEREID_")
	}
	if best := diag.Nearest(strings.TrimPrefix(name, "NEREID_"), tails); best != "" {
		return "NEREID_" + best
	}
	return ""
}
