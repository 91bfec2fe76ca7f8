package pyrun_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/pyrun/std"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// The judge of this package is CPython: thousands of snippets are run by both, and what they leave in r (or
// the exception they end with) has to be the same text.

// judge runs all snippets in one process.
const judge = `
import contextlib, io, json, resource, sys, warnings
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
warnings.simplefilter("ignore")
out = []
for src in json.load(sys.stdin):
    env = {"__name__": "main"}
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(src, "<snippet>", "exec"), env)
        out.append("= " + repr(env.get("r")))
    except BaseException as e:
        out.append("! " + type(e).__name__ + ": " + str(e))
json.dump(out, sys.stdout)
`

func cpython(t *testing.T, snippets []string) []string {
	t.Helper()
	in, err := json.Marshal(snippets)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), txtest.Tool(t, "python3"), "-c", judge)
	cmd.Stdin = bytes.NewReader(in)
	cmd.Stderr = os.Stderr
	data, err := cmd.Output()
	if err != nil {
		t.Fatalf("python3: %v", err)
	}
	var out []string
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// run runs a snippet and returns what the judge would print.
func run(src string) string {
	in := pyrun.New(pyrun.Options{Library: std.Library,
		Finder: pyrun.FSFinder(fstest.MapFS{"main.py": {Data: []byte(src)}}),
		Limits: object.Limits{MaxSteps: 1_000_000}}).Interp
	m := pyrun.From(in).LoadFile("main.py")
	if err := m.Run(in); err != nil {
		return shown(err)
	}
	v, ok, err := m.Get(in, "r")
	if err != nil {
		return shown(err)
	}
	if !ok {
		v = object.None
	}
	s, err := object.Repr(in, v)
	if err != nil {
		return shown(err)
	}
	return "= " + s
}

func shown(err error) string {
	if e, ok := err.(*object.Exception); ok {
		return "! " + e.Class.Name + ": " + e.Message()
	}
	return "! SyntaxError: " + err.Error()
}

// compare runs snippets by both. With loose set, only the class of an exception has to agree.
func compare(t *testing.T, snippets []string, loose bool) {
	t.Helper()
	want := cpython(t, snippets)
	failed := 0
	for i, src := range snippets {
		got, want := run(src), want[i]
		if loose && strings.HasPrefix(want, "!") {
			got, _, _ = strings.Cut(got, ":")
			want, _, _ = strings.Cut(want, ":")
		}
		if got == want || strings.HasSuffix(want, "j)") { // there are no complex numbers here
			continue
		}
		if failed++; failed <= 40 {
			t.Errorf("%s\n got %s\nwant %s", src, got, want)
		}
	}
	t.Logf("%d snippets, %d differ", len(snippets), failed)
}

// TestPrograms runs the programs of testdata/diff, which are separated by lines of dashes.
func TestPrograms(t *testing.T) {
	files, err := filepath.Glob("testdata/diff/*.py")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".py"), func(t *testing.T) {
			compare(t, strings.Split(txtest.Read(t, file), "\n# ---\n"), false)
		})
	}
}
