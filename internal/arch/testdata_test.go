package arch

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestTestdata looks for files in testdata folders that no test reads any more. The Go files beside the
// folder must name a file: by its path, a pattern or its extension in a string or an embed directive, by
// its fuzz target, or, for a program, in a comment. The folder at the root belongs to everybody.
func TestTestdata(t *testing.T) {
	root := txtest.Root(t)
	named := map[string][]string{} // by the folder of a package, what its strings and functions say
	var data []string
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && file != root && d.Name()[0] == '.' {
				return filepath.SkipDir
			}
			return err
		}
		rel, _ := filepath.Rel(root, file)
		rel = filepath.ToSlash(rel)
		if strings.Contains("/"+rel, "/testdata/") {
			data = append(data, rel)
		} else if dir := path.Dir(rel); strings.HasSuffix(rel, ".go") {
			words := words(t, file)
			named[dir] = append(named[dir], words...)
			named["."] = append(named["."], words...)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range data {
		before, in, _ := strings.Cut("/"+file, "/testdata/")
		owner := path.Join(".", strings.TrimPrefix(before, "/"))
		if !slices.ContainsFunc(named[owner], func(w string) bool { return names(w, "testdata/"+in) }) {
			t.Errorf("no Go file in %s names %s", owner, file)
		}
	}
}

// words are the strings and the functions of a file.
func words(t *testing.T, file string) []string {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile(file, -1, len(src)), src, nil, scanner.ScanComments)
	for last := ""; ; {
		_, tok, text := s.Scan()
		switch {
		case tok == token.EOF:
			return out
		case tok == token.STRING:
			if w, err := strconv.Unquote(text); err == nil && len(w) < 200 {
				out = append(out, strings.Fields(w)...)
				if last == "Dir:" { // of a test script
					out = append(out, w+"/*")
				}
			}
		case tok == token.COMMENT && strings.HasPrefix(text, "//go:embed "):
			out = append(out, strings.Fields(text)[1:]...)
		case tok == token.COMMENT:
			for _, w := range strings.Fields(text) {
				if w = strings.Trim(w, "`.,:;()"); strings.HasSuffix(w, ".py") {
					out = append(out, w)
				}
			}
		case tok == token.IDENT && strings.HasPrefix(text, "Fuzz"):
			out = append(out, text)
		}
		if tok != token.COLON {
			last = text
		} else {
			last += ":"
		}
	}
}

// names reports whether a word of a Go file stands for a file in testdata. A word may be the beginning or the
// end of a path that is put together.
func names(word, file string) bool {
	base := path.Base(file)
	if strings.HasPrefix(file, "testdata/fuzz/") {
		return word == strings.Split(file, "/")[2]
	}
	switch dir, last := path.Split(word); {
	case last == "" || strings.Trim(last, "*?.") == "" && dir == "":
		return false
	case "."+word == path.Ext(file) || word == path.Ext(file):
		return true
	case strings.HasPrefix(last, "."):
		return strings.HasSuffix(base, last)
	case strings.HasSuffix(last, "."): // an extension follows
		word += "*"
	}
	if i := strings.LastIndex(word, "testdata/"); i >= 0 {
		word = word[i:]
	}
	parts := strings.Split(file, "/")
	n := min(strings.Count(word, "/")+1, len(parts))
	ok, _ := path.Match(word, strings.Join(parts[len(parts)-n:], "/"))
	return ok || word == strings.TrimSuffix(base, path.Ext(base))
}
