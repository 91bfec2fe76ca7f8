package txtest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// probe is a testing.TB that remembers how a test would have ended. Fatal and Skip stop the function under
// test.
type probe struct {
	testing.TB
	ended string
}

type stop struct{}

func (p *probe) Errorf(format string, args ...any) {
	p.ended += "error: " + fmt.Sprintf(format, args...)
}
func (p *probe) Fatalf(format string, args ...any) {
	p.ended += "fatal: " + fmt.Sprintf(format, args...)
	panic(stop{})
}
func (p *probe) Skipf(format string, args ...any) {
	p.ended += "skip: " + fmt.Sprintf(format, args...)
	panic(stop{})
}

// outcome runs f and returns how it ended: "" when nothing was wrong.
func outcome(t *testing.T, f func(testing.TB)) string {
	t.Helper()
	p := &probe{TB: t}
	func() {
		defer func() {
			if r := recover(); r != nil && r != any(stop{}) {
				panic(r)
			}
		}()
		f(p)
	}()
	return p.ended
}

// notUpdating keeps a test about comparing from rewriting its files.
func notUpdating(t *testing.T) {
	t.Helper()
	t.Setenv("UPDATE_GOLDEN", "")
	old := *update
	*update = false
	t.Cleanup(func() { *update = old })
}

func TestRoot(t *testing.T) {
	if !strings.HasPrefix(Read(t, Path(t, "go.mod")), "module github.com/nereid-lang/nereid\n") {
		t.Errorf("%s is not the root of this repository", Root(t))
	}
	if got := outcome(t, func(tb testing.TB) {
		Glob(tb, "kernels/*.nothing")
	}); !strings.Contains(got, "no file matches") {
		t.Errorf("a pattern with no match ended with %q", got)
	}
}

func TestCase(t *testing.T) {
	Run(t, "testdata/upper.txtar", func(t *testing.T, c *Case) {
		if to, ok := c.Option("to"); !ok || to != "upper" {
			t.Errorf("option to = %q, %v", to, ok)
		}
		if _, ok := c.Option("from"); ok {
			t.Error("there is no option from")
		}
		if d := cmp.Diff([]string{"in", "out"}, c.Names()); d != "" {
			t.Error(d)
		}
		c.Want(t, "out", strings.ToUpper(c.Text(t, "in")))
	})
}

func TestWantShowsDiff(t *testing.T) {
	notUpdating(t)
	c := Load(t, "testdata/upper.txtar")
	got := outcome(t, func(tb testing.TB) { c.Want(tb, "out", "HELLO\nWORD") })
	if !strings.Contains(got, " HELLO\n-WORLD\n+WORD\n") {
		t.Errorf("not a diff: %q", got)
	}
	if got := outcome(t, func(tb testing.TB) {
		c.Want(tb, "nowhere", "")
	}); !strings.HasPrefix(got, "fatal: ") {
		t.Errorf("a missing section ended with %q", got)
	}
}

func TestRefresh(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txtar")
	if err := os.WriteFile(path, []byte("# note\n-- out --\nold\n-- rest --\nstays\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("UPDATE_GOLDEN", "1")
	c := Load(t, path)
	c.Want(t, "out", "new")
	c.Want(t, "more", "added\n")
	Equal(t, "refreshed", "# note\n-- out --\nnew\n-- rest --\nstays\n-- more --\nadded\n", Read(t, path))
	if got := outcome(t, func(tb testing.TB) {
		c.Want(tb, "out", "-- out --\n")
	}); !strings.HasPrefix(got, "fatal: ") {
		t.Errorf("text that would break the archive ended with %q", got)
	}
}

func TestGolden(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "golden.txt")
	t.Setenv("UPDATE_GOLDEN", "1")
	Golden(t, path, "text\n")
	notUpdating(t)
	Golden(t, path, "text\n")
	if got := outcome(t, func(tb testing.TB) {
		Golden(tb, path, "other\n")
	}); !strings.Contains(got, "-text\n+other\n") {
		t.Errorf("a difference ended with %q", got)
	}
	if got := outcome(t, func(tb testing.TB) {
		Golden(tb, path+".not", "")
	}); !strings.Contains(got, "does not exist") {
		t.Errorf("a missing file ended with %q", got)
	}
}

// TestRequired: a missing tool skips a test, and fails it where NEREID_REQUIRE_TOOLS names the tool or all.
func TestRequired(t *testing.T) {
	tool := func(tb testing.TB) { Tool(tb, "no-such-tool-22", "no-such-tool") }
	gone := fmt.Errorf("no libLLVM: %w", fs.ErrNotExist)
	llvm := func(tb testing.TB) { LLVM(tb, func() (int, error) { return 0, gone }) }
	broken := func(tb testing.TB) { LLVM(tb, func() (int, error) { return 0, errors.New("broken") }) }
	open := func(name string, err error) func(testing.TB) {
		return func(tb testing.TB) { Device(tb, name, func(string) (int, error) { return 0, err }) }
	}
	for _, c := range []struct {
		require string
		test    func(testing.TB)
		want    string
	}{
		{"", tool, "skip: needs no-such-tool-22: no-such-tool-22 or no-such-tool is not installed"},
		{"llvm", tool, "skip: needs no-such-tool-22: "},
		{"llvm,no-such-tool-22", tool, "fatal: needs no-such-tool-22: "},
		{"1", tool, "fatal: needs no-such-tool-22: "},
		{"", llvm, "skip: needs llvm: no libLLVM"},
		{"redis,llvm", llvm, "fatal: needs llvm: no libLLVM"},
		{"llvm-tools", llvm, "skip: "},
		{"", broken, "fatal: llvm is here, but does not work: broken"},
		{"", open("cpu", gone), "skip: needs llvm"},
		{"llvm", open("sim:90", gone), "fatal: needs llvm"},
		{"", open("sim:90", errors.New("broken")), "fatal: "},
		{"1", open("cuda", errors.New("no driver\nmore")), "skip: needs gpu: no driver"},
		{"gpu", open("cuda:1", errors.New("no driver")), "fatal: needs gpu: no driver"},
		{"1", open("cpu", nil), ""},
		{"1", func(tb testing.TB) { NotHere(tb, "one %s", "core") }, "skip: not here: one core"},
		{"1", func(tb testing.TB) { LongForm(tb, "NEREID_TEST_NOWHERE", "hours") }, "skip: long form: "},
		{"1", func(tb testing.TB) { LeftOut(tb, "an op") }, "skip: left out: an op"},
	} {
		t.Setenv("NEREID_REQUIRE_TOOLS", c.require)
		if got := outcome(t, c.test); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" ||
			strings.Contains(got, "more") {
			t.Errorf("%q: got %q, want %q", c.require, got, c.want)
		}
	}
}

func TestLLVMTool(t *testing.T) {
	t.Setenv("NEREID_REQUIRE_TOOLS", "")
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	tool := func(version string) string {
		script := "#!/bin/sh\necho 'LLVM version " + version + "'\n"
		if err := os.WriteFile(filepath.Join(dir, "llc"), []byte(script), 0o777); err != nil {
			t.Fatal(err)
		}
		return outcome(t, func(tb testing.TB) { LLVMTool(tb, "llc") })
	}
	if got := tool("22.1.8"); got != "" {
		t.Errorf("llc of LLVM 22 ended with %q", got)
	}
	if got, want := tool("14.0.6"), "skip: needs llvm-tools: llc of LLVM 22 is not installed"; got != want {
		t.Errorf("llc of LLVM 14 ended with %q, want %q", got, want)
	}
}

func TestMissingTriton(t *testing.T) {
	t.Setenv("NEREID_REQUIRE_TOOLS", "")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if got := outcome(t, func(tb testing.TB) {
		Triton(tb)
	}); !strings.HasPrefix(got, "skip: needs triton: triton is not installed") {
		t.Errorf("got %q", got)
	}
}

func TestOracle(t *testing.T) {
	out, err := Oracle(t, "dump", Path(t, "testdata", "golden", "cuda-80", "add_f32.ttir"))
	if err != nil || !strings.Contains(out, "tt.func public @add_kernel") {
		t.Errorf("the oracle: %v\n%s", err, out)
	}
}
