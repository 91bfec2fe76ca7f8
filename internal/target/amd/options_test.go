package amd

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/target"
)

// TestOptions reads the options that AMD's GPUs alone have.
func TestOptions(t *testing.T) {
	const all = "waves_per_eu=2,matrix_instr_nonkdim=16,kpack=2,schedule_hint=memory-bound-attention"
	o, err := Compiler{Chip: "gfx942"}.options(target.Options{Extra: all})
	if err != nil || o.lower.WavesPerEU != 2 || o.matmul.Tile != 16 || o.matmul.KPack != 2 || !o.lower.ILP {
		t.Errorf("%s: %+v, %v", all, o, err)
	}
	for _, bad := range []string{"schedule_hint=fast", "kpack=3", "kpack=x", "matrix_instr_nonkdim=8",
		"tiles=1"} {
		if _, err := (Compiler{Chip: "gfx942"}).options(target.Options{Extra: bad}); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}
