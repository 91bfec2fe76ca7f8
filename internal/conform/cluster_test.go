package conform

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestConformClusters runs a part of the cases with programs of several blocks, on the simulated GPU or on
// the one that -device names, another part at each commit. All of them: -num-ctas, NEREID_TEST_PART=all.
func TestConformClusters(t *testing.T) {
	chosen := txtest.Sample(t, 192)
	dev := hopper(t)
	for _, n := range []int{2, 4, 16} {
		var some []*testCase
		for i, c := range all() {
			if chosen(i+n) && !c.refused && !c.compile && c.gpuless == "" {
				some = append(some, c)
			}
		}
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			parallel(t, some, func(t *testing.T, c *testCase) {
				if err := c.run(dev, nereid.Options{NumCTAs: n}); err != nil {
					t.Errorf("%v\n%s", err, c.show())
				}
			})
		})
	}
}

// TestClusters runs kernels, in which data crosses from block to block in every way, with clusters of 2 and
// 4 blocks on the simulated GPU. The interpreter, which knows no blocks, says what is right.
func TestClusters(t *testing.T) {
	runClusters(t, opened(t, "sim:90")[0], []nereid.Options{{NumCTAs: 2}, {NumCTAs: 4, NumWarps: 2}})
}

// TestClustersCUDA does the same on a GPU.
func TestClustersCUDA(t *testing.T) {
	runClusters(t, opened(t, "cuda:0")[0], []nereid.Options{{NumCTAs: 1}, {NumCTAs: 2},
		{NumCTAs: 4, NumWarps: 2}, {NumCTAs: 8, NumWarps: 8}})
}

// clusterCase is a launch: each element of sizes is a tensor of so many int32 or float32, filled with
// numbers.
type clusterCase struct {
	name, body string
	dtype      nereid.DType
	sizes      []int
	grid       nereid.Grid
}

func runClusters(t *testing.T, dev *nereid.Device, opts []nereid.Options) {
	judge := interpreter(t)
	for _, c := range clusterCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := c.kernel(t)
			want, err := c.run(k, judge, nereid.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(c.name, "reduce/") { // more partial results than a thread reads alone
				opts = append(slices.Clone(opts), nereid.Options{NumCTAs: 4, NumWarps: 8})
			}
			for _, o := range opts {
				got, err := c.run(k, dev, o)
				if err != nil && strings.Contains(err.Error(), "compute capability") {
					txtest.LeftOut(t, "%v", err)
				}
				if err != nil {
					t.Fatalf("%+v: %v", o, err)
				}
				if err := c.compare(got, want); err != nil {
					t.Errorf("num_ctas=%d, num_warps=%d: %v", o.NumCTAs, o.NumWarps, err)
				}
			}
		})
	}
}

// kernel compiles the body, in which tensors are p0, p1 and so on.
func (c *clusterCase) kernel(t *testing.T) *nereid.Kernel {
	t.Helper()
	return bodyKernel(t, clusterHelpers, c.body, len(c.sizes), nil)
}

// bodyKernel is a kernel with the given body, whose parameters are so many tensors, p0, p1 and so on, and
// others.
func bodyKernel(t *testing.T, helpers, body string, tensors int, others []string,
	opts ...nereid.LoadOption) *nereid.Kernel {
	t.Helper()
	var params []string
	for i := range tensors {
		params = append(params, fmt.Sprintf("p%d", i))
	}
	text := helpers + fmt.Sprintf("\n@triton.jit\ndef k(%s):\n",
		strings.Join(append(params, others...), ", "))
	return kernelOf(t, text, body, opts...)
}

// run launches the kernel on numbers that are always the same, and is what the tensors hold then.
func (c *clusterCase) run(k *nereid.Kernel, dev *nereid.Device, o nereid.Options) ([][]byte, error) {
	r := rand.New(rand.NewPCG(1, 2))
	values := []any{}
	var tensors []*nereid.Tensor
	for _, n := range c.sizes {
		data := make([]byte, 4*n)
		for i := range n {
			v := uint32(r.IntN(15))
			if c.dtype == nereid.Float32 {
				v = math.Float32bits(float32(v) - 7)
			}
			binary.LittleEndian.PutUint32(data[4*i:], v)
		}
		x, err := nereid.NewTensor(dev, c.dtype, n)
		if err != nil {
			return nil, err
		}
		defer x.Close()
		if err := x.CopyBytesFrom(data); err != nil {
			return nil, err
		}
		tensors, values = append(tensors, x), append(values, x)
	}
	s, err := dev.NewStream(context.Background())
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if err := k.Launch(s, c.grid, append(values, o)...); err != nil {
		return nil, err
	}
	if err := s.Sync(); err != nil {
		return nil, err
	}
	var out [][]byte
	for i, x := range tensors {
		data := make([]byte, 4*c.sizes[i])
		if err := x.CopyBytesTo(data); err != nil {
			return nil, err
		}
		out = append(out, data)
	}
	return out, nil
}

// compare allows for sums in another order.
func (c *clusterCase) compare(got, want [][]byte) error {
	for i := range got {
		for j := 0; j < len(got[i]); j += 4 {
			g, w := binary.LittleEndian.Uint32(got[i][j:]), binary.LittleEndian.Uint32(want[i][j:])
			if g == w {
				continue
			}
			x, y := float64(math.Float32frombits(g)), float64(math.Float32frombits(w))
			if c.dtype != nereid.Float32 {
				x, y = float64(int32(g)), float64(int32(w))
			}
			if c.dtype != nereid.Float32 || math.Abs(x-y) > 1e-4*max(1, math.Abs(y)) {
				return fmt.Errorf("element %d of p%d is %v, not %v", j/4, i, x, y)
			}
		}
	}
	return nil
}

const clusterHelpers = `
@triton.jit
def add(a, b):
    return a + b

@triton.jit
def best(v0, i0, v1, i1):
    first = (v0 > v1) | ((v0 == v1) & (i0 < i1))
    return tl.where(first, v0, v1), tl.where(first, i0, i1)

@triton.jit
def grid2(M: tl.constexpr, N: tl.constexpr):
    return tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]

@triton.jit(noinline=True)
def total(p):
    return tl.sum(tl.load(p + tl.arange(0, 512)), 0)
`

var clusterCases = slices.Concat(
	clusterFamily("elementwise", nereid.Float32, nereid.Grid{3, 1, 1}, map[string]string{
		"add": `
i = tl.program_id(0) * 512 + tl.arange(0, 512)
x = tl.load(p0 + i, mask=i < 1500, other=1.0)
tl.store(p1 + i, x * 2 + 1, mask=i < 1499)`,
		"outer": `
x = tl.load(p0 + tl.arange(0, 64)); y = tl.load(p0 + 64 + tl.arange(0, 16))
tl.store(p1 + grid2(64, 16), x[:, None] * y[None, :])`,
		"small":  `tl.store(p1 + tl.program_id(0) * 2 + tl.arange(0, 2), tl.load(p0 + tl.arange(0, 2)))`,
		"scalar": `tl.store(p1 + tl.program_id(0), tl.load(p0 + tl.program_id(0)) + tl.num_programs(0))`,
	}),
	clusterFamily("programs", nereid.Int32, nereid.Grid{2, 3, 2}, map[string]string{
		"ids": `
n = (tl.program_id(2) * tl.num_programs(1) + tl.program_id(1)) * tl.num_programs(0) + tl.program_id(0)
tl.store(p1 + n * 64 + tl.arange(0, 64), tl.arange(0, 64) + n + tl.num_programs(2) * 1000)`,
	}),
	clusterFamily("reduce", nereid.Float32, nereid.Grid{1, 1, 1}, map[string]string{
		"rows":    "x = tl.load(p0 + grid2(32, 32))\ntl.store(p1 + tl.arange(0, 32), tl.sum(x, 1))",
		"columns": "x = tl.load(p0 + grid2(32, 32))\ntl.store(p1 + tl.arange(0, 32), tl.sum(x, 0))",
		"all": "x = tl.load(p0 + grid2(32, 32))\ntl.store(p1, tl.sum(x))\ntl.store(p1 + 1, " +
			"tl.max(tl.load(p0 + tl.arange(0, 1024)), 0))",
		"wide": "x = tl.load(p0 + grid2(2, 512))\ntl.store(p1 + tl.arange(0, 2), tl.sum(x, 1))\n" +
			"tl.store(p1 + 2 + tl.arange(0, 512), tl.max(x, 0))",
		"deep": `
x = tl.load(p0 + tl.arange(0, 1024)).reshape(8, 4, 32)
tl.store(p1 + grid2(4, 32), tl.sum(x, 0))
tl.store(p1 + 128 + grid2(8, 32), tl.sum(x, 1))
tl.store(p1 + 384 + grid2(8, 4), tl.sum(x, 2))`,
		"tuple": `
x = tl.load(p0 + grid2(64, 16))
i = tl.broadcast_to(tl.arange(0, 64)[:, None], (64, 16))
v, w = tl.reduce((x, i), 0, best)
tl.store(p1 + tl.arange(0, 16), v); tl.store(p1 + 16 + tl.arange(0, 16), w)
tl.store(p1 + 64 + tl.arange(0, 64), tl.argmin(x, 1))`,
		"softmax": `
x = tl.load(p0 + grid2(4, 256))
x = tl.exp(x - tl.max(x, 1)[:, None])
tl.store(p1 + grid2(4, 256), x / tl.sum(x, 1)[:, None])`,
		"loop": `
acc = tl.zeros((64,), tl.float32)
for i in range(4):
    x = tl.load(p0 + i * 256 + grid2(64, 4))
    acc += tl.sum(x, 1) * tl.sum(x)
tl.store(p1 + tl.arange(0, 64), acc)`,
		"branch": `
x = tl.load(p0 + tl.arange(0, 256))
if tl.sum(x) > 1000:
    x = x - tl.max(x, 0)
else:
    x = x + tl.min(x, 0)
tl.store(p1 + tl.arange(0, 256), x)`,
		"call": `
a = total(p0)
b = total(p0 + 512)
tl.store(p1, a * b)`,
		"half": "x = tl.load(p0 + grid2(32, 32)).to(tl.float16)\ntl.store(p1 + tl.arange(0, 32), " +
			"tl.sum(x, 0).to(tl.float32))",
	}),
	clusterFamily("scan", nereid.Int32, nereid.Grid{1, 1, 1}, map[string]string{
		"line":    "tl.store(p1 + tl.arange(0, 1024), tl.cumsum(tl.load(p0 + tl.arange(0, 1024)), 0))",
		"rows":    "tl.store(p1 + grid2(16, 64), tl.cumsum(tl.load(p0 + grid2(16, 64)), 1))",
		"columns": "tl.store(p1 + grid2(16, 64), tl.cumsum(tl.load(p0 + grid2(16, 64)), 0))",
		"reverse": "tl.store(p1 + grid2(16, 64), tl.cumsum(tl.load(p0 + grid2(16, 64)), 0, reverse=True))",
		"custom": `
x = tl.load(p0 + grid2(64, 16))
i = tl.broadcast_to(tl.arange(0, 64)[:, None], (64, 16))
v, w = tl.associative_scan((x, i), 0, best)
tl.store(p1 + grid2(64, 16), v * 100 + w)`,
		"twice": "x = tl.cumsum(tl.load(p0 + tl.arange(0, 256)), 0)\ntl.store(p1 + tl.arange(0, 256), " +
			"tl.cumsum(x, 0))",
	}),
	clusterFamily("dot", nereid.Float32, nereid.Grid{1, 1, 1}, map[string]string{
		"half": `
a = tl.load(p0 + grid2(32, 32)).to(tl.float16); b = tl.load(p1 + grid2(32, 32)).to(tl.float16)
tl.store(p2 + grid2(32, 32), tl.dot(a, b))`,
		"tf32": "tl.store(p2 + grid2(32, 32), tl.dot(tl.load(p0 + grid2(32, 32)), tl.load(p1 + " +
			"grid2(32, 32))))",
		"ieee": "tl.store(p2 + grid2(32, 32), tl.dot(tl.load(p0 + grid2(32, 32)), tl.load(p1 + grid2(32, " +
			"32)), input_precision='ieee'))",
		"loop": `
acc = tl.zeros((32, 32), tl.float32)
for k in range(2):
    a = tl.load(p0 + tl.arange(0, 32)[:, None] * 32 + k * 16 + tl.arange(0, 16)[None, :]).to(tl.float16)
    b = tl.load(p1 + k * 512 + grid2(16, 32)).to(tl.float16)
    acc = tl.dot(a, b, acc)
tl.store(p2 + grid2(32, 32), acc)`,
		"chain": `
a = tl.load(p0 + grid2(32, 32)).to(tl.float16); b = tl.load(p1 + grid2(32, 32)).to(tl.float16)
c = tl.dot(a, b)
c = (c.to(tl.int32) % 9).to(tl.float16)
tl.store(p2 + grid2(32, 32), tl.dot(c, tl.trans(b)))`,
	}),
	clusterFamily("atomic", nereid.Int32, nereid.Grid{3, 1, 1}, map[string]string{
		"add":   "tl.atomic_add(p1 + tl.arange(0, 256), tl.load(p0 + tl.arange(0, 256)))",
		"few":   "tl.atomic_add(p1 + tl.arange(0, 2), tl.load(p0 + tl.arange(0, 2)))",
		"one":   "tl.atomic_add(p1, 1)\ntl.atomic_max(p1 + 1, tl.program_id(0) + 100)",
		"masks": "i = tl.arange(0, 64)\ntl.atomic_add(p1 + i % 8, i, mask=i > 20)",
	}),
	clusterFamily("atomic-result", nereid.Int32, nereid.Grid{1, 1, 1}, map[string]string{
		"tensor": "x = tl.atomic_add(p1 + tl.arange(0, 256), tl.load(p0 + tl.arange(0, 256)))\n" +
			"tl.store(p2 + tl.arange(0, 256), x)",
		"few": "x = tl.atomic_add(p1 + tl.arange(0, 2), 5)\ntl.store(p2 + tl.arange(0, 64), tl.sum(x, " +
			"0) + tl.arange(0, 64))",
		"scalar": "x = tl.atomic_add(p1, 5)\ny = tl.atomic_cas(p1 + 1, 100, 7)\ntl.store(p2 + " +
			"tl.arange(0, 256), x + y + tl.arange(0, 256))",
		"rows": "x = tl.atomic_max(p1 + tl.arange(0, 16)[:, None] + tl.zeros((16, 1), tl.int32), 9)\n" +
			"tl.store(p2 + grid2(16, 32), x + grid2(16, 32))",
	}),
	clusterFamily("lock", nereid.Int32, nereid.Grid{4, 1, 1}, map[string]string{
		"spin": `
lock = p1 + 1000
tl.atomic_xchg(p1 + 1001, 0)
if tl.program_id(0) == 0:
    tl.atomic_xchg(lock, 0)
while tl.atomic_cas(lock, 0, 1) != 0: # until the first program has come, whatever is there
    pass
x = tl.load(p1 + tl.arange(0, 256), volatile=True)
tl.store(p1 + tl.arange(0, 256), x + tl.load(p0 + tl.arange(0, 256)))
tl.debug_barrier()
tl.atomic_xchg(lock, 0)`,
	}),
	clusterFamily("move", nereid.Int32, nereid.Grid{1, 1, 1}, map[string]string{
		"transpose": "x = tl.load(p0 + grid2(32, 32))\ntl.store(p1 + grid2(32, 32), tl.trans(x) + x)",
		"turn":      "x = tl.load(p0 + grid2(8, 128))\ntl.store(p1 + grid2(128, 8), tl.trans(x))",
		"cat": "x = tl.load(p0 + tl.arange(0, 128)); y = tl.load(p0 + 128 + tl.arange(0, 128))\n" +
			"tl.store(p1 + tl.arange(0, 256), tl.sort(tl.cat(x, y, can_reorder=True)))",
		"join": "x = tl.load(p0 + tl.arange(0, 256)); y = tl.load(p0 + 256 + tl.arange(0, 256))\n" +
			"tl.store(p1 + grid2(256, 2), tl.join(x, y))",
		"split": "a, b = tl.split(tl.load(p0 + grid2(256, 2)))\ntl.store(p1 + tl.arange(0, 256), a)\n" +
			"tl.store(p1 + 256 + tl.arange(0, 256), b)",
		"reshape": "x = tl.load(p0 + tl.arange(0, 1024)).reshape(4, 16, 16)\ntl.store(p1 + tl.arange(0, " +
			"1024), tl.permute(x, (2, 0, 1)).reshape(1024))",
		"weave": "x = tl.load(p0 + tl.arange(0, 256)); y = tl.load(p0 + 256 + tl.arange(0, 256))\n" +
			"tl.store(p1 + tl.arange(0, 512), tl.interleave(x, y))",
		"flip": "tl.store(p1 + grid2(16, 16), tl.flip(tl.load(p0 + grid2(16, 16)), 0))",
		"sort": "tl.store(p1 + grid2(4, 64), tl.sort(tl.load(p0 + grid2(4, 64))))\ntl.store(p1 + 512 + " +
			"tl.arange(0, 256), tl.sort(tl.load(p0 + tl.arange(0, 256)), descending=True))",
		"gather": `
x = tl.load(p0 + grid2(32, 32)); i = tl.load(p0 + 1024 + grid2(32, 32))
tl.store(p1 + grid2(32, 32), tl.gather(x, i, 0))
tl.store(p1 + 1024 + grid2(32, 32), tl.gather(x, i, 1))`,
		"gather-line": "x = tl.load(p0 + tl.arange(0, 16)); i = tl.load(p0 + 1024 + tl.arange(0, " +
			"256))\ntl.store(p1 + tl.arange(0, 256), tl.gather(x, i, 0))",
		"histogram": "x = tl.load(p0 + tl.arange(0, 512))\ntl.store(p1 + tl.arange(0, 16), " +
			"tl.histogram(x, 16))\ntl.store(p1 + 16 + tl.arange(0, 8), tl.histogram(tl.load(p0 + " +
			"tl.arange(0, 2)) % 8, 8))",
		"histogram-mask": "x = tl.load(p0 + tl.arange(0, 512))\ntl.store(p1 + tl.arange(0, 16), " +
			"tl.histogram(x, 16, mask=tl.arange(0, 512) < 77))",
		"alias": "x = tl.load(p0 + tl.arange(0, 256))\nfor i in range(3):\n    x = tl.gather(x, 255 - " +
			"tl.arange(0, 256), 0) + tl.sum(x, 0) % 7\ntl.store(p1 + tl.arange(0, 256), x)",
	}),
)

// clusterFamily is cases of a kind; each has three tensors of 2048 elements.
func clusterFamily(name string, dt nereid.DType, grid nereid.Grid, bodies map[string]string) []clusterCase {
	var out []clusterCase
	for n, body := range bodies {
		out = append(out, clusterCase{name + "/" + n, body, dt, []int{2048, 2048, 2048}, grid})
	}
	slices.SortFunc(out, func(a, b clusterCase) int { return strings.Compare(a.name, b.name) })
	return out
}
