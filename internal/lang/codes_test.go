package lang_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/txtest"
)

var messageCode = regexp.MustCompile(`(?m)^\S+: error: .* \[([a-z-]+)\]$`)

// rare are codes that no wrong kernel in testdata has.
var rare = map[string]string{
	"aggregate": "needs a class of Triton's own making",
	"invalid":   "is for what nothing else fits",
}

// TestCodes holds the table of codes, the wrong kernels and docs/errors.md together: each code has an
// example, and each example's code is in the table.
func TestCodes(t *testing.T) {
	examples := map[string]*txtest.Case{}
	for _, path := range globHere(t, wrongKernels) {
		c := txtest.Load(t, path)
		for _, m := range messageCode.FindAllStringSubmatch(c.Text(t, "error"), -1) {
			if old := examples[m[1]]; old == nil || len(c.Text(t, "error")) < len(old.Text(t, "error")) {
				examples[m[1]] = c
			}
		}
	}
	var b strings.Builder
	b.WriteString("# Errors\n\nWhat is wrong with a kernel is said with its place, the line, a caret, " +
		"notes and a hint; the word in brackets at the end is its code. This page is made from the table " +
		"of codes and\nthe wrong kernels in `internal/lang/testdata/errors`: `go test ./internal/lang -run " +
		"TestCodes -update`.\n")
	for _, row := range lang.Codes {
		c := examples[row.Code]
		delete(examples, row.Code)
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", row.Code, row.Doc)
		switch _, ok := rare[row.Code]; {
		case c != nil && ok:
			t.Errorf("%s is not rare: %s", row.Code, c.Path)
		case c == nil && !ok:
			t.Errorf("no wrong kernel has the code %s", row.Code)
		case c != nil:
			fmt.Fprintf(&b, "\n```\n%s```\n", c.Text(t, "error"))
		}
	}
	for _, code := range slices.Sorted(maps.Keys(examples)) {
		t.Errorf("the code %s of %s is not in the table", code, examples[code].Path)
	}
	txtest.Golden(t, txtest.Path(t, "docs", "errors.md"), b.String())
}
