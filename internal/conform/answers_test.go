package conform

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"
)

// The file of answers holds what Triton makes of every case: a line "== NAME", the next one for each case
// that has the same answer, then "refused", or the text of the IR that formOf says. -update writes it anew
// from what Triton says. `zcat` shows it; `git config diff.gzip.textconv zcat` makes git diff show what
// changed.
const answersFile = "testdata/answers.txt.gz"

//go:embed testdata/answers.txt.gz
var answersData []byte

// refused is the answer to a case that Triton refuses.
const refused = "refused"

// answers are those of the file, by the names of the cases.
var answers = sync.OnceValues(func() (map[string]string, error) {
	z, err := gzip.NewReader(bytes.NewReader(answersData))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	return parseAnswers(string(text)), nil
})

func parseAnswers(text string) map[string]string {
	out := map[string]string{}
	var names []string
	var answer strings.Builder
	end := func() {
		for _, name := range names {
			out[name] = strings.TrimSpace(answer.String())
		}
	}
	for line := range strings.Lines(text) {
		name, isName := strings.CutPrefix(line, "== ")
		switch {
		case isName && answer.Len() > 0: // of the case before
			end()
			names = names[:0]
			answer.Reset()
			fallthrough
		case isName:
			names = append(names, strings.TrimSpace(name))
		default:
			answer.WriteString(line)
		}
	}
	end()
	return out
}

// writeAnswers writes the file. Cases that have the same answer stand where the first of them does.
func writeAnswers(t *testing.T, cases []*testCase, answers map[string]string) {
	t.Helper()
	var order []string
	names := map[string][]string{}
	for _, c := range cases {
		a := answers[c.name]
		if names[a] == nil {
			order = append(order, a)
		}
		names[a] = append(names[a], c.name)
	}
	var data bytes.Buffer
	z, err := gzip.NewWriterLevel(&data, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range order {
		fmt.Fprintf(z, "== %s\n%s\n", strings.Join(names[a], "\n== "), a)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(answersFile, data.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestAnswers looks for cases without an answer and for answers without a case.
func TestAnswers(t *testing.T) {
	answers, err := answers()
	if err != nil {
		t.Fatal(err)
	}
	left := maps.Clone(answers)
	for _, c := range all() {
		if answers[c.name] == "" {
			t.Errorf("there is no answer of Triton's for %s; go test -run AskTriton -update asks it", c.name)
		}
		delete(left, c.name)
	}
	for name := range left {
		t.Errorf("there is an answer for %s, which is no case; go test -run AskTriton -update writes "+
			"those of cases alone", name)
	}
}
