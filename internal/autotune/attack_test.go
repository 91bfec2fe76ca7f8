//go:build unix

package autotune

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Timings of a folder that others can write to are neither used nor kept, and the error says what to do.
func TestAttackFolder(t *testing.T) {
	s := &Folder{Dir: filepath.Join(t.TempDir(), "tune")}
	r := record("1024")
	r.Set(Timing{Config: "a", Median: 1, Low: 1, High: 1})
	if err := s.Save(r); err != nil || !s.Load(t.Context(), record("1024")) || len(s.All()) != 1 {
		t.Fatal("not kept", err)
	}
	if err := os.Chmod(s.Dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if s.Load(t.Context(), record("1024")) || len(s.All()) != 0 {
		t.Error("timings of everybody's folder are used")
	}
	if err := s.Save(r); err == nil || !strings.Contains(err.Error(), "chmod go-w "+s.Dir) {
		t.Error(err)
	}
	s.Lock(t.Context(), nil)()
}

// A pipe in the place of a record or of the lock is not waited for, and a link to a file without an end not
// read.
func TestAttackRecord(t *testing.T) {
	s := &Folder{Dir: t.TempDir()}
	if err := syscall.Mkfifo(filepath.Join(s.Dir, "lock"), 0o600); err != nil {
		t.Fatal(err)
	}
	pipe, endless := record("1"), record("2")
	if err := syscall.Mkfifo(s.path(pipe), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", s.path(endless)); err != nil {
		t.Fatal(err)
	}
	s.Lock(t.Context(), nil)()
	if s.Load(t.Context(), pipe) || s.Load(t.Context(), endless) || len(s.All()) != 0 {
		t.Error("taken for records")
	}
	pipe.Set(Timing{Config: "a", Median: 1, Low: 1, High: 1})
	if err := s.Save(pipe); err != nil || !s.Load(t.Context(), record("1")) {
		t.Error("not kept", err)
	}
}
