package nereid_test

import (
	"math/rand/v2"
	"testing"

	"github.com/nereid-lang/nereid"
)

const kinds = `
import triton
import triton.language as tl

@triton.jit
def kinds(x, a, b):
    tl.store(x, tl.cast(a, tl.float64))
    tl.store(x + 1, tl.cast(b, tl.float64))
`

// TestKindsInTurn: a number's kind may change from launch to launch: truth values, integers of several sizes,
// floats. Each launch gets code for its own, whatever launches came before.
func TestKindsInTurn(t *testing.T) {
	numbers := []struct {
		arg  any
		want float64
	}{{true, 1}, {false, 0}, {1, 1}, {16, 16}, {17, 17}, {-3, -3}, {1 << 40, 1 << 40}, {2.5, 2.5}, {1.0, 1},
		{int64(7), 7}, {uint8(200), 200}, {float32(0.5), 0.5}}
	for _, name := range []string{"cpu", "interp"} {
		s := stream(t, name)
		k := kernelOf(t, "kinds.py", kinds, "kinds", nereid.With(nereid.Config{}))
		r := rand.New(rand.NewPCG(1, 41))
		x := make([]float64, 2)
		out := nereid.FromSlice(x)
		for i := range 400 {
			a, b := numbers[r.IntN(len(numbers))], numbers[r.IntN(len(numbers))]
			for range 1 + r.IntN(3) { // so that there is a short cut
				if err := k.Launch(s, nereid.Grid{1}, out, a.arg, b.arg); err != nil {
					t.Fatal(err)
				}
				if err := s.Sync(); err != nil {
					t.Fatal(err)
				}
				if x[0] != a.want || x[1] != b.want {
					t.Fatalf("%s, launch %d: %T %v and %T %v are %v", name, i, a.arg, a.arg, b.arg, b.arg, x)
				}
			}
		}
	}
}
