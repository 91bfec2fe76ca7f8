package nereid_test

import (
	"testing"

	"github.com/nereid-lang/nereid"
)

// On a GPU, code is loaded when a launch first has a number of programs that it is for.
func TestStubDeeper(t *testing.T) {
	onStub(t, func(t *testing.T, s *nereid.Stream, calls func() map[string]int) {
		m, err := nereid.Load("kernels/matmul.py")
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("matmul_kernel")
		if err != nil {
			t.Fatal(err)
		}
		x, err := nereid.New(s.Device(), nereid.Float16, 64, 64)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		calls()
		type launch struct{ programs, loads int }
		launches := []launch{{1, 1}, {1, 0}, {100_000, 1}, {100_000, 0}, {1, 0}, {2, 0}}
		for i, c := range launches {
			err := k.Launch(s, nereid.Grid{c.programs}, x, x, x, 64, 64, 64, 64, 1, 64, 1, 64, 1,
				64, 64, 32, 8, "", nereid.Options{NumWarps: 4, NumStages: 3})
			if err != nil {
				t.Fatal(err)
			}
			if got := calls(); got["cuModuleLoadDataEx"] != c.loads {
				t.Errorf("launch %d, %d programs: %v", i, c.programs, got)
			}
		}
	})
}
