package lang_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/lang/stdlib"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestOwnWords compares the library with every Python file of Triton, line by line, whitespace and comments
// aside. Signatures and constants are the language's; of the other lines of code, at most one in ten may
// stand in Triton too, since `else:` says nothing of its author. With -v it lists those lines.
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
			t.Errorf("%s: %d of %d lines stand in Triton, more than one in ten; -v lists them", name,
				shared, len(ours))
		}
	}
}

// tritonLines are the lines of all Python files of the installed Triton, with the file that each was last
// seen in.
func tritonLines(t *testing.T) map[string]string {
	t.Helper()
	lines := map[string]string{}
	for path, text := range tritonFiles(t) {
		for line := range strings.Lines(text) {
			lines[squeezed(line)] = filepath.Base(path)
		}
	}
	return lines
}

// tritonFiles are the Python files of the installed Triton by their paths.
func tritonFiles(t *testing.T) map[string]string {
	t.Helper()
	root := filepath.Join(filepath.Dir(filepath.Dir(txtest.Triton(t))), "lib*", "python*",
		"site-packages", "triton")
	dirs, err := filepath.Glob(root)
	if err != nil || len(dirs) == 0 {
		t.Fatalf("%s: nothing there (%v)", root, err)
	}
	files := map[string]string{}
	err = filepath.WalkDir(dirs[0], func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".py") {
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = string(text)
		return err
	})
	if err != nil || len(files) < 100 {
		t.Fatalf("%s: only %d files (%v)", dirs[0], len(files), err)
	}
	return files
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

// ownLines are the lines of code that are neither a signature nor a constant, squeezed. Documentation is
// not code.
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
	text := "\"\"\"Doc\nof the file.\"\"\"\nimport x  # why\nN = tl.constexpr(10)\n@jit\ndef f(a,\n" +
		"      b: int = 1):\n    \"\"\"Doc.\"\"\"\n    C = 0x1F\n    # says why\n    return a + b\n"
	if got := strings.Join(ownLines(text), "|"); got != "importx|returna+b" {
		t.Errorf("%s", got)
	}
}

// TestOwnMessages finds messages of the front end and of the verifiers that share six words in a row with a
// Python file of Triton.
func TestOwnMessages(t *testing.T) {
	theirs := map[string]string{}
	for path, text := range tritonFiles(t) {
		for run := range wordRuns(text) {
			theirs[run] = filepath.Base(path)
		}
	}
	messages := 0
	for _, dir := range []string{"lang", "dialect", "ir"} {
		for message, at := range messagesIn(t, txtest.Path(t, "internal", dir)) {
			messages++
			for run := range wordRuns(verb.ReplaceAllString(message, " ")) {
				if file, ok := theirs[run]; ok {
					t.Errorf("%s: %q: %q stands in Triton's %s", at, message, run, file)
					break
				}
			}
		}
	}
	if messages < 500 {
		t.Errorf("only %d messages were found", messages)
	}
}

var (
	word = regexp.MustCompile(`[a-z0-9_']+`)
	verb = regexp.MustCompile(`%[-+# 0-9.\[\]]*[a-zA-Z]`)
	says = map[string]bool{"bad": true, "hint": true, "fail": true, "failHint": true, "errorf": true,
		"errorSpan": true, "Errorf": true, "New": true, "warn": true, "Sprintf": true, "allSame": true}
)

// wordRuns yields all runs of six words.
func wordRuns(text string) iter.Seq[string] {
	const n = 6
	return func(yield func(string) bool) {
		words := word.FindAllString(strings.ToLower(text), -1)
		for i := 0; i+n <= len(words); i++ {
			if !yield(strings.Join(words[i:i+n], " ")) {
				return
			}
		}
	}
}

// messagesIn are the texts that functions which report something are called with, below a folder, with
// their places.
func messagesIn(t *testing.T, root string) map[string]token.Position {
	t.Helper()
	out := map[string]token.Position{}
	files := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !says[calledName(call)] {
				return true
			}
			for _, arg := range call.Args {
				ast.Inspect(arg, func(n ast.Node) bool {
					if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
						text, _ := strconv.Unquote(lit.Value)
						out[text] = files.Position(lit.Pos())
					}
					return true
				})
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}
