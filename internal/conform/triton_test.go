package conform

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	_ "embed"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/lang/libtest"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// answersText has a line for each case: what Triton makes of it, and the name. Triton makes an "error", or IR, of which there is a hash;
// of a kernel that calls the library a second one after a slash, of the IR after the TTIR passes. -update writes the file anew from what
// Triton says.
//
//go:embed testdata/answers.txt
var answersText string

// TestLikeTriton compares our IR of every case with Triton's, before any pass; that of a kernel that calls the library may differ there if
// it does not after the TTIR passes.
func TestLikeTriton(t *testing.T) {
	answers := map[string]string{}
	for line := range strings.Lines(answersText) {
		hash, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		answers[name] = hash
	}
	cases := all()
	if len(answers) != len(cases) {
		t.Fatalf("there are %d cases and %d answers; go test -run AskTriton -update asks Triton again", len(cases), len(answers))
	}
	parallel(t, cases, func(t *testing.T, c *testCase) {
		want := answers[c.name]
		if want == "" {
			t.Fatal("there is no answer of Triton's; -update asks it")
		}
		got, err := c.source()
		switch {
		case want == "error":
			if err == nil && c.beyond == "" {
				t.Errorf("Triton refuses it\n%s", c.show())
			}
		case err != nil:
			t.Errorf("%v\n%s", err, c.show())
		case !got.like(want) && c.differs == "":
			t.Errorf("the IR is not Triton's (TestAskTriton shows the difference)\n%s\n%s", c.show(), got.before)
		}
	})
}

// forms are the texts that IR is compared by, with values and functions numbered in order.
type forms struct {
	before string        // before any pass, with functions of the library inlined
	after  func() string // after the TTIR passes; nil if the kernel calls no function of the library
}

// hashes are what answers.txt keeps.
func (f forms) hashes() string {
	if f.after == nil {
		return hash(f.before)
	}
	return hash(f.before) + "/" + hash(f.after())
}

// like reports whether one of the forms is what the hashes are of.
func (f forms) like(hashes string) bool {
	before, after, _ := strings.Cut(hashes, "/")
	return hash(f.before) == before || f.after != nil && hash(f.after()) == after
}

// formsOf makes the forms of a module, which it changes.
func formsOf(m *ir.Module) (forms, error) {
	library := libtest.Uses(m)
	if err := libtest.Inline(m); err != nil {
		return forms{}, err
	}
	f := forms{before: plain(m)}
	if library {
		f.after = func() string {
			if err := libtest.Optimize(m); err != nil {
				return err.Error()
			}
			return plain(m)
		}
	}
	return f, nil
}

// plain is a module as text, without the names of values and functions.
func plain(m *ir.Module) string {
	nameless(m.Op)
	return anonymous(m.String())
}

// source is our IR of a case.
func (c *testCase) source() (forms, error) {
	src, err := c.module.source()
	if err != nil {
		return forms{}, err
	}
	params, err := src.Params(c.kernel, lang.DefaultTarget)
	if err != nil {
		return forms{}, err
	}
	args, err := lang.ParseSignature(params, c.signature())
	if err != nil {
		return forms{}, err
	}
	m, err := src.Compile(c.kernel, args, lang.Options{})
	if err != nil {
		return forms{}, err
	}
	return formsOf(m)
}

// forms are those of Triton's IR. Where nothing is inlined the text is Triton's own, so that ours must be printed as Triton prints it.
func (a answer) forms(t *testing.T) forms {
	t.Helper()
	m, err := ir.Parse(diag.NewFileSet(), a.Name, []byte(a.IR))
	if err != nil {
		t.Fatalf("%s: %v", a.Name, err)
	}
	if !libtest.Uses(m) {
		return forms{before: anonymous(a.IR)}
	}
	f, err := formsOf(m)
	if err != nil {
		t.Fatalf("%s: %v", a.Name, err)
	}
	return f
}

// nameless forgets the names of values, which say how several results of one operation are printed.
func nameless(op *ir.Op) {
	for _, v := range op.Results() {
		v.Name = ""
	}
	for _, r := range op.Regions() {
		for b := range r.Blocks() {
			for _, a := range b.Args() {
				a.Name = ""
			}
			for o := range b.Ops() {
				nameless(o)
			}
		}
	}
}

var sources sync.Map // *module → func() (*lang.Source, error)

func (m *module) source() (*lang.Source, error) {
	f, _ := sources.LoadOrStore(m, sync.OnceValues(func() (*lang.Source, error) {
		return lang.Load(m.name+".py", []byte(m.text), lang.LoadOptions{})
	}))
	return f.(func() (*lang.Source, error))()
}

var valueName = regexp.MustCompile(`%[\w-]+|\btt\.func |@"[^"]*"|@[\w.$]+`)

// anonymous numbers values as they appear in each function, and functions as they appear. Names of values are the printer's affair;
// those of functions hold their specialisation, which Triton writes differently for a None that was given and one that was not.
func anonymous(text string) string {
	values, functions := map[string]string{}, map[string]string{}
	return valueName.ReplaceAllStringFunc(text, func(s string) string {
		switch s[0] {
		case 't':
			clear(values)
			return s
		case '@':
			return numbered(functions, s, "@f")
		}
		return numbered(values, s, "%")
	})
}

func numbered(names map[string]string, name, prefix string) string {
	if names[name] == "" {
		names[name] = fmt.Sprint(prefix, len(names))
	}
	return names[name]
}

func hash(text string) string {
	h := sha256.Sum256([]byte(strings.TrimSpace(text)))
	return hex.EncodeToString(h[:6])
}

var casesFlag = flag.String("cases", "", "a regular expression: TestAskTriton asks about these cases")

// answer is what peer/conform.py says of a case.
type answer struct {
	Name, IR, Error, Rejected string
}

// TestAskTriton has Triton compile cases and read our IR of them: one in ten, or those that -cases names, or all when the answers
// are to be refreshed.
func TestAskTriton(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	only := regexp.MustCompile(*casesFlag)
	cases := slices.DeleteFunc(slices.Clone(all()), func(c *testCase) bool { return !only.MatchString(c.name) })
	if *casesFlag == "" && !txtest.Updating() {
		cases = slices.DeleteFunc(cases, func(c *testCase) bool { return newSource(c.name).IntN(10) != 0 })
	}
	answers := askTriton(t, txtest.Triton(t), cases)
	var lines strings.Builder
	for _, c := range cases {
		a, ok := answers[c.name]
		if !ok {
			t.Fatalf("no answer for %s", c.name)
		}
		check(t, c, a)
		if a.Error != "" {
			fmt.Fprintf(&lines, "error %s\n", c.name)
		} else {
			fmt.Fprintf(&lines, "%s %s\n", a.forms(t).hashes(), c.name)
		}
	}
	if *casesFlag == "" && txtest.Updating() {
		txtest.Golden(t, "testdata/answers.txt", lines.String())
		return
	}
	for line := range strings.Lines(lines.String()) {
		if !strings.Contains("\n"+answersText, "\n"+line) {
			t.Errorf("testdata/answers.txt does not have %q; -update writes it anew", line)
		}
	}
}

// check compares a case with Triton's answer.
func check(t *testing.T, c *testCase, a answer) {
	t.Helper()
	if a.Rejected != "" {
		t.Errorf("%s: Triton does not read our IR: %s", c.name, a.Rejected)
	}
	if (a.Error != "") != (c.refused || c.beyond != "") {
		t.Errorf("%s: we expect it to be refused: %v, Triton says %q\n%s", c.name, c.refused, a.Error, c.show())
		return
	}
	if a.Error != "" {
		return
	}
	got, err := c.source()
	if err != nil {
		t.Errorf("%s: %v\n%s", c.name, err, c.show())
		return
	}
	if want := a.forms(t); !got.like(want.hashes()) && c.differs == "" {
		t.Errorf("%s: the IR is not Triton's\n%s\n%s", c.name, c.show(), txtest.Diff(strings.TrimSpace(want.before)+"\n", strings.TrimSpace(got.before)+"\n"))
	}
}

func askTriton(t *testing.T, python string, cases []*testCase) map[string]answer {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	written := map[*module]bool{}
	for _, c := range cases {
		if !written[c.module] {
			written[c.module] = true
			if err := os.WriteFile(filepath.Join(dir, c.module.name+".py"), []byte(c.module.text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		row := map[string]string{"name": c.name, "module": c.module.name, "kernel": c.kernel, "signature": c.signature(), "ttir": ""}
		if !c.refused {
			row["ttir"], err = c.ttir()
			if err != nil {
				t.Errorf("%s: %v\n%s", c.name, err, c.show())
			}
		}
		if err := enc.Encode(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, txtest.Path(t, "peer", "conform.py"), dir)
	cmd.Env = append(os.Environ(), "TRITON_CACHE_DIR="+t.TempDir(), "PYTHONDONTWRITEBYTECODE=1")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return readAnswers(t, filepath.Join(dir, "answers.jsonl"))
}

func readAnswers(t *testing.T, path string) map[string]answer {
	t.Helper()
	out := map[string]answer{}
	for line := range strings.Lines(txtest.Read(t, path)) {
		var a answer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		out[a.Name] = a
	}
	return out
}

// ttir is our IR of a case after the passes.
func (c *testCase) ttir() (string, error) {
	m, err := c.module.load()
	if err != nil {
		return "", err
	}
	k, err := m.Kernel(c.kernel)
	if err != nil {
		return "", err
	}
	compiled, err := k.CompileFor(context.Background(), "cuda:90", c.signature(), nereid.Options{}, "ttir")
	if err != nil {
		return "", err
	}
	for _, s := range compiled.Stages {
		if s.Name == "ttir" {
			return string(s.Text), nil
		}
	}
	return "", errors.New("there is no stage ttir")
}
