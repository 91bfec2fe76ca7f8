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

	"github.com/nereid-lang/nereid/internal/txtest"
)

// columnLimit is the width of a line that a split screen shows whole; tabStop is that of a tab there.
const columnLimit, tabStop = 110, 4

// TestColumns: in this module and those below it, no line of code or prose, examples in comments included, is
// wider than columnLimit, in characters and in bytes, which some tools count. Texts that a break would
// change may be wider: strings (kernels, IR), expected output, directives, and generated files.
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
		for _, line := range wideLines(t, string(src)) {
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

// TestWideLines: wideLines finds code, prose, examples and lines with too many bytes, and passes over what
// may be wide.
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
		word + word,
		"`",
		"var b = \"" + word + word + "\"",
		"var c = " + word + " + " + word, // 12
		"",
	}, "\n")
	if got, want := wideLines(t, src), []int{3, 5, 6, 12}; !slices.Equal(got, want) {
		t.Errorf("the wide lines are %d, want %d", got, want)
	}
}

// wideLines returns the numbers of the lines of a Go file that are too wide.
func wideLines(t *testing.T, src string) (wide []int) {
	t.Helper()
	offset, free := 0, []span(nil)
	for n, line := range strings.Split(src, "\n") {
		if at := tooWide(line); at >= 0 {
			if free == nil {
				free = freeSpans(t, src)
			}
			if !inside(free, offset+at) {
				wide = append(wide, n+1)
			}
		}
		offset += len(line) + 1
	}
	return wide
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

// freeSpans returns the parts of a file that may be wide: all of it, if it is generated.
func freeSpans(t *testing.T, src string) []span {
	t.Helper()
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if ast.IsGenerated(tree) {
		return []span{{0, len(src)}}
	}
	list := []span{}
	for _, group := range tree.Comments {
		if strings.Contains(group.Text(), "Output:\n") { // of an example: compared line by line
			list = append(list, span{fset.Position(group.Pos()).Offset, fset.Position(group.End()).Offset})
		}
	}
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, []byte(src), nil, scanner.ScanComments)
	for {
		pos, kind, text := s.Scan()
		switch {
		case kind == token.EOF:
			return list
		case kind == token.STRING, kind == token.COMMENT && keepsLines(text):
			from := file.Offset(pos)
			to := from + len(text)
			to += len(src[to:]) - len(strings.TrimLeft(src[to:], ")}],;")) // what closes goes with it
			list = append(list, span{from, to})
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
