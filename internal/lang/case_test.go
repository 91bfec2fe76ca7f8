package lang_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// A case is a txtar file: Python files, k.py the one with kernels; `specs`, a line `NAME KERNEL SIGNATURE`
// for each compilation; and for each NAME a section NAME.source, the IR before any pass, or NAME.error,
// what we say of it. With `# compare: with Triton only` the IR is not kept.

// TestCases compiles the cases in testdata.
func TestCases(t *testing.T) {
	txtest.Run(t, "testdata/*.txtar", func(t *testing.T, c *txtest.Case) {
		src := load(t, c)
		for _, s := range specsOf(t, c) {
			m, err := compile(src, s)
			if c.Has(s.Name+".error") && c.Has(s.Name+".source") {
				t.Errorf("%s: both an error and IR are expected", s.Name)
			}
			if err != nil {
				c.Want(t, s.Name+".error", err.Error())
				continue
			}
			if _, only := c.Option("compare"); only {
				continue
			}
			c.Want(t, s.Name+".source", printed(m))
		}
	})
}

// TestCasesAgainstTriton has Triton compile the same cases: what it refuses we refuse, and what it makes we
// make, up to the names of values.
func TestCasesAgainstTriton(t *testing.T) {
	txtest.Slow(t, "takes seconds")
	dir := t.TempDir()
	var list []map[string]string
	for _, path := range globHere(t, "testdata/*.txtar") {
		c := txtest.Load(t, path)
		root := filepath.Join(dir, caseName(path))
		for name, text := range files(t, c) {
			write(t, filepath.Join(root, filepath.FromSlash(name)), text)
		}
		for _, s := range specsOf(t, c) {
			list = append(list, map[string]string{"name": caseName(path) + "." + s.Name, "root": root,
				"file": s.File, "kernel": s.Kernel, "signature": s.Signature})
		}
	}
	askFrontEnd(t, list, dir)
	txtest.Run(t, "testdata/*.txtar", func(t *testing.T, c *txtest.Case) {
		if why, ok := c.Option("differs"); ok {
			txtest.LeftOut(t, "an accepted divergence: %s", why)
		}
		src := load(t, c)
		for _, s := range specsOf(t, c) {
			compareWithTriton(t, src, s, filepath.Join(dir, caseName(c.Path)+"."+s.Name))
		}
	})
}

func caseName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".txtar") }

// askFrontEnd has Triton's front end compile a list of kernels; the answers lie in dir.
func askFrontEnd(t *testing.T, list []map[string]string, dir string) {
	t.Helper()
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "specs.json"), string(text))
	cmd := exec.CommandContext(t.Context(), txtest.Triton(t), txtest.Path(t, "peer", "frontend.py"),
		filepath.Join(dir, "specs.json"), dir)
	cmd.Env = append(os.Environ(), "TRITON_CACHE_DIR="+t.TempDir(), "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func compareWithTriton(t *testing.T, src *lang.Source, s spec, answer string) {
	t.Helper()
	ours, oursErr := compile(src, s)
	if why, err := os.ReadFile(answer + ".error"); err == nil {
		if oursErr == nil {
			t.Errorf("%s: we accept what Triton refuses: %s", s.Name, why)
		}
		return
	}
	if oursErr != nil {
		t.Errorf("%s: we refuse what Triton accepts: %v", s.Name, oursErr)
		return
	}
	theirs := parse(t, s.Name, txtest.Read(t, answer+".source"))
	sameStructure(t, s.Name, theirs, parse(t, s.Name, printed(ours)))
}

func printed(m *ir.Module) string {
	var b strings.Builder
	ir.Print(&b, m.Op, ir.PrintOptions{})
	return b.String()
}

// files are the Python files of a case.
func files(t *testing.T, c *txtest.Case) map[string]string {
	out := map[string]string{}
	for _, name := range c.Names() {
		if strings.HasSuffix(name, ".py") {
			out[name] = c.Text(t, name)
		}
	}
	return out
}

func load(t *testing.T, c *txtest.Case) *lang.Source {
	t.Helper()
	fs := fstest.MapFS{}
	for name, text := range files(t, c) {
		fs[name] = &fstest.MapFile{Data: []byte(text)}
	}
	src, err := lang.Load("k.py", []byte(c.Text(t, "k.py")), lang.LoadOptions{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func specsOf(t *testing.T, c *txtest.Case) []spec {
	t.Helper()
	var out []spec
	for line := range strings.Lines(c.Text(t, "specs")) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		kernel, signature, ok := strings.Cut(strings.TrimSpace(rest), " ")
		if !ok {
			t.Fatalf("%s: a spec is NAME KERNEL SIGNATURE, not %q", c.Path, line)
		}
		out = append(out, spec{Name: name, File: "k.py", Kernel: kernel,
			Signature: strings.TrimSpace(signature)})
	}
	return out
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
