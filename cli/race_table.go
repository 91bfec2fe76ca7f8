package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/nereid-lang/nereid/internal/replay"
)

// raceRow is what is known of a case after its race.
type raceRow struct {
	Case    string        `json:"case"`
	Kernel  string        `json:"kernel,omitempty"`
	Library string        `json:"library,omitempty"`
	Class   string        `json:"class,omitempty"`
	Failed  string        `json:"failed,omitempty"` // why there is no result, or what differs
	Error   relativeError `json:"error"`            // the largest one
	Nereid  replay.Timing `json:"nereid"`
	Triton  replay.Timing `json:"triton"`
	First   float64       `json:"first_ms"` // the first launch, compilation included
}

// relativeError is infinite where something was found in the place of a zero. JSON has no such number: there
// it is null.
type relativeError float64

func (e relativeError) MarshalJSON() ([]byte, error) {
	if x := float64(e); math.IsInf(x, 0) || math.IsNaN(x) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(e))
}

// ratio is Triton's time over ours: above 1 where we are faster. ok is false where one of them is missing.
func (r raceRow) ratio() (x float64, ok bool) {
	if r.Failed != "" || r.Nereid.Milliseconds == 0 || r.Triton.Milliseconds == 0 {
		return 0, false
	}
	return r.Triton.Milliseconds / r.Nereid.Milliseconds, true
}

// raceTable prints rows as they come and their summary.
type raceTable struct {
	out  io.Writer
	json bool
	rows []raceRow

	headed bool // the head is printed
}

func (t *raceTable) add(r raceRow) {
	t.rows = append(t.rows, r)
	if t.json {
		printRow(t.out, r)
		return
	}
	if r.Failed != "" {
		fmt.Fprintf(t.out, "FAIL %s: %s\n", r.Case, r.Failed)
		return
	}
	if !t.headed {
		t.headed = true
		fmt.Fprintf(t.out, "%-4s %-8s %10s %10s %6s  %-13s %-13s %-17s %s\n", "", "error", "µs",
			"Triton µs", "ratio", "registers", "spilt bytes", "shared bytes", "case")
	}
	fmt.Fprintf(t.out, "ok   %-8.1g %10.2f %10s %6s  %-13s %-13s %-17s %s\n", r.Error,
		r.Nereid.Milliseconds*1e3, given(r.Triton.Milliseconds*1e3), given(first(r.ratio())),
		r.pair(r.Nereid.Registers, r.Triton.Registers), r.pair(r.Nereid.Spills, r.Triton.Spills),
		r.pair(r.Nereid.Shared, r.Triton.Shared), r.Case)
}

// printRow prints a row as a line of JSON. A row that JSON cannot express is a mistake of the program, which
// must not pass for a row that was not raced.
func printRow(out io.Writer, row any) {
	text, err := json.Marshal(row)
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(out, "%s\n", text)
}

func first(x float64, _ bool) float64 { return x }

// given writes a figure, or a dash if it is missing.
func given(x float64) string {
	if x == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", x)
}

// pair writes our figure and Triton's, with a dash for a side of which nothing is known: all code has
// registers.
func (r raceRow) pair(ours, theirs int) string {
	known := func(figure int, t replay.Timing) string {
		if t.Registers == 0 {
			return "-"
		}
		return fmt.Sprint(figure)
	}
	return known(ours, r.Nereid) + " (" + known(theirs, r.Triton) + ")"
}

// end prints the summary and returns an error if a case failed.
func (t *raceTable) end() error {
	failed := 0
	classes := map[string][]float64{}
	var all []float64
	for _, r := range t.rows {
		if r.Failed != "" {
			failed++
		}
		if x, ok := r.ratio(); ok {
			classes[r.Class] = append(classes[r.Class], x)
			all = append(all, x)
		}
	}
	if !t.json {
		t.summary(classes, all, failed)
	}
	if failed > 0 {
		return errReported
	}
	return nil
}

func (t *raceTable) summary(classes map[string][]float64, all []float64, failed int) {
	defer func() { fmt.Fprintf(t.out, "%d passed, %d failed\n", len(t.rows)-failed, failed) }()
	if len(all) == 0 {
		if failed < len(t.rows) {
			fmt.Fprintln(t.out, "no case has Triton's time: peer/capture.py --time records it")
		}
		return
	}
	fmt.Fprintf(t.out, "\n%-24s %6s %8s %8s %8s %8s\n", "class", "cases", "mean", "least",
		">= 0.95", ">= 1.0")
	line := func(name string, xs []float64) {
		fmt.Fprintf(t.out, "%-24s %6d %8.3f %8.3f %8d %8d\n", name, len(xs), geometricMean(xs),
			slices.Min(xs), atLeast(xs, 0.95), atLeast(xs, 1))
	}
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		line(name, classes[name])
	}
	line("all", all)
}

func geometricMean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(max(1, len(xs))))
}

// atLeast counts the figures that are not less than a limit.
func atLeast(xs []float64, limit float64) (n int) {
	for _, x := range xs {
		if x >= limit {
			n++
		}
	}
	return n
}
