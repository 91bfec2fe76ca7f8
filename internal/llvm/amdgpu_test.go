package llvm

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// Every golden .llir of Triton's for ROCm becomes an object file.
func TestAMDGoldens(t *testing.T) {
	lib := load(t)
	if lib.Version().Major < 21 {
		txtest.LeftOut(t, "LLVM %v is older than the text of Triton's IR", lib.Version())
	}
	target, err := lib.AMDGPU("gfx942")
	txtest.Need(t, "llvm", err)
	for _, path := range txtest.Glob(t, "testdata/golden/hip-gfx942/*.llir") {
		name := filepath.Base(path)
		if testing.Short() && name != "add_f32.llir" {
			continue
		}
		out, err := lib.Compile(context.Background(), []byte(txtest.Read(t, path)),
			Options{Name: name, Target: target, Emit: EmitObj})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		t.Logf("%-30s %6.1f ms", name, ms(out.Times.Total()))
		if !bytes.HasPrefix(out.Obj, []byte("\x7fELF")) {
			t.Errorf("%s: no object file", name)
		}
	}
}
