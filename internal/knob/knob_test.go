package knob

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestDocs: docs/options.md is what the table says. -update writes it.
func TestDocs(t *testing.T) {
	var b strings.Builder
	WriteDocs(&b)
	txtest.Golden(t, txtest.Path(t, "docs", "options.md"), b.String())
}

func TestValues(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{{"1", true}, {"ON", true}, {"true", true}, {"0", false}, {"no", false}, {"", false}, {"maybe", false}} {
		t.Setenv(Dump.Name(), c.text)
		if got := Dump.Get(); got != c.want {
			t.Errorf("%q is read as %v", c.text, got)
		}
	}
	for text, want := range map[string]string{
		"100": "100", "1k": "1024", "1.5 MiB": "1572864", "2GB": "2000000000", "7b": "7", "0": "0",
		"-1": "error", "many": "error", "": "error", "nan": "error", "inf": "error", "1e300": "error",
	} {
		got := "error"
		if n, err := ParseSize(text); err == nil {
			got = fmt.Sprint(n)
		}
		if got != want {
			t.Errorf("ParseSize(%q) = %s, want %s", text, got, want)
		}
	}
}

func TestCheck(t *testing.T) {
	got := fmt.Sprint(check([]string{
		"HOME=/", "NEREID_DUMP=perhaps", "NEREID_DUMPDIR=x", "NEREID_TIMING=1", "NEREID_DUMP_DIR=", "NEREID_ZZZZZZZZZZZZZZZ=1",
	}))
	want := "[NEREID_DUMP=perhaps: expected 1 or 0 NEREID_DUMPDIR is no variable of Nereid's: did you mean NEREID_DUMP_DIR? " +
		"NEREID_ZZZZZZZZZZZZZZZ is no variable of Nereid's]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestOnePlace: no other package reads the environment of users, and each variable that is declared is read by some package.
func TestOnePlace(t *testing.T) {
	root := txtest.Root(t)
	getenv := regexp.MustCompile(`os\.(Getenv|LookupEnv)\("(NEREID_\w+)"`)
	use := regexp.MustCompile(`\bknob\.(\w+)\.(Get|IsSet)\(`)
	used := map[string]bool{"CacheDir": true} // by CacheFolder
	for _, dir := range []string{".", "internal", "cmd"} {
		walk(t, filepath.Join(root, dir), dir == ".", func(path string, src []byte) {
			if m := getenv.FindSubmatch(src); m != nil && !strings.Contains(path, "txtest") && !ofTests(string(m[2])) {
				t.Errorf("%s reads %s: declare it in internal/knob", path, m[2])
			}
			for _, m := range use.FindAllSubmatch(src, -1) {
				used[string(m[1])] = true
			}
		})
	}
	src, err := os.ReadFile("table.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^\t(\w+) += (text|flag|choice|size)\(`).FindAllSubmatch(src, -1) {
		if !used[string(m[1])] {
			t.Errorf("knob.%s is declared but read nowhere", m[1])
		}
	}
}

// walk calls f with the Go files of a folder that are not tests.
func walk(t *testing.T, dir string, flat bool, f func(path string, src []byte)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && flat && path != dir:
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		src, err := os.ReadFile(path)
		if err == nil {
			f(path, src)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
