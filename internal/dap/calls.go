package dap

import "strings"

// linesAfterCalls returns the lines of code that follow a statement breakpoint() in a file of Python: nothing
// is executed for the call itself.
func linesAfterCalls(text string) map[int]bool {
	out := map[int]bool{}
	waiting := false
	for i, line := range strings.Split(text, "\n") {
		code, _, _ := strings.Cut(strings.TrimSpace(line), "#")
		switch code = strings.TrimSpace(code); {
		case code == "breakpoint()":
			waiting = true
		case code != "" && waiting:
			out[i+1], waiting = true, false
		}
	}
	return out
}
