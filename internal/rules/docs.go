package rules

import (
	"fmt"
	"io"
)

const docsHead = `# Rules of the GPU compiler

Written from the table in ` + "`internal/rules`" + ` (` + "`go test ./internal/rules -update`" + `).

The GPU compiler often has two correct ways to compile a kernel and chooses by a threshold: how many registers
a thread may have, whether programs are merged, whether a kernel is persistent. Each threshold is a row here.
A rule compares one quantity of the kernel with its value; it never makes a kernel wrong. Limits of the
hardware and numbers that come from Triton's own passes are no rules.

- ` + "`nereid rules`" + ` lists the table, ` + "`nereid rules NAME`" + ` says what a rule decides and why.
- ` + "`nereid compile --explain FILE.py:KERNEL …`" + ` prints the rules that a compilation asked for, the
  quantities that they saw, and what they decided.
- ` + "`NEREID_RULES=early-words=64,most-merged=off`" + ` changes rules, for any command or program;
  ` + "`Config.Rules`" + ` does so for a module. Overrides travel as an attribute of the IR
  (` + "`nereid.rules`" + `), so they are part of the cache's key, and a pass test may have its own.
- ` + "`nereid rules measure --out DATA.json CASES…`" + ` measures on a GPU: each recorded launch is compiled with the
  table and with one rule changed; where the code differs, both are timed in turns. A fixed hash of the
  kernel's name holds a third of the kernels out: values are chosen by the others and judged by these.
- ` + "`nereid rules replay --set NAME=VALUE DATA.json`" + ` shows, without a GPU, which launches of such a file
  another value decides otherwise, from the recorded quantities.

A new rule is a row (` + "`internal/rules/table_*.go`" + `), its use, and a kernel that asks for it in the test that the row
names. A rule that gains less than the noise (2%) on kernels held out goes.

Dropped by the first measurement: ` + "`dear-number`, `const-division-cost`" + ` (the host computes numbers that programs
do not divide by: 0.998 on 8 launches held out, 1.003 on 5 others, by which the host did more at each launch), and
by the first test ` + "`division-cost`" + `, of which no value decided anything. The data has 48 launches, so that
most rules have fewer than four launches on each side: too few to drop more, or to choose other values.

Open: with ` + "`narrow-columns=128`" + ` a causal attention (128×64, heads of 64, 4 warps) gave other results on the H200,
by half a percent, but not on the simulator. The table's value does not hold such operands.

Kinds: *at most*, *at least*, *below*, *above* compare the quantity with the value; *share* holds if the
quantity is at most one value-th of another one; *cap* bounds it; *number* is an operand of an estimate.
`

// WriteDocs writes the table as a page, with what rules are worth by data, which may be nil.
func WriteDocs(w io.Writer, data *Data) {
	io.WriteString(w, docsHead)
	if data != nil {
		fmt.Fprintf(w, "\nEvidence: %s, commit %s, %d launches. Each cell has the number of launches whose code the rule "+
			"changes, and the mean time without it over that with it.\n", data.Chip, data.Commit,
			len(data.Kernels))
	}
	area := ""
	for _, r := range table {
		if r.Area != area {
			area = r.Area
			fmt.Fprintf(w, "\n## %s%s\n\n| rule | value | unit | if it holds | why |%s\n|---|---|---|---|---|%s\n",
				string(area[0]-'a'+'A'), area[1:], columns(data, " chosen by | held out |"),
				columns(data, "---|---|"))
		}
		fmt.Fprintf(w, "| `%s` | %s %d | %s | %s | %s |%s\n", r.Name, r.Kind, r.Value, r.Unit, r.Decides,
			r.Reason, cells(data, r))
	}
}

// columns returns the text of columns that a page without data does not have.
func columns(data *Data, text string) string {
	if data == nil {
		return ""
	}
	return text
}

func cells(data *Data, r *Rule) string {
	if data == nil {
		return ""
	}
	chosen, held := data.Effects(r.Name)
	return fmt.Sprintf(" %s | %s |", chosen.cell(), held.cell())
}

func (e Effect) cell() string {
	if e.Kernels == 0 {
		return "–"
	}
	return fmt.Sprintf("%d: %.3f", e.Kernels, e.Mean)
}
