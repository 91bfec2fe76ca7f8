package llvm

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/nereid-lang/nereid/internal/txtest"
)

func TestInstalled(t *testing.T) {
	if runtime.GOOS != "linux" {
		txtest.NotHere(t, "libraries are noted on Linux alone")
	}
	lib := txtest.LLVM(t, Load)
	path := fileOf(lib.at)
	if path == "" {
		t.Fatal("the library's file is not found")
	}
	dir := t.TempDir()
	if _, ok := recall(dir, "x"); ok {
		t.Error("recalled from nothing")
	}
	remember(dir, "x", lib)
	if v, ok := recall(dir, "x"); !ok || v != lib.Version() {
		t.Errorf("recalled %v, %v", v, ok)
	}
	if _, ok := recall(dir, "y"); ok {
		t.Error("recalled for another search")
	}
	for i := range 2 * maxNotes {
		remember(dir, string(rune('a'+i)), lib)
	}
	if n := len(notes(dir)); n != maxNotes {
		t.Errorf("%d notes are kept", n)
	}
	if err := os.WriteFile(filepath.Join(dir, noteName), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, ok := recall(dir, "x"); ok {
		t.Error("recalled from a damaged file")
	}
}

// A library that was replaced is not believed to be the one that was opened.
func TestInstalledChanged(t *testing.T) {
	lib := txtest.LLVM(t, Load)
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "libLLVM.so")
	if err := os.WriteFile(file, []byte("one"), 0o666); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal([]note{{"x", file, info.Size(), info.ModTime().UnixNano(), lib.Version()}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, noteName), text, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, ok := recall(dir, "x"); !ok {
		t.Error("not recalled")
	}
	if err := os.Chtimes(file, time.Now(), info.ModTime().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, ok := recall(dir, "x"); ok {
		t.Error("a file of another time is believed")
	}
}
