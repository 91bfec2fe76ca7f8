package nereid_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// The program at the beginning of README.md runs and prints what stands there.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	block := func(language string) []byte {
		m := regexp.MustCompile("(?s)\n```" + language + "\n(.*?)```\n").FindSubmatch(text)
		if m == nil {
			t.Fatalf("README.md has no block of %q", language)
		}
		return m[1]
	}
	dir := t.TempDir()
	for name, data := range map[string][]byte{"scale.py": block("python"), "main.go": block("go")} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), txtest.Tool(t, "go"), "build", "-o",
		filepath.Join(dir, "program"), filepath.Join(dir, "main.go"))
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := exec.CommandContext(t.Context(), filepath.Join(dir, "program"))
	run.Dir = dir
	out, err := run.CombinedOutput()
	if want := block("text"); err != nil || string(out) != string(want) {
		t.Errorf("the program prints %q, not %q: %v", out, want, err)
	}
}
