package lower

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// Triton's own TTGIR goes through our lowering and LLVM to PTX.
func TestGoldens(t *testing.T) {
	lib, err := llvm.Load()
	if err != nil {
		t.Skip(err)
	}
	for _, path := range txtest.Glob(t, "testdata/golden/cuda-80/*.ttgir") {
		name := strings.TrimSuffix(filepath.Base(path), ".ttgir")
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			m, err := ir.Parse(diag.NewFileSet(), path, src)
			if err != nil {
				t.Fatal(err)
			}
			var kernel string
			for n := range m.Symbols() {
				kernel = n
			}
			k, err := Lower(m, kernel, Options{Capability: 80})
			if err != nil {
				t.Skip(err)
			}
			target, err := lib.NVPTX("sm_80", 0)
			if err != nil {
				t.Fatal(err)
			}
			out, err := lib.Compile(context.Background(), k.IR, llvm.Options{Target: target})
			if err != nil {
				t.Fatalf("%v\n%s", err, k.IR)
			}
			if !strings.Contains(string(out.Asm), ".entry "+kernel) {
				t.Errorf("no entry in\n%s", out.Asm)
			}
		})
	}
}
