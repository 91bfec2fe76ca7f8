package fingerprint

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

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
	lines := make([]string, len(rows))
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				lines[i] = rows[i].line(t)
			}
		})
	}
	for i := range rows {
		next <- i
	}
	close(next)
	wg.Wait()
	got := strings.Join(lines, "\n") + "\n"
	if txtest.Updating() {
		txtest.Golden(t, file, got)
		return
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if text := differences(string(data), got); text != "" {
		t.Errorf("%s: the compiler makes other code than the table says.\n%s\nIf that is meant, UPDATE_GOLDEN=1 "+
			"writes the table anew; say why in the commit.", file, text)
	}
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

// differences returns the lines that differ, by the name that they begin with: "" if none do.
func differences(want, got string) string {
	index := map[string]string{}
	for line := range strings.Lines(want) {
		name, _, _ := strings.Cut(line, " ")
		index[name] = line
	}
	var list []string
	n := 0
	for line := range strings.Lines(got) {
		name, _, _ := strings.Cut(line, " ")
		old, ok := index[name]
		if delete(index, name); old == line {
			continue
		}
		if n++; n <= most {
			if ok {
				list = append(list, "-"+old)
			}
			list = append(list, "+"+line)
		}
	}
	for name := range index {
		if n++; n <= most {
			list = append(list, "-"+name+" is gone\n")
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d lines differ, of which %d:\n%s", n, min(n, most), strings.Join(list, ""))
}
