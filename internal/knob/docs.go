package knob

import (
	"fmt"
	"io"
)

// WriteDocs writes the table as a page.
func WriteDocs(w io.Writer) {
	fmt.Fprint(w, "# Options of the environment\n\n"+
		"Written from the table in `internal/knob` (`go test ./internal/knob -update`). A variable that "+
		"is empty counts as not set. "+
		"A value that makes no sense is passed over; `nereid` says so. Where Triton has a variable for "+
		"the same thing, it stands in the last "+
		"column. Triton's variable counts where Nereid's is not set, unless it stands in brackets: "+
		"`TRITON_CACHE_DIR=x` keeps kernels in `x/nereid`, "+
		"`TRITON_DUMP_DIR` and `TRITON_OVERRIDE_DIR` count while `TRITON_KERNEL_DUMP` and "+
		"`TRITON_KERNEL_OVERRIDE` are on, `TRITON_DEFAULT_BACKEND=nvidia` is `cuda:0`, "+
		"`MLIR_ENABLE_DUMP=1` is all passes.\n")
	group := ""
	for _, r := range rows {
		if r.Group != group {
			group = r.Group
			fmt.Fprintf(w, "\n## %s\n\n| variable | value | default | meaning | Triton's |\n"+
				"|---|---|---|---|---|\n", group)
		}
		fmt.Fprintf(w, "| `%s` | %s | %s | %s | %s |\n", r.Name, r.Form, r.Default, r.Doc, r.triton())
	}
	fmt.Fprint(w, "\n## Triton's variables without a counterpart\n\nThose that are refused are named on "+
		"standard error once, by the command, or by `slog`'s default logger, if they are set. The others "+
		"have nothing to change here.\n\n| Triton's variable | refused | instead, or why |\n|---|---|---|\n")
	for _, u := range unread {
		mark := "no"
		if u.Refused {
			mark = "yes"
		}
		fmt.Fprintf(w, "| `%s` | %s | %s |\n", u.Name, mark, u.Why)
	}
	fmt.Fprint(w, "\n## The settings of Triton 3.6's knobs.py\n\nOne line for each setting; `TestKnobsFile` "+
		"compares the table with Triton's file.\n\n| `triton.knobs` | variable | here | by what, or why | test |\n"+
		"|---|---|---|---|---|\n")
	for i := range knobs36 {
		k := &knobs36[i]
		status, by := k.answer()
		variable := ""
		if k.variable != "" {
			variable = "`" + k.variable + "`"
		}
		fmt.Fprintf(w, "| `%s` | %s | %s | %s | %s |\n", k.name, variable, status, by, k.test)
	}
}

// triton returns Triton's variables, in brackets if they are not read.
func (r Row) triton() string {
	if r.Triton != "" && r.Also == nil {
		return "(" + r.Triton + ")"
	}
	return r.Triton
}
