package conform

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

// persistCase is a kernel whose warp groups take turns. p, h and g are the program's numbers.
type persistCase struct {
	name  string
	stop  string // where the loop over blocks of 64 keys ends
	grids []nereid.Grid
	stays bool
}

// TestPersistent runs kernels whose programs stay on their SMs and do the work of many, on the simulated
// sm_90, which has two of them: loops of different lengths, loops without iterations, and grids of one to
// three dimensions. The interpreter says what is right. With -device, they run on that device; without it,
// every other one at each commit.
func TestPersistent(t *testing.T) {
	chosen := sampleHere(t, 2)
	for i, c := range persistCases {
		if !chosen(i) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			testStaying(t, c, i, c.grids, []int{192, 64, 256, 0}, c.stays)
		})
	}
}

// stayingCase is a kernel whose programs may stay on their SMs.
type stayingCase interface {
	kernel(*testing.T, nereid.Config) *nereid.Kernel
	// run launches a grid, with a loop of so many elements, and returns what its programs have stored.
	run(*testing.T, *nereid.Kernel, *nereid.Device, nereid.Grid, int, nereid.Options) []byte
}

// testStaying runs a case with each grid on the simulated sm_90 and the interpreter, with the sizes in turn
// and with 2 to 4 stages, from the number of the case on. stays says that some programs should stay.
func testStaying(t *testing.T, c stayingCase, number int, grids []nereid.Grid, sizes []int, stays bool) {
	t.Helper()
	dev, judge, dump := hopper(t), interpreter(t), t.TempDir()
	k := c.kernel(t, nereid.Config{Dump: dump})
	for j, grid := range grids {
		n := sizes[j%len(sizes)]
		o := nereid.Options{NumWarps: 8, NumStages: 2 + (number+j)%3}
		if !bytes.Equal(c.run(t, k, judge, grid, n, o), c.run(t, k, dev, grid, n, o)) {
			t.Errorf("grid %v, size %d, num_stages = %d: results differ", grid, n, o.NumStages)
		}
	}
	found := slices.ContainsFunc(dumpedTTGIR(t, dump), func(text string) bool {
		return strings.Contains(text, "nereid.persistent")
	})
	if found != stays && strings.HasPrefix(dev.String(), "sim") { // others have SMs enough for all
		t.Errorf("programs stay: %v", found)
	}
}

var persistCases = []*persistCase{
	{"all alike", "n", []nereid.Grid{{3, 2, 2}, {5}, {1, 3}, {2, 2}, {1}, {2}}, true},
	{"the longest first", "(p + 1) * 64", []nereid.Grid{{4, 3}, {3, 1, 2}, {1, 2}, {2, 5}}, true},
	{"some empty", "h % 2 * n", []nereid.Grid{{1, 5}, {2, 4}, {3, 3}, {1, 1, 4}}, true},
	{"the first empty", "(h * 2 + p) * 64 - 128", []nereid.Grid{{2, 3}, {1, 5}}, true},
	{"all empty", "min(n, 0)", []nereid.Grid{{5}}, true},
	{"an order", "n + tl.atomic_add(out + 786432, 0.0).to(tl.int32)", []nereid.Grid{{3, 2}}, false},
}

func (c *persistCase) kernel(t *testing.T, conf nereid.Config) *nereid.Kernel {
	t.Helper()
	return kernelOf(t, `
@triton.jit
def k(x, out, y, z, n, s):
    p, h, g = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    number = (g * tl.num_programs(1) + h) * tl.num_programs(0) + p
    rows, keys = tl.arange(0, 128), tl.arange(0, 64)
    narrow, wide = tl.arange(0, 32), tl.arange(0, 128)
    q = tl.load(x + (p * 128 + rows)[:, None] * 32 + narrow[None, :])
    acc = tl.zeros((128, 128), tl.float32)
    top = tl.zeros((128,), tl.float32)
`, `
for i in range(0, `+c.stop+`, 64):
    key = tl.load(y + (h + g) * s + (i + keys)[:, None] * 32 + narrow[None, :])
    value = tl.load(z + h * s + (i + keys)[:, None] * 128 + wide[None, :])
    score = tl.dot(q, tl.trans(key))
    top = tl.maximum(top, tl.max(score, 1))
    acc = tl.dot(tl.where(score > i - 40, 1.0, 2.0).to(tl.float16), value, acc)
tl.store(out + number * 16384 + rows[:, None] * 128 + wide[None, :], acc + top[:, None])
`, nereid.With(conf))
}

// run launches a grid and returns what its programs have stored.
func (c *persistCase) run(t *testing.T, k *nereid.Kernel, dev *nereid.Device, grid nereid.Grid, n int,
	o nereid.Options) []byte {
	t.Helper()
	keys, values := lend(t, dev, numbers(f16, 65536)), lend(t, dev, numbers(f16, 65536))
	return leaves(t, k, dev, grid, numbers(f16, 65536), newArray(f32, 786448), keys, values, n, 1024, o)
}
