package lang_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/triton"
	"github.com/nereid-lang/nereid/internal/txtest"
)

var versionSpec = regexp.MustCompile(`# sig: (.*)\n(?: *# (?:since|until): .*\n)* *@triton.jit\n *def (\w+)`)

// TestVersions: under the rules of each release, the IR of each kernel of conform/testdata/versions.py is
// that of the release's wheel before any pass, and what that refuses is refused (peer/versions.py).
func TestVersions(t *testing.T) {
	text := txtest.Read(t, txtest.Path(t, "internal", "conform", "testdata", "versions.py"))
	answers := txtest.JSON[map[string]map[string]string](t, "testdata/versions.json.gz")
	specs := versionSpec.FindAllStringSubmatch(text, -1)
	if len(specs) < 26 {
		t.Fatalf("only %d kernels", len(specs))
	}
	for _, v := range triton.Releases {
		src, err := lang.Load("versions_kernels.py", []byte(text), lang.LoadOptions{Triton: v})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range specs {
			name := v.String() + " " + m[2]
			t.Run(name, func(t *testing.T) {
				want, ok := answers[v.String()][m[2]]
				if !ok {
					t.Fatal("Triton was not asked: run peer/versions.py")
				}
				ours, err := compile(src, spec{Name: m[2], Kernel: m[2], Signature: m[1]})
				switch refused := strings.HasPrefix(want, "error: "); {
				case refused && err == nil:
					t.Errorf("we accept what Triton refuses: %s", want)
				case refused:
				case err != nil:
					t.Errorf("we refuse what Triton accepts: %v", err)
				default:
					theirs := parse(t, name, string(triton.Older([]byte(want))))
					sameStructure(t, name, theirs, parse(t, name, printed(ours)))
				}
			})
		}
	}
}
