package conform

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/nereid-lang/nereid/internal/fingerprint"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestFingerprintDecisive compiles the cases, in forms, that alone decide something in the compiler. Cases
// that are refused are among them: their lines have the message.
func TestFingerprintDecisive(t *testing.T) {
	txtest.LLVMTool(t, "opt")
	cases, pool, seen := map[string]*testCase{}, []string{}, map[string]bool{}
	for _, c := range all() {
		cases[c.name] = c
		if key := c.module.name + " " + c.kernel + " " + c.signature(); !seen[key] {
			seen[key] = true
			pool = append(pool, c.name)
		}
	}
	slices.SortFunc(pool, func(a, b string) int { return cmp.Compare(lot(a), lot(b)) })
	kernel := func(name string) (k fingerprint.Kernel, err error) {
		c := cases[name]
		if c == nil {
			return k, fmt.Errorf("no such case")
		}
		src, err := c.module.source()
		return fingerprint.Kernel{Source: src, Kernel: c.kernel, Signature: c.signature()}, err
	}
	fingerprint.Decisive(t, "testdata/decisive.txt", pool, 2, kernel)
}
