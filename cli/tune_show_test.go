package cli

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
)

func TestSplitShapes(t *testing.T) {
	for list, want := range map[string]string{"M=1": "[M=1]", "M=1,N=2": "[M=1 N=2]",
		"M=1,T=(1, 2),N=[3,4]": "[M=1 T=(1, 2) N=[3,4]]", "M=1,": "[M=1 ]"} {
		if got := fmt.Sprint(splitShapes(list)); got != want {
			t.Errorf("%s: %s", list, got)
		}
	}
}

// The line of progress shows on a terminal, and nowhere else.
func TestProgress(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if terminal(&bytes.Buffer{}) != nil || terminal(null) != nil {
		t.Error("taken for a terminal")
	}
	var b strings.Builder
	s := &tuneShow{line: &b}
	s.progress(nereid.Tuned{Kernel: "k", Median: 2 * time.Microsecond, Index: 0, Count: 3})
	s.progress(nereid.Tuned{Kernel: "k", Failed: "no", Index: 1, Count: 3})
	s.done("", nil)
	want := "\r\x1b[Kk [##########....................] 1 of 3, best 2.00 µs\r\x1b[Kk " +
		"[####################..........] 2 of 3, best 2.00 µs\r\x1b[K"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
	(&tuneShow{}).progress(nereid.Tuned{})
}
