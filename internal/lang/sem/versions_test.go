package sem

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/triton"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestVersions: docs/VERSIONS.md lists what differs between releases.
func TestVersions(t *testing.T) {
	var b strings.Builder
	b.WriteString(txtest.Read(t, "testdata/versions_head.md"))
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
