package python

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// BenchmarkParse reads the kernels of this repository; BenchmarkParseStdlib reads CPython's standard
// library, where there is one.
func BenchmarkParse(b *testing.B) {
	files, err := filepath.Glob(filepath.Join(repoRoot(b), "kernels", "*.py"))
	if err != nil || len(files) == 0 {
		b.Fatal("no kernels", err)
	}
	benchmarkParse(b, files)
}

func BenchmarkParseStdlib(b *testing.B) { benchmarkParse(b, stdlib(b)) }

func BenchmarkDump(b *testing.B) {
	var modules []*Module
	size := int64(0)
	for _, src := range read(b, stdlib(b)) {
		m, err := Parse(diag.NewFileSet(), "x.py", src)
		if err != nil {
			continue
		}
		modules = append(modules, m)
		size += int64(len(src))
	}
	b.SetBytes(size)
	for b.Loop() {
		for _, m := range modules {
			Dump(io.Discard, m, true)
		}
	}
}

func stdlib(b *testing.B) []string {
	for _, pattern := range []string{"/usr/lib/python3*/*.py", "/usr/lib/python3*/*/*.py"} {
		if files, _ := filepath.Glob(pattern); len(files) > 100 {
			return files
		}
	}
	txtest.NotHere(b, "no standard library of Python in /usr/lib")
	return nil
}

func read(b *testing.B, files []string) (texts [][]byte) {
	b.Helper()
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		texts = append(texts, src)
	}
	return texts
}

func benchmarkParse(b *testing.B, files []string) {
	texts := read(b, files)
	size := int64(0)
	for _, src := range texts {
		size += int64(len(src))
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, src := range texts {
			Parse(diag.NewFileSet(), "x.py", src)
		}
	}
}
