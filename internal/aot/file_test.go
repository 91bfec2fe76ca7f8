package aot

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// A file is written whole, or stays as it was, and nothing lies beside it.
func TestWriteFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.nrb")
	put := func(text string, fail error) error {
		return WriteFile(name, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return errors.Join(err, fail)
		})
	}
	stopped := errors.New("stopped")
	for _, step := range []struct {
		text string
		fail error
		want string // of the file afterwards; "" means that it is not there
	}{{"half", stopped, ""}, {"one", nil, "one"}, {"half", stopped, "one"}, {"two", nil, "two"}} {
		if err := put(step.text, step.fail); !errors.Is(err, step.fail) {
			t.Error(err)
		}
		files, err := filepath.Glob(filepath.Join(filepath.Dir(name), "*"))
		hidden, _ := filepath.Glob(filepath.Join(filepath.Dir(name), ".*"))
		if err != nil || len(hidden) > 0 || (step.want == "") != (len(files) == 0) {
			t.Errorf("%s: %v %v, %v", step.text, files, hidden, err)
		}
		if step.want != "" && txtest.Read(t, name) != step.want {
			t.Errorf("%s: the file is %q", step.text, txtest.Read(t, name))
		}
	}
	if err := WriteFile(filepath.Join(name, "b"), func(io.Writer) error { return nil }); err == nil {
		t.Error("a file below a file")
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o644 {
		t.Error(info.Mode(), err)
	}
}
