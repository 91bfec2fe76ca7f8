package compile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nereid-lang/nereid/internal/cache"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/safefile"
	"github.com/nereid-lang/nereid/internal/target"
)

// folderName returns the folder name of a specialization for a device. It is the same in every build of the
// compiler, so that files edited by a user are still found.
func folderName(kernel, device string, m *ir.Module, opts target.Options) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %+v\n", device, opts)
	if err := ir.Print(h, m.Op, ir.PrintOptions{}); err != nil {
		return kernel
	}
	return kernel + "-" + hex.EncodeToString(h.Sum(nil)[:6])
}

// stageFile returns the file of a stage of a specialization below a folder of dumps.
func stageFile(dir, folder, kernel, stage string) string {
	return filepath.Join(dir, folder, kernel+"."+stage)
}

// dump writes a stage to Settings.Dump. Failure to write does not fail a launch.
func (j *job) dump(s code.Stage) {
	if j.k.Set.Dump == "" || s.Text == nil {
		return
	}
	file := stageFile(j.k.Set.Dump, j.folder, j.k.Name, s.Name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err == nil {
		os.WriteFile(file, s.Text, 0o666)
	}
}

// dumpEntry dumps the stages of a kernel found in the cache.
func (j *job) dumpEntry(e *cache.Entry) {
	for _, s := range e.Stages {
		j.dump(code.Stage{Name: s.Name, Text: s.Data})
	}
}

// maxStage bounds the size of a stage's file.
const maxStage = 256 << 20

// override returns the user's file that replaces a stage, or nil: the specialization's, or one in the folder
// itself, which applies to all of a kernel.
func (j *job) override(stage string) []byte {
	for _, folder := range []string{j.folder, ""} {
		if text, err := safefile.Read(stageFile(j.k.Set.Override, folder, j.k.Name, stage),
			maxStage); err == nil {
			return text
		}
	}
	return nil
}
