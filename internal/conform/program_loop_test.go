package conform

import (
	"testing"

	"github.com/nereid-lang/nereid"
)

// loopedCase is a kernel of one loop of products of tiles: what is before it, in it and behind it.
type loopedCase struct {
	name                 string
	before, each, behind string
	grids                []nereid.Grid
	stays                bool
	of                   *dtype // of what is stored; the copy engine stores 16 bits
}

// TestLoopedPrograms runs products of tiles whose programs stay on their SMs and do the work of many, on the
// simulated sm_90, which has two of them: grids of one to three dimensions, loops without iterations, what is
// loaded and computed behind the loop, and kernels that must stay as they are. The interpreter says what is
// right. With -device, they run on that device; without it, every other one at each commit.
func TestLoopedPrograms(t *testing.T) {
	chosen := sampleHere(t, 2)
	for i, c := range loopedCases {
		if !chosen(i) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			testStaying(t, c, i, c.grids, []int{96, 32, 64, 0}, c.stays)
		})
	}
}

var loopedCases = []*loopedCase{
	{"plain", "", "", "", []nereid.Grid{{5}, {3, 2}, {2, 1, 2}, {3}, {1}}, true, f32},
	{"16 bits", "", "", "", []nereid.Grid{{5}, {3, 2}, {2, 1, 2}, {3}, {1}}, true, f16},
	{"16 bits, more behind", "", "", "acc += tl.load(z + p * 256 + cols)[None, :]",
		[]nereid.Grid{{5}, {3}}, true, f16},
	{"more behind", "", "",
		"acc = tl.maximum(acc + tl.load(z + p * 256 + cols)[None, :], tl.max(acc, 1)[:, None])",
		[]nereid.Grid{{4, 2}, {1, 3}, {3}}, true, f32},
	{"a number of the loop", "part = p * 3", "part += 1", "acc += part",
		[]nereid.Grid{{4}, {2, 2}}, true, f32},
	{"loops of different lengths", "depth = tl.minimum(depth, p * 64)", "", "",
		[]nereid.Grid{{5}}, false, f32},
	{"a start", "acc += tl.load(z + p)", "", "", []nereid.Grid{{3}}, false, f32},
	{"an order", "", "", "tl.atomic_add(z + 4096, 1.0)", []nereid.Grid{{3}}, false, f32},
}

func (c *loopedCase) kernel(t *testing.T, conf nereid.Config) *nereid.Kernel {
	t.Helper()
	return kernelOf(t, `
@triton.jit
def k(x, out, y, z, depth, sx, sy):
    p, h, g = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    number = (g * tl.num_programs(1) + h) * tl.num_programs(0) + p
    rows, cols, deep = tl.arange(0, 128), tl.arange(0, 256), tl.arange(0, 32)
    acc = tl.zeros((128, 256), tl.float32)
`, c.before+`
for i in range(0, depth, 32):
    a = tl.load(x + (p * 128 + rows)[:, None] * sx + (i + deep)[None, :])
    b = tl.load(y + (i + deep)[:, None] * sy + ((h + g) * 256 + cols)[None, :])
    acc = tl.dot(a, b, acc)
    `+c.each+`
`+c.behind+`
tl.store(out + number * 32768 + rows[:, None] * 256 + cols[None, :], acc)
`, nereid.With(conf))
}

// run launches a grid and returns what its programs have stored.
func (c *loopedCase) run(t *testing.T, k *nereid.Kernel, dev *nereid.Device, grid nereid.Grid, depth int,
	o nereid.Options) []byte {
	t.Helper()
	b, bias := lend(t, dev, numbers(f16, 192*1024)), lend(t, dev, numbers(f32, 8192))
	x, out := numbers(f16, 1024*256), newArray(c.of, 8*32768)
	return leaves(t, k, dev, grid, x, out, b, bias, depth, 256, 1024, o)
}
