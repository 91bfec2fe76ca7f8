package ir_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// FuzzIRText: no text makes the reader panic, and what it accepts comes back from its own print: in the
// generic form always, in the ops' own syntax when the module is valid.
func FuzzIRText(f *testing.F) {
	for _, src := range corpus(f) {
		f.Add(src)
	}
	f.Fuzz(checkText)
}

func corpus(t testing.TB) []string {
	var texts []string
	for _, pattern := range []string{"testdata/mlir/*.mlir", "../../testdata/golden/cuda-90/add_f*.tt*",
		"../../testdata/golden/cuda-90/matmul_f*.tt*", "../../testdata/golden/hip-gfx942/matmul_f16.ttgir"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(src))
		}
	}
	examples, _ := filepath.Glob("../dialect/all/testdata/*/*.txtar")
	for _, file := range examples {
		c := txtest.Load(t, file)
		for _, name := range c.Names() {
			texts = append(texts, c.Text(t, name))
		}
	}
	return texts
}

// FuzzIRTokens does the same with texts made of real ones by moving their words around, which go deeper
// than changed bytes do.
func FuzzIRTokens(f *testing.F) {
	m := newMutator(f)
	for seed := range uint64(100) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { checkText(t, m.text(seed)) })
}

// mutator makes texts from the lines and words of a corpus.
type mutator struct {
	lines [][]string // the words of each line, blanks included
	texts [][]int    // the lines of each text
}

var word = regexp.MustCompile(`[ \t]+|"[^"\n]*"|[#%!^@]?[A-Za-z_0-9.$]+|->|.`)

func newMutator(t testing.TB) *mutator {
	m := &mutator{}
	texts := corpus(t)
	for _, src := range corpus(t) {
		if mod, err := ir.Parse(diag.NewFileSet(), "corpus", []byte(src)); err == nil {
			// where the rows of the ops hold least
			texts = append(texts, text(mod, ir.PrintOptions{Generic: true}))
		}
	}
	for _, src := range texts {
		var lines []int
		for line := range strings.SplitSeq(src, "\n") {
			lines = append(lines, len(m.lines))
			m.lines = append(m.lines, word.FindAllString(line, -1))
		}
		m.texts = append(m.texts, lines)
	}
	return m
}

// text is a piece of a text with a few words changed.
func (m *mutator) text(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 1))
	lines := m.texts[r.IntN(len(m.texts))]
	words := make([][]string, len(lines))
	for i, l := range lines {
		words[i] = append([]string(nil), m.lines[l]...)
	}
	for range 1 + r.IntN(3) {
		m.change(r, words)
	}
	var b strings.Builder
	for _, w := range words {
		b.WriteString(strings.Join(w, "") + "\n")
	}
	return b.String()
}

// alike is a word of the line that begins as w does, so that it may well stand where w stands.
func alike(r *rand.Rand, w string, line []string) string {
	class := func(s string) byte {
		switch c := s[0]; {
		case c >= '0' && c <= '9':
			return '0'
		case c >= 'a' && c <= 'z':
			return 'a'
		default:
			return c
		}
	}
	for range 8 {
		if o := line[r.IntN(len(line))]; class(o) == class(w) {
			return o
		}
	}
	return w
}

func (m *mutator) change(r *rand.Rand, lines [][]string) {
	i := r.IntN(len(lines))
	for range 10 {
		if len(lines[i]) > 1 {
			break
		}
		i = r.IntN(len(lines))
	}
	w := lines[i]
	if len(w) == 0 {
		return
	}
	at := r.IntN(len(w))
	other := m.lines[r.IntN(len(m.lines))]
	switch r.IntN(12) {
	case 0:
		lines[i] = append(w[:at:at], w[at+1:]...)
	case 1:
		w[at] = w[r.IntN(len(w))]
	case 2:
		if len(other) > 0 {
			w[at] = other[r.IntN(len(other))]
		}
	case 3:
		to := r.IntN(len(w))
		w[at], w[to] = w[to], w[at]
	case 4:
		lines[i] = append(w[:at:at], append([]string{w[r.IntN(len(w))]}, w[at:]...)...)
	case 5:
		lines[i] = other
	case 6:
		lines[i] = nil
	default:
		if len(other) > 0 {
			w[at] = alike(r, w[at], other)
		}
	}
}

func checkText(t *testing.T, src string) {
	m, err := ir.Parse(diag.NewFileSet(), "fuzz", []byte(src))
	if err != nil {
		_ = err.Error() // renders every message
		return
	}
	_ = text(m, ir.PrintOptions{Locs: true}) // may show what is invalid in any way but must not panic
	checkForm(t, m, ir.PrintOptions{Generic: true})
	checkForm(t, m, ir.PrintOptions{Generic: true, Locs: true})
	if ir.Verify(m.Op) == nil {
		checkForm(t, m, ir.PrintOptions{Locs: true})
	}
}

// checkForm expects the text of a module to read as a module with the same text.
func checkForm(t *testing.T, m *ir.Module, opts ir.PrintOptions) {
	once := text(m, opts)
	again, err := ir.Parse(diag.NewFileSet(), "again", []byte(once))
	if err != nil {
		t.Fatalf("what was printed cannot be read: %v\n%s", err, once)
	}
	if twice := text(again, opts); once != twice {
		t.Fatalf("print %+v is not stable:\n%s\n%s", opts, txtest.Diff(once, twice), once)
	}
}
