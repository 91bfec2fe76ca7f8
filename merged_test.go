package nereid_test

import (
	"testing"

	"github.com/nereid-lang/nereid"
)

// On a GPU, code of merged programs is loaded when the first large launch comes that it can serve.
func TestStubMerged(t *testing.T) {
	onStub(t, func(t *testing.T, s *nereid.Stream, calls func() map[string]int) {
		m, err := nereid.Load("kernels/vector_add.py")
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("add_kernel")
		if err != nil {
			t.Fatal(err)
		}
		x, err := nereid.New(s.Device(), nereid.Float32, 4096)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		calls()
		const large = 1 << 20
		type launch struct{ programs, loads int }
		for i, c := range []launch{{1, 1}, {large + 1, 0}, {large, 1}, {large, 0}, {1, 0}, {large, 0}} {
			if err := k.Launch(s, nereid.Grid{c.programs}, x, x, x, 4096, 256); err != nil {
				t.Fatal(err)
			}
			if got := calls(); got["cuModuleLoadDataEx"] != c.loads {
				t.Errorf("launch %d, %d programs: %v", i, c.programs, got)
			}
		}
	})
}
