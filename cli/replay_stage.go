package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
	"github.com/nereid-lang/nereid/internal/safefile"
)

// givenStage is a stage of kernels that the user has made, with another compiler or by hand. The passes
// before it do not run.
type givenStage struct{ stage, path string }

// parse reads STAGE=PATH.
func (g *givenStage) parse(text string, stages []string) error {
	stage, path, ok := strings.Cut(text, "=")
	if !ok {
		return usagef("--from-stage wants STAGE=PATH, as in ttgir=add.ttgir")
	}
	if !slices.Contains(stages, stage) {
		return usagef("the device has no stage %q; it has %s", stage, strings.Join(stages, ", "))
	}
	if _, err := os.Stat(path); err != nil {
		return err
	}
	g.stage, g.path = stage, path
	return nil
}

// load returns the option by which a module's kernel starts from the stage that is given for a case. What a
// binary does not tell of itself is in the file of the same name that ends in .json.
func (g *givenStage) load(recording string) (nereid.LoadOption, error) {
	file := g.path
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		name := strings.TrimSuffix(filepath.Base(recording), filepath.Ext(recording))
		file = filepath.Join(g.path, name+"."+g.stage)
	}
	text, err := safefile.ReadNamed(file, maxInput)
	if err != nil {
		return nil, err
	}
	meta, err := safefile.ReadNamed(strings.TrimSuffix(file, filepath.Ext(file))+".json", maxInput)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return jit.StartAt(g.stage, text, meta), nil
}
