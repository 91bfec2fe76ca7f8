package conform

import (
	"bufio"
	"context"
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

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/lang/libtest"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestLikeTriton compares our IR of one in six cases with Triton's, others at each commit.
func TestLikeTriton(t *testing.T) {
	answers, err := answers()
	if err != nil {
		t.Fatal(err)
	}
	chosen := txtest.Sample(t, 6)
	var some []*testCase
	for i, c := range all() {
		if chosen(i) {
			some = append(some, c)
		}
	}
	parallel(t, some, func(t *testing.T, c *testCase) {
		want := answers[c.name]
		got, err := c.form()
		switch {
		case want == "": // TestAnswers says so
		case want == refused:
			if err == nil && c.beyond == "" {
				t.Errorf("Triton refuses it\n%s", c.show())
			}
		case err != nil:
			t.Errorf("%v\n%s", err, c.show())
		case got != want && c.differs == "":
			t.Errorf("the IR is not Triton's\n%s\n%s", c.show(), txtest.Diff(want+"\n", got+"\n"))
		}
	})
}

// formOf is the text that IR is compared by, with values and functions numbered in order: before any pass,
// or, of a kernel that calls functions of the library, after the TTIR passes, since our library is written
// differently. It changes the module.
func formOf(m *ir.Module) (string, error) {
	if !libtest.Uses(m) {
		return plain(m), nil
	}
	if err := libtest.Inline(m); err != nil {
		return "", err
	}
	if err := libtest.Optimize(m); err != nil {
		return "", err
	}
	return plain(m), nil
}

// plain is a module as text, without the names of values and functions.
func plain(m *ir.Module) string {
	nameless(m.Op)
	return strings.TrimSpace(anonymous(m.String()))
}

// form is our IR of a case, as formOf says.
func (c *testCase) form() (string, error) {
	src, err := c.module.source()
	if err != nil {
		return "", err
	}
	params, err := src.Params(c.kernel, lang.DefaultTarget)
	if err != nil {
		return "", err
	}
	args, err := lang.ParseSignature(params, c.signature())
	if err != nil {
		return "", err
	}
	m, err := src.Compile(c.kernel, args, lang.Options{})
	if err != nil {
		return "", err
	}
	return formOf(m)
}

// form is Triton's IR, as formOf says. Where nothing is inlined the text is Triton's own, so that ours must
// be printed as Triton prints it.
func (a answer) form(t *testing.T) string {
	t.Helper()
	if a.Error != "" {
		return refused
	}
	m, err := ir.Parse(diag.NewFileSet(), a.Name, []byte(a.IR))
	if err != nil {
		t.Fatalf("%s: %v", a.Name, err)
	}
	if !libtest.Uses(m) {
		return strings.TrimSpace(anonymous(a.IR))
	}
	text, err := formOf(m)
	if err != nil {
		t.Fatalf("%s: %v", a.Name, err)
	}
	return text
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

// anonymous numbers values as they appear in each function, and functions as they appear. Names of values
// are the printer's affair; those of functions hold their specialisation, which Triton writes differently
// for a None that was given and one that was not.
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

var casesFlag = flag.String("cases", "", "a regular expression: TestAskTriton asks about these cases")

// answer is what peer/conform.py says of a case.
type answer struct {
	Name, IR, Error, Rejected string
}

// TestAskTriton has Triton compile cases and read our IR of them: one in 60, others at each commit, or those
// that -cases names, or all when the answers are to be refreshed.
func TestAskTriton(t *testing.T) {
	txtest.Slow(t, "takes seconds")
	only := regexp.MustCompile(*casesFlag)
	cases := slices.DeleteFunc(slices.Clone(all()), func(c *testCase) bool {
		return !only.MatchString(c.name)
	})
	if *casesFlag == "" && !txtest.Updating() {
		cases = partOf(cases, txtest.Sample(t, 60))
	}
	said := askTriton(t, txtest.Triton(t), "cuda:90", cases)
	forms := map[string]string{}
	for _, c := range cases {
		a, ok := said[c.name]
		if !ok {
			t.Fatalf("no answer for %s", c.name)
		}
		forms[c.name] = a.form(t)
		check(t, c, a, forms[c.name])
	}
	if *casesFlag == "" && txtest.Updating() {
		writeAnswers(t, cases, forms)
		return
	}
	kept, err := answers()
	if err != nil {
		t.Fatal(err)
	}
	for name, form := range forms {
		if kept[name] != form {
			t.Errorf("%s says of %s, -update writes it anew:\n%s", answersFile, name,
				txtest.Diff(kept[name]+"\n", form+"\n"))
		}
	}
}

// check compares a case with Triton's answer.
func check(t *testing.T, c *testCase, a answer, want string) {
	t.Helper()
	if a.Rejected != "" {
		t.Errorf("%s: Triton does not read our IR: %s", c.name, a.Rejected)
	}
	if (a.Error != "") != (c.refused || c.beyond != "") {
		t.Errorf("%s: we expect it to be refused: %v, Triton says %q\n%s", c.name, c.refused,
			a.Error, c.show())
		return
	}
	if a.Error != "" {
		return
	}
	got, err := c.form()
	if err != nil {
		t.Errorf("%s: %v\n%s", c.name, err, c.show())
		return
	}
	if got != want && c.differs == "" {
		t.Errorf("%s: the IR is not Triton's\n%s\n%s", c.name, c.show(), txtest.Diff(want+"\n", got+"\n"))
	}
}

func askTriton(t *testing.T, python, target string, cases []*testCase) map[string]answer {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	writeModules(t, dir, cases)
	for _, c := range cases {
		row := map[string]string{"name": c.name, "module": c.module.name, "kernel": c.kernel,
			"signature": c.signature(), "ttir": ""}
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
	cmd := exec.CommandContext(t.Context(), python, txtest.Path(t, "peer", "conform.py"), dir, target)
	cmd.Env = append(os.Environ(), "TRITON_CACHE_DIR="+t.TempDir(), "PYTHONDONTWRITEBYTECODE=1")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return readAnswers(t, filepath.Join(dir, "answers.jsonl"))
}

// writeModules writes the modules of cases to a folder, without the kernels of other cases: Triton looks at
// each kernel of a file that it imports, and most of them are not asked about.
func writeModules(t *testing.T, dir string, cases []*testCase) {
	t.Helper()
	type place struct {
		module *module
		kernel string
	}
	others, modules := map[place]bool{}, map[*module]bool{}
	for _, c := range all() {
		others[place{c.module, c.kernel}] = true
	}
	for _, c := range cases {
		delete(others, place{c.module, c.kernel})
		modules[c.module] = true
	}
	for m := range modules {
		text := m.without(func(kernel string) bool { return others[place{m, kernel}] })
		if err := os.WriteFile(filepath.Join(dir, m.name+".py"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// without returns the text of a module without some of its kernels.
func (m *module) without(unwanted func(kernel string) bool) string {
	const begin = "\n@triton.jit\ndef "
	parts := strings.Split(m.text, begin)
	kept := parts[:1]
	for _, part := range parts[1:] {
		if name, _, _ := strings.Cut(part, "("); !unwanted(name) {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, begin)
}

// partOf returns the cases that a sample chooses by their numbers.
func partOf(cases []*testCase, chosen func(i int) bool) (some []*testCase) {
	for i, c := range cases {
		if chosen(i) {
			some = append(some, c)
		}
	}
	return some
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
