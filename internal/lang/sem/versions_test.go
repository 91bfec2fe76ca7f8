package sem

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/triton"
	"github.com/nereid-lang/nereid/internal/txtest"
)

const versionsHead = `# Releases of Triton

A kernel is compiled by the rules of the release of Triton that it was written for. The release is chosen, never
guessed, since the same text can mean other numbers; without a choice it is 3.6. In the order in which they are
asked:

| where | example |
|---|---|
| an option of ` + "`Load`" + ` | ` + "`nereid.Load(file, nereid.Triton(\"3.9\"))`" + ` |
| the configuration, the environment or the command line | ` + "`Config.Triton`, `NEREID_TRITON=3.9`, `--triton 3.9`" + ` |
| a line among the comments at the top of the file | ` + "`# nereid: triton 3.9`" + ` |

` + "`3.9+block_ptr`" + ` has the rules of 3.9 and keeps block pointers with ` + "`boundary_check` and `padding_option`" + `, which
3.9 has given up, for libraries that have not moved yet. Functions that a kernel calls from other files follow the
rules of the kernel's file. Recorded launches (` + "`release`" + `), manifests (` + "`triton`" + `), saved kernels, bundles and the keys
of the cache name the release, unless it is 3.6.

` + "`nereid diff-versions FILE.py --from 3.6 --to 3.9`" + ` tells which kernels of a file or a folder the
other release refuses, and the lines whose operations differ.

This page is made from the front end's own tables; ` + "`go test ./internal/lang/sem -run TestVersions -update`" + ` writes it
anew. The rules are compared with those of the wheels 3.6.0, 3.7.1, 3.8.0 and 3.9.0
(` + "`internal/lang/sem/testdata/semantics-*.json.gz`" + `, ` + "`peer/versions.py`" + `).

## Rules

*results*: the same kernel may compute other numbers.

| release | what | results |
|---|---|---|
`

// TestVersions: docs/VERSIONS.md lists what differs between releases.
func TestVersions(t *testing.T) {
	var b strings.Builder
	b.WriteString(versionsHead)
	for _, f := range triton.Features() {
		r, mark := f.Row(), ""
		if r.Results {
			mark = "differ"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.Span, strings.ReplaceAll(r.What, "|", "\\|"), mark)
	}
	b.WriteString("\n## Names\n\n| name | release | parameters |\n|---|---|---|\n")
	for _, name := range changedNames() {
		for _, line := range historyOf(name) {
			b.WriteString(line)
		}
	}
	txtest.Golden(t, txtest.Path(t, "docs/VERSIONS.md"), b.String())
}

// changedNames returns the names whose rows are not the same in all releases.
func changedNames() (out []key) {
	for _, c := range changes {
		for _, r := range c.rows {
			if k := (key{homeNames[r.flags&homes], r.name}); !slices.Contains(out, k) {
				out = append(out, k)
			}
		}
	}
	return out
}

// historyOf returns a line for each form that a name had.
func historyOf(k key) (lines []string) {
	var since triton.Version
	last := ""
	flush := func(before triton.Version) {
		if last != "" {
			span := triton.Span{Since: since, Last: before}
			bi := In(since).Lookup(k.module, k.name)
			lines = append(lines, fmt.Sprintf("| `%s` | %s | `%s` |\n", bi.FullName(), span, last))
		}
	}
	for i, v := range triton.Releases {
		now := ""
		if bi := In(v).Lookup(k.module, k.name); bi != nil {
			now = bi.Params
		}
		if (k.name == "make_block_ptr" || k.name == "advance") && !v.Has(triton.BlockPointers) {
			now = ""
		}
		if now == last {
			continue
		}
		if i > 0 {
			flush(triton.Releases[i-1])
		}
		since, last = v, now
	}
	flush(triton.Version{})
	return lines
}
