package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// benchTable writes the JSON lines of a benchmark as rows for people, one by one as they come. Other lines it
// writes as they are.
type benchTable struct {
	w    io.Writer
	line []byte // not ended yet
}

// benchRow has the fields that figures of all benchmarks have, and those that some have.
type benchRow struct {
	Kernel, What, Form, Dtype, Unit, Failed string
	Shape                                   []int
	Causal                                  bool
	Nereid, Over, Allocs                    float64
}

func (t *benchTable) Write(data []byte) (int, error) {
	t.line = append(t.line, data...)
	for {
		line, rest, ok := bytes.Cut(t.line, []byte("\n"))
		if !ok {
			return len(data), nil
		}
		text := string(line)
		var r benchRow
		if json.Unmarshal(line, &r) == nil {
			text = r.String()
		}
		t.line = rest
		if _, err := fmt.Fprintln(t.w, text); err != nil {
			return 0, err
		}
	}
}

// String returns the row: kernel, type, shape or what was done, figure.
func (r benchRow) String() string {
	dims := strings.ReplaceAll(strings.Trim(fmt.Sprint(r.Shape), "[]"), " ", "x")
	words := []string{r.Dtype, dims, r.What, r.Form}
	if r.Causal {
		words = append(words, "causal")
	}
	what := strings.Join(strings.Fields(strings.Join(words, " ")), " ")
	if r.Failed != "" {
		return fmt.Sprintf("%-14s %-50s FAILED: %s", r.Kernel, what, r.Failed)
	}
	text := fmt.Sprintf("%-14s %-50s %8s %s", r.Kernel, what, digits(r.Nereid),
		strings.Replace(r.Unit, "us", "µs", 1))
	if r.Kernel == "launch" && r.Over != 0 {
		text += ", over the driver's call " + digits(r.Over)
	}
	if r.Allocs != 0 {
		text += fmt.Sprintf(", %v allocations", r.Allocs)
	}
	return text
}
