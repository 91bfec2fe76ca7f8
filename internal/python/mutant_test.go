package python

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestMutants changes a token or two of small programs, valid and invalid, and asks CPython what it makes
// of them: what it accepts we must accept, with the same tree, and from 3.12 on what it rejects we must
// reject. NEREID_TEST_MUTANTS is how many to try, and NEREID_TEST_SEED which.
func TestMutants(t *testing.T) {
	t.Parallel()
	python := pythons(t)[0]
	minor, err := minorVersion(python)
	if err != nil {
		txtest.Need(t, "python", err)
	}
	n, seed := number("NEREID_TEST_MUTANTS", 3000), number("NEREID_TEST_SEED", 1)
	mutants := mutate(seeds(t), n, rand.New(rand.NewPCG(uint64(seed), 0)), minor >= 12)
	file := filepath.Join(t.TempDir(), "mutants.py")
	if err := os.WriteFile(file, bytes.Join(mutants, []byte("\n---\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	i := 0
	for v := range verdicts(t, python, "chunks", file) {
		if !bytes.HasPrefix(mutants[i], []byte("(")) ||
			!strings.Contains(v.Error, "illegal target for annotation") {
			// CPython rejects "(a).b: c" by an accident of its grammar
			compareSnippet(t, mutants[i], v, minor)
		}
		dumpAny(t, mutants[i]) // spans nest, and the rest of what fuzzing looks at
		i++
	}
	if i != len(mutants) {
		t.Errorf("%d of %d mutants compared", i, len(mutants))
	}
}

func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// mutate makes n programs out of texts: statements of them, with tokens taken out, doubled, swapped or
// taken from elsewhere.
func mutate(texts [][]byte, n int, r *rand.Rand, fstrings bool) (mutants [][]byte) {
	var pool [][]byte // every token there is
	var lines [][][]byte
	for _, text := range texts {
		for line := range bytes.Lines(text) {
			words := words(line)
			if len(words) == 0 || !fstrings && bytes.ContainsAny(line, "fF") &&
				bytes.ContainsAny(line, `"'`) {
				continue
			}
			lines = append(lines, words)
			pool = append(pool, words...)
		}
	}
	for len(mutants) < n {
		line := append([][]byte(nil), lines[r.IntN(len(lines))]...)
		for range 1 + r.IntN(2) {
			i, j := r.IntN(len(line)), r.IntN(len(line))
			switch r.IntN(4) {
			case 0:
				line[i] = nil
			case 1:
				line[i] = append(append(append([]byte(nil), line[i]...), ' '), line[j]...)
			case 2:
				line[i], line[j] = line[j], line[i]
			case 3:
				line[i] = pool[r.IntN(len(pool))]
			}
		}
		text := bytes.TrimSpace(bytes.Join(line, nil))
		if !bytes.Contains(text, []byte("---")) && !bytes.Contains(text, []byte("coding")) && len(text) > 0 {
			mutants = append(mutants, text)
		}
	}
	return mutants
}

// words cuts a line into tokens, white space among them.
func words(line []byte) (list [][]byte) {
	files := diag.NewFileSet()
	p, err := newParser(files, "words", line)
	if err != nil {
		return nil
	}
	at := 0
	for _, t := range p.toks {
		if int(t.start) > at {
			list = append(list, line[at:t.start])
		}
		if t.end > t.start {
			list = append(list, line[t.start:t.end])
		}
		at = max(at, int(t.end))
	}
	return list
}
