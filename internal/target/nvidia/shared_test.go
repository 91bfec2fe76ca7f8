package nvidia

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lower"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestShared: no sample kernel asks for more shared memory than Triton's, plus 5%.
func TestShared(t *testing.T) {
	for _, capability := range []int{80, 90} {
		c := Compiler{Capability: capability}
		dir := "testdata/golden/" + strings.Replace(c.name(), ":", "-", 1) + "/"
		for _, path := range txtest.Glob(t, dir+"*.ttir") {
			name := strings.TrimSuffix(filepath.Base(path), ".ttir")
			var meta struct {
				Name      string
				Shared    int
				NumWarps  int `json:"num_warps"`
				NumStages int `json:"num_stages"`
			}
			if err := json.Unmarshal([]byte(txtest.Read(t, strings.TrimSuffix(path, "ttir")+"json")),
				&meta); err != nil {
				t.Fatal(err)
			}
			got := sharedOf(t, c, path, meta.Name,
				target.Options{NumWarps: meta.NumWarps, NumStages: meta.NumStages, NumCTAs: 1})
			t.Logf("%s %-22s %6d bytes, Triton %6d", c.name(), name, got, meta.Shared)
			if got > meta.Shared+meta.Shared/20 {
				t.Errorf("%s %s: %d bytes of shared memory, Triton's has %d", c.name(), name, got,
					meta.Shared)
			}
		}
	}
}

func sharedOf(t *testing.T, c Compiler, path, kernel string, o target.Options) int {
	t.Helper()
	m, err := ir.Parse(diag.NewFileSet(), path, []byte(txtest.Read(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	in := &target.Input{Module: m, Kernel: kernel, Options: o}
	if _, err := c.ttgir(in, nil); err != nil {
		t.Fatal(err)
	}
	k, err := lower.Lower(m, kernel, c.lowerOptions(m))
	if err != nil {
		t.Fatal(err)
	}
	return k.Shared
}
