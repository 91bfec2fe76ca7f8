package arch

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// columnLimit is the width of a line that a split screen shows whole; tabStop is that of a tab there.
const columnLimit, tabStop = 110, 4

// wideStrings has, for files with messages that are compared as they are printed, their number.
var wideStrings = map[string]int{
	"internal/pyrun/module_test.go":        1,
	"internal/target/interp/fault_test.go": 1,
}

// TestColumns: in this module and those below it, no line of code or prose, examples in comments included, is
// wider than columnLimit, in characters and in bytes, which some tools count. Lines that end in a string
// (kernels, IR, messages) have at most as many characters, tabs counted as one. Texts that a break would
// change may be wider: expected output, directives, generated files, and the strings of wideStrings.
func TestColumns(t *testing.T) {
	root := txtest.Root(t)
	files := goFiles(t, root)
	for _, dir := range modulesBelow(t, root) {
		files = append(files, goFilesBelow(t, dir)...)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rel, _ := filepath.Rel(root, file)
		code, text := wideLines(t, string(src))
		if len(text) == wideStrings[rel] {
			text = nil
		}
		for _, line := range append(code, text...) {
			t.Errorf("%s:%d: the line has more than %d columns", rel, line, columnLimit)
		}
	}
}

// modulesBelow returns the folders of the modules in the repository but the first one.
func modulesBelow(t *testing.T, root string) (dirs []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.Contains("._", d.Name()[:1]) || d.Name() == "testdata" ||
			d.Name() == "out") {
			return filepath.SkipDir
		}
		if dir := filepath.Dir(file); d.Name() == "go.mod" && dir != root {
			dirs = append(dirs, dir)
		}
		return nil
	})
	if err != nil || len(dirs) < 5 {
		t.Fatalf("%d modules below %s: %v", len(dirs), root, err)
	}
	return dirs
}

// TestWideLines: wideLines finds code, prose, examples, strings and lines with too many bytes, and passes
// over what may be wide.
func TestWideLines(t *testing.T) {
	word := strings.Repeat("x", 100)
	src := strings.Join([]string{
		"package p",
		"// " + word,
		"// and " + word + word, // 3
		"//",
		"//\tan example: " + word + word, // 5
		"// " + word + "…………",            // 6: 107 characters of 115 bytes
		"//go:generate " + word,
		"const a = `",
		word + word, // 9
		"\t\t\t" + word,
		"`",
		"var b = \"" + word + word + "\"", // 12
		"var c = " + word + " + " + word,  // 13
		"var d = \"" + strings.Repeat("…", 100) + "\"", // 110 characters
		"",
	}, "\n")
	code, text := wideLines(t, src)
	if want := []int{3, 5, 6, 13}; !slices.Equal(code, want) {
		t.Errorf("the wide lines are %d, want %d", code, want)
	}
	if want := []int{9, 12}; !slices.Equal(text, want) {
		t.Errorf("the lines with wide strings are %d, want %d", text, want)
	}
}

// wideLines returns the numbers of the lines of a Go file that are too wide: in code, and in strings.
func wideLines(t *testing.T, src string) (code, text []int) {
	t.Helper()
	offset, parts := 0, (*freeParts)(nil)
	for n, line := range strings.Split(src, "\n") {
		if at := tooWide(line); at >= 0 {
			if parts == nil {
				parts = freePartsOf(t, src)
			}
			switch {
			case inside(parts.all, offset+at):
			case !inside(parts.strings, offset+at):
				code = append(code, n+1)
			case utf8.RuneCountInString(line) > columnLimit:
				text = append(text, n+1)
			}
		}
		offset += len(line) + 1
	}
	return code, text
}

// tooWide returns the offset of the first byte beyond the limit, or -1. A line has at least as many bytes as
// characters, so bytes are counted.
func tooWide(line string) int {
	column := 0
	for at := range len(line) {
		if column >= columnLimit {
			return at
		}
		if line[at] == '\t' {
			column += tabStop - column%tabStop
		} else {
			column++
		}
	}
	return -1
}

// span is a part of a file, from an offset to another.
type span struct{ from, to int }

func inside(list []span, offset int) bool {
	for _, s := range list {
		if s.from <= offset && offset < s.to {
			return true
		}
	}
	return false
}

// freeParts are the parts of a file that the limit of code does not hold for.
type freeParts struct {
	all     []span // may have any width
	strings []span
}

// freePartsOf returns the parts of a file that may be wide: all of it, if it is generated.
func freePartsOf(t *testing.T, src string) *freeParts {
	t.Helper()
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if ast.IsGenerated(tree) {
		return &freeParts{all: []span{{0, len(src)}}}
	}
	parts := &freeParts{}
	for _, group := range tree.Comments {
		if strings.Contains(group.Text(), "Output:\n") { // of an example: compared line by line
			from, to := fset.Position(group.Pos()).Offset, fset.Position(group.End()).Offset
			parts.all = append(parts.all, span{from, to})
		}
	}
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, []byte(src), nil, scanner.ScanComments)
	for {
		pos, kind, text := s.Scan()
		from := file.Offset(pos)
		switch {
		case kind == token.EOF:
			return parts
		case kind == token.COMMENT && keepsLines(text):
			parts.all = append(parts.all, span{from, from + len(text)})
		case kind == token.STRING:
			to := from + len(text)
			to += len(src[to:]) - len(strings.TrimLeft(src[to:], ")}],;")) // what closes goes with it
			parts.strings = append(parts.strings, span{from, to})
		}
	}
}

// keepsLines reports whether a comment is a directive, or C for cgo.
func keepsLines(comment string) bool {
	for _, prefix := range []string{"//go:", "//export", "/*"} {
		if strings.HasPrefix(comment, prefix) {
			return true
		}
	}
	return false
}
