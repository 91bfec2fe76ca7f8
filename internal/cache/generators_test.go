package cache

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Whoever has no generator of its own is told which made the entries, the latest first, those of imported
// ones among them.
func TestGenerators(t *testing.T) {
	s := Open(Options{Dir: t.TempDir(), noSync: true})
	for i, g := range []string{"llvm 19", "llvm 22", "llvm 19", "", "two\nlines"} {
		e := entryFor(i)
		e.Generator = g
		s.Put(e)
	}
	if got, want := fmt.Sprint(s.Generators()), "[llvm 22 llvm 19]"; got != want {
		t.Errorf("generators %s, want %s", got, want)
	}
	var b bytes.Buffer
	list, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Export(&b, list); err != nil {
		t.Fatal(err)
	}
	to := Open(Options{Dir: t.TempDir(), noSync: true})
	if _, err := to.Import(&b); err != nil {
		t.Fatal(err)
	}
	if n := len(to.Generators()); n != 2 {
		t.Errorf("%d generators after an import: %v", n, to.Generators())
	}
	if !to.Use(context.Background(), keyFor(1), func(e *Entry) error {
		return same(e, 1)
	}) || to.Use(context.Background(), keyFor(9), func(*Entry) error { return nil }) {
		t.Error("Use finds what is not there, or not what is")
	}
	if err := os.WriteFile(filepath.Join(to.Dir(), generatorsName), []byte("\x00\xff\n\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	to.Generators() // garbage finds nothing, and breaks nothing
	read := Open(Options{Dir: filepath.Join(t.TempDir(), "none"), ReadOnly: true})
	e := entryFor(1)
	e.Generator = "x"
	read.Put(e)
	if read.Generators() != nil || (*Store)(nil).Generators() != nil {
		t.Error("a store that keeps nothing has generators")
	}
}
