package lang_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/lang/stdlib"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestOwnWords compares the library with every Python file of Triton, line by line, whitespace and comments aside. Signatures and constants
// are the language's; of the other lines of code, at most one in ten may stand in Triton too, since `else:` says nothing of its author.
// With -v it lists those lines.
func TestOwnWords(t *testing.T) {
	theirs := tritonLines(t)
	names, err := fs.Glob(stdlib.Files, "*.py")
	if err != nil || len(names) == 0 {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := stdlib.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		ours, shared := ownLines(string(text)), 0
		for _, line := range ours {
			if file, ok := theirs[line]; ok {
				shared++
				t.Logf("%s: %s (%s)", name, line, file)
			}
		}
		t.Logf("%s: %d of %d lines stand in Triton", name, shared, len(ours))
		if shared > max(1, len(ours)/10) {
			t.Errorf("%s: %d of %d lines stand in Triton, more than one in ten; -v lists them", name, shared, len(ours))
		}
	}
}

// tritonLines are the lines of all Python files of the installed Triton, with the file that each was last seen in.
func tritonLines(t *testing.T) map[string]string {
	t.Helper()
	root := filepath.Join(filepath.Dir(filepath.Dir(txtest.Triton(t))), "lib*", "python*", "site-packages", "triton")
	dirs, err := filepath.Glob(root)
	if err != nil || len(dirs) == 0 {
		t.Fatalf("%s: nothing there (%v)", root, err)
	}
	lines := map[string]string{}
	err = filepath.WalkDir(dirs[0], func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".py") {
			return err
		}
		text, err := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			lines[squeezed(line)] = filepath.Base(path)
		}
		return err
	})
	if err != nil || len(lines) < 10000 {
		t.Fatalf("%s: only %d lines (%v)", dirs[0], len(lines), err)
	}
	return lines
}

var (
	comment   = regexp.MustCompile(`\s*(^|\s)#.*`)
	signature = regexp.MustCompile(`^(@|def |class )`)
	constant  = regexp.MustCompile(`^\w+(:[\w.]+)?=(tl\.constexpr\()?-?[0-9][0-9a-fA-FxX.e+-]*\)?$`)
	blank     = regexp.MustCompile(`\s+`)
)

func squeezed(line string) string {
	return blank.ReplaceAllString(comment.ReplaceAllString(line, ""), "")
}

// ownLines are the lines of code that are neither a signature nor a constant, squeezed. Documentation is not code.
func ownLines(text string) (lines []string) {
	inDoc, inSignature := false, false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		quotes := strings.Count(trimmed, `"""`)
		if inDoc || strings.HasPrefix(trimmed, `"""`) {
			inDoc = inDoc != (quotes%2 == 1)
			continue
		}
		inSignature = inSignature || signature.MatchString(trimmed)
		code := squeezed(line)
		if !inSignature && code != "" && !constant.MatchString(code) {
			lines = append(lines, code)
		}
		inSignature = inSignature && !strings.HasPrefix(trimmed, "@") && !strings.HasSuffix(code, ":")
	}
	return lines
}

func TestOwnLines(t *testing.T) {
	text := "\"\"\"Doc\nof the file.\"\"\"\nimport x  # why\nN = tl.constexpr(10)\n@jit\ndef f(a,\n      b: int = 1):\n    \"\"\"Doc.\"\"\"\n    C = 0x1F\n    # says why\n    return a + b\n"
	if got := strings.Join(ownLines(text), "|"); got != "importx|returna+b" {
		t.Errorf("%s", got)
	}
}
