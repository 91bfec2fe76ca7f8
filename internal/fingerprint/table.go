package fingerprint

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nereid-lang/nereid/internal/mutate/decision"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// Row is a line of a table: a kernel for some targets.
type Row struct {
	Kernel  Kernel
	Targets []Target
}

// Compare compiles the kernels of a table, several at a time, and compares their lines with a file. What
// needs LLVM's own code is compared by users of the same LLVM.
func Compare(t *testing.T, file string, rows []Row) {
	t.Helper()
	want := map[string]string{}
	if !txtest.Updating() {
		want = tableOf(txtest.Read(t, file))
	}
	lines := make([]string, len(rows))
	var wg sync.WaitGroup
	var differ atomic.Int64
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				if lines[i] = rows[i].line(t); lines[i] != want[rows[i].Kernel.Name] {
					differ.Add(1)
				}
			}
		})
	}
	for i := range rows {
		if !txtest.Updating() && differ.Load() > enough {
			rows = rows[:i]
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	if *decidedFlag != "" { // what these kernels decide needs no others
		addDecided(t, decision.Take())
	}
	got := strings.Join(lines[:len(rows)], "\n") + "\n"
	if txtest.Updating() {
		txtest.Golden(t, file, got)
		return
	}
	if text := differences(want, got, differ.Load() > enough); text != "" {
		t.Errorf("%s: the compiler makes other code than the table says.\n%s\nIf that is meant, "+
			"UPDATE_GOLDEN=1 writes the table anew; say why in the commit.", file, text)
	}
}

// enough is how many lines may differ until the rest is not compiled.
const enough = 100

// tableOf returns the lines of a table by their names.
func tableOf(text string) map[string]string {
	table := map[string]string{}
	for line := range strings.Lines(text) {
		name, _, _ := strings.Cut(line, " ")
		table[name] = strings.TrimSuffix(line, "\n")
	}
	return table
}

// line returns the line of a row.
func (r Row) line(t *testing.T) string {
	parts := []string{r.Kernel.Name}
	for _, to := range r.Targets {
		parts = append(parts, fmt.Sprintf("| %s%s %s", to.Name, way(to), Of(t.Context(), r.Kernel, to)))
	}
	return strings.Join(parts, " ")
}

// way names a way in few letters.
func way(to Target) string {
	w, text := to.Way, ""
	if w.Fallback {
		text += " fallback"
	}
	if w.Merge > 1 {
		text += fmt.Sprintf(" merge=%d", w.Merge)
	}
	if w.Unit {
		text += " unit"
	}
	if w.BlocksPerSM != 0 {
		text += fmt.Sprintf(" blocks=%d", w.BlocksPerSM)
	}
	if w.Persist {
		text += " persist"
	}
	return text
}

// most is how many lines a failure shows.
const most = 12

// differences returns the lines that differ from a table: "" if none do. A part of the lines is compared with
// no more than its part of the table.
func differences(table map[string]string, got string, part bool) string {
	var list []string
	seen, n := map[string]bool{}, 0
	for name, line := range tableOf(got) {
		seen[name] = true
		if old, ok := table[name]; old != line {
			n++
			list = append(list, difference(old, line, ok))
		}
	}
	for name := range table {
		if !part && !seen[name] {
			n++
			list = append(list, "-"+name+" is gone\n")
		}
	}
	if n == 0 {
		return ""
	}
	slices.Sort(list)
	return fmt.Sprintf("%d lines differ, of which %d:\n%s", n, min(n, most),
		strings.Join(list[:min(n, most)], ""))
}

// difference shows a line that differs from that of the table, if there is one.
func difference(old, line string, ok bool) string {
	if !ok {
		return "+" + line + "\n"
	}
	return "-" + old + "\n+" + line + "\n"
}
