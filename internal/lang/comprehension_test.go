package lang_test

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/lang"
)

// TestComprehensionTargets: a comprehension takes tuples apart, also within each other, and needs as many
// names as there are items.
func TestComprehensionTargets(t *testing.T) {
	for call, want := range map[string]string{
		"[i * j for i, j in ((1, 2), (3, 4))][1]":            "12",
		"[i * j - k for (i, j), k in (((5, 7), 3), (8, 9))]": "error: cannot unpack",
		"[i * j - k for (i, j), k in (((5, 7), 3), )][0]":    "32",
		"[i for i, j, k in ((1, 2), (3, 4))][0]":             "error: cannot unpack",
		"[i for i, in (1, 2)][0]":                            "error: cannot unpack",
		"[i for i, in ((1,), (2,))][1] + 40":                 "42",
		"[x[0] for x in ((1, 2), (3, 4))][1] + 60":           "63",
		"[i + j for i in (1, 2) for j in (30, 40)][3]":       "42",
		"[x.a for x.a in (1, 2)][0]":                         "error: unsupported target of a comprehension",
	} {
		text := "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(out):\n" +
			"    tl.store(out, " + call + ")\n"
		src, err := lang.Load("k.py", []byte(text), lang.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := compile(src, spec{Name: "k", Kernel: "k", Signature: "*i32"})
		switch {
		case strings.HasPrefix(want, "error: "):
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", call, err, want)
			}
		case err != nil:
			t.Errorf("%s: %v", call, err)
		case !strings.Contains(m.String(), "arith.constant "+want+" : i32"):
			t.Errorf("%s: no %s in\n%s", call, want, m)
		}
	}
}
