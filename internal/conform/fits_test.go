package conform

import (
	"testing"
	"testing/fstest"

	"github.com/nereid-lang/nereid"
)

// fitsSource is a product with a block of other numbers added to it, whose exchange between layouts takes
// shared memory besides the pipeline and the tile that is stored.
const fitsSource = `
import triton
import triton.language as tl


@triton.jit
def addmm(a, b, x, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    j = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for s in range(0, K, BK):
        left = tl.load(a + i * K + (s + k)[None, :], mask=(i < M) & ((s + k)[None, :] < K), other=0.0)
        right = tl.load(b + (s + k)[:, None] * N + j, mask=((s + k)[:, None] < K) & (j < N), other=0.0)
        acc += tl.dot(left, right)
    inside = (i < M) & (j < N)
    acc = acc * 2.0 + tl.load(x + i * N + j, mask=inside, other=0.0)
    tl.store(c + i * N + j, acc.to(c.dtype.element_ty), mask=inside)
`

// TestFits launches a product for which all transformations together ask for more shared memory than a block
// has. The compiler does without some of them.
func TestFits(t *testing.T) {
	mod, err := nereid.LoadFS(fstest.MapFS{"fits.py": {Data: []byte(fitsSource)}}, "fits.py")
	if err != nil {
		t.Fatal(err)
	}
	const m, n, k = 512, 512, 64
	f16 := func(a, b int64) tile { return tile{dtype: nereid.Float16, shape: []int64{a, b}} }
	d := described{"addmm", nereid.Grid{m / 128, n / 256}, nereid.Options{NumWarps: 8, NumStages: 3}, 0,
		[]any{f16(m, k), f16(k, n), f16(m, n), f16(m, n), m, n, k, 128, 256, 64}}
	want, got := d.run(t, mod, interpreter(t)), d.run(t, mod, hopper(t))
	if i := differ(want[3], got[3], 0); i >= 0 {
		t.Errorf("element %d is %v, not %v", i, got[3][i], want[3][i])
	}
}
