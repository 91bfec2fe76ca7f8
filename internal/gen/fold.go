package gen

import "strings"

// foldColumns is how long a line of generated code may be, tabs counted as one.
const foldColumns = 100

// foldAll breaks the long lines of Go code.
func foldAll(code string) string {
	var b strings.Builder
	for line := range strings.Lines(code) {
		at, depth := foldAt(line, 0)
		for at > 0 {
			b.WriteString(line[:at] + "\n")
			line = line[at+1:]
			at, depth = foldAt(line, depth)
		}
		b.WriteString(line)
	}
	return b.String()
}

// foldAt returns where a long line can be broken: behind the last comma of a list that leaves the part before
// it short enough. It is 0 for lines that are short, for comments, and where there is no such comma. depth is
// the number of brackets that are open where the line begins, and then where it is broken.
func foldAt(line string, depth int) (at, open int) {
	if len(line) <= foldColumns || strings.HasPrefix(strings.TrimSpace(line), "//") {
		return 0, 0
	}
	quoted := false
	for i := 0; i+1 < len(line) && i < foldColumns; i++ {
		switch c := line[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case c == ',' && line[i+1] == ' ' && depth > 0:
			at, open = i+1, depth
		}
	}
	return at, open
}
