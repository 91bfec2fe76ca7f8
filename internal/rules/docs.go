package rules

import (
	_ "embed"
	"fmt"
	"io"
)

// docsHead is the page before its tables.
//
//go:embed head.md
var docsHead string

// WriteDocs writes the table as a page, with what rules are worth by data, which may be nil.
func WriteDocs(w io.Writer, data *Data) {
	io.WriteString(w, docsHead)
	if data != nil {
		fmt.Fprintf(w, "\nEvidence: %s, commit %s, %d launches. Each cell has the number of launches "+
			"whose code the rule changes, and the mean time without it over that with it.\n",
			data.Chip, data.Commit, len(data.Kernels))
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
