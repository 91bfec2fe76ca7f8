package arch

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestMachinePaths: no recorded IR names a file by its path on the machine that recorded it.
func TestMachinePaths(t *testing.T) {
	root := txtest.Root(t)
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if file != root && d.Name()[0] == '.' {
				return filepath.SkipDir
			}
			return nil
		}
		switch filepath.Ext(file) {
		case ".ttir", ".ttgir", ".source", ".llir", ".ptx":
			text, err := os.ReadFile(file)
			if bytes.Contains(text, []byte("site-packages/")) || bytes.Contains(text, []byte(`loc("/`)) {
				t.Errorf("%s has a path of the machine that made it", file)
			}
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
