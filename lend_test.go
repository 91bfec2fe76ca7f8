package nereid_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nereid-lang/nereid"
)

const partsKernel = `
import triton
import triton.language as tl

@triton.jit
def parts(out, a, na, b, nb, c, nc, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(a + i, mask=i < na, other=0) + 3 * tl.load(b + i, mask=i < nb, other=0)
    tl.store(out + i, v + 5 * tl.load(c + i, mask=i < nc, other=0))
`

// TestLentParts: arguments that are parts of one slice of the host, at random, some of which begin at the
// same place and end elsewhere, are read to their ends and give what copies of them give, on every device
// that host memory is lent to, also where accesses are checked.
func TestLentParts(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 1))
	data := make([]int32, 64)
	for i := range data {
		data[i] = r.Int32N(1000)
	}
	for _, device := range []string{"interp", "cpu", "sim:90"} {
		s := stream(t, device)
		for _, opts := range []nereid.Options{{}, {Check: true}} {
			if opts.Check && device != "cpu" { // the others always check
				continue
			}
			k := kernelOf(t, "parts.py", partsKernel, "parts")
			for range 12 {
				parts, want := make([][]int32, 3), make([]int32, 64)
				for j := range parts {
					begin := 4 * r.IntN(3)
					parts[j] = data[begin : begin+1+r.IntN(len(data)-begin)]
					for i, v := range parts[j] {
						want[i] += int32(2*j+1) * v
					}
				}
				out := make([]int32, 64)
				args := []any{nereid.FromSlice(out)}
				for _, p := range parts {
					args = append(args, nereid.FromSlice(p), len(p))
				}
				if err := k.Launch(s, nereid.Grid{1}, append(args, 64, opts)...); err != nil {
					t.Fatalf("%s: %v", device, err)
				}
				if err := s.Sync(); err != nil || !slices.Equal(out, want) {
					t.Fatalf("%s, parts of %d, %d and %d: %v\n%v\n%v", device, len(parts[0]), len(parts[1]),
						len(parts[2]), err, out, want)
				}
			}
		}
	}
}
