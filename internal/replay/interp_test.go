package replay

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/target/interp"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestInterpreter replays a launch of each kernel on the interpreter, from the TTIR that Triton made for
// it. Whether our own front end makes the same of the source is tested elsewhere.
func TestInterpreter(t *testing.T) {
	files, err := filepath.Glob("testdata/*.ttir")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".ttir")
		t.Run(name, func(t *testing.T) {
			c, err := Read(txtest.Path(t, "testdata", "replay", name+".safetensors"))
			if err != nil {
				t.Fatal(err)
			}
			for _, workers := range []int{1, 3} {
				worst, err := c.Compare(interpret(t, c, txtest.Read(t, file), workers))
				if err != nil {
					t.Error(err)
				}
				t.Logf("largest difference %.2g", worst)
			}
		})
	}
}

// interpret runs a case from its IR and returns memory after the launch. Integers that are 1 are folded
// into the IR.
func interpret(t *testing.T, c *Case, text string, workers int) map[string][]byte {
	t.Helper()
	m, err := ir.Parse(diag.NewFileSet(), c.Kernel, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := interp.Compile(m, c.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	mem, got, addr := interp.NewMemory(), map[string][]byte{}, map[string]uint64{}
	for s, b := range c.Before {
		got[s] = slices.Clone(b)
		addr[s] = mem.Alloc(got[s], s).Addr()
	}
	opts := interp.Options{Workers: workers, TF32: true, TrackRaces: workers == 1}
	if err := p.Run(context.Background(), mem, c.Grid, c.Words(addr), opts); err != nil {
		t.Fatal(err)
	}
	return got
}
