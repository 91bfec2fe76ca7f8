package knob

import (
	"fmt"
	"io"
)

// WriteDocs writes the table as a page.
func WriteDocs(w io.Writer) {
	fmt.Fprint(w, "# Options of the environment\n\n"+
		"Written from the table in `internal/knob` (`go test ./internal/knob -update`). A variable that is empty counts as not set. "+
		"A value that makes no sense is passed over; `nereid` says so. Where Triton has a variable for the same thing, it stands in the last "+
		"column; Nereid does not read Triton's.\n")
	group := ""
	for _, r := range rows {
		if r.Group != group {
			group = r.Group
			fmt.Fprintf(w, "\n## %s\n\n| variable | value | default | meaning | Triton's |\n|---|---|---|---|---|\n", group)
		}
		fmt.Fprintf(w, "| `%s` | %s | %s | %s | %s |\n", r.Name, r.Form, r.Default, r.Doc, r.Triton)
	}
}
