package conform

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

// pipelineCase is a kernel with a loop that is worth a software pipeline. Its tensors are p0, p1 and so on,
// its last argument is n, the number of iterations. All numbers are small and whole: what is right is so to
// the bit.
type pipelineCase struct {
	name   string
	sizes  []string // fp16:1024
	body   string
	counts []int // numbers of iterations, instead of the test's own
}

// TestPipelined runs loops with few and many iterations, and pipelines of several depths, on simulated
// GPUs. The interpreter, which knows no pipelines, says what is right; the simulator finds who reads a
// buffer too early or overwrites it too soon. Each number of iterations meets one device and one depth, the
// largest also sm_90, whose products run on as the next iteration begins, and all depths; with -device, each
// meets that device and all depths. Without it, a third of the loops run at each commit.
func TestPipelined(t *testing.T) {
	chosen := sampleHere(t, 3)
	opts := []nereid.Options{{NumStages: 2}, {NumStages: 3, NumWarps: 8}, {NumStages: 4}, {NumStages: 1},
		{NumStages: 5}}
	devices, judge := gpus(t, "sim:80", "sim:90"), interpreter(t)
	for i, c := range pipelineCases {
		if !chosen(i) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := c.kernel(t)
			counts := c.iterations(0, 1, 2, 3, 6)
			for j, n := range counts {
				dev, some := devices[(i+j)%len(devices)], opts[(i+j)%3:][:1]
				if len(devices) == 1 {
					some = opts
				}
				c.agree(t, k, judge, dev, n, some...)
			}
			if len(devices) > 1 {
				c.agree(t, k, judge, devices[1], counts[len(counts)-1], opts...)
			}
		})
	}
}

// iterations returns the case's numbers of iterations, or else the test's own.
func (c *pipelineCase) iterations(own ...int) []int {
	if c.counts != nil {
		return c.counts
	}
	return own
}

// agree runs a kernel with n iterations, by some options, and compares what it leaves with what it leaves on
// the device that judges.
func (c *pipelineCase) agree(t *testing.T, k *nereid.Kernel, judge, dev *nereid.Device, n int,
	opts ...nereid.Options) {
	t.Helper()
	want, err := c.run(k, judge, n, nereid.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range opts {
		c.compare(t, k, dev, n, o, want)
	}
}

// ttgir returns the TTGIR of a kernel for sm_90.
func (c *pipelineCase) ttgir(t *testing.T, k *nereid.Kernel, o nereid.Options) string {
	t.Helper()
	signature := ""
	for _, s := range c.sizes {
		name, _, _ := strings.Cut(s, ":")
		signature += "*" + name + ":16, "
	}
	got, err := k.CompileFor(t.Context(), "cuda:90", signature+"i32", o, "ttgir")
	if err != nil {
		t.Fatal(err)
	}
	return string(got.Stage("ttgir"))
}

// compare runs a kernel and compares what it leaves.
func (c *pipelineCase) compare(t *testing.T, k *nereid.Kernel, dev *nereid.Device, n int, o nereid.Options,
	want []array) {
	t.Helper()
	what := fmt.Sprintf("%s: n=%d, num_stages=%d, num_warps=%d", dev, n, o.NumStages, o.NumWarps)
	got, err := c.run(k, dev, n, o)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for i := range got {
		if !bytes.Equal(got[i].bytes(), want[i].bytes()) {
			t.Errorf("%s: p%d is\n%v, not\n%v", what, i, got[i].show(), want[i].show())
		}
	}
}

// show is the first elements.
func (a array) show() string {
	var s []string
	for i := range min(a.len(), 64) {
		if a.dt.isFloat() {
			s = append(s, fmt.Sprint(a.float(i)))
		} else {
			s = append(s, fmt.Sprint(a.int(i)))
		}
	}
	return strings.Join(s, " ")
}

// kernel compiles the body.
func (c *pipelineCase) kernel(t *testing.T) *nereid.Kernel {
	t.Helper()
	return bodyKernel(t, pipelineHelpers, c.body, len(c.sizes), []string{"n"})
}

var pipelineTypes = map[string]*dtype{"fp16": f16, "bf16": bf16, "fp32": f32, "i8": i8, "i32": i32,
	"fp64": f64, "i64": i64, "fp8e4nv": e4m3}

// run launches the kernel on numbers that are always the same, and is what the tensors hold then.
func (c *pipelineCase) run(k *nereid.Kernel, dev *nereid.Device, n int, o nereid.Options) ([]array, error) {
	values := []any{}
	var tensors []*nereid.Tensor
	var out []array
	for i, s := range c.sizes {
		var size int
		name, number, _ := strings.Cut(s, ":")
		fmt.Sscan(number, &size)
		data := newArray(pipelineTypes[name], size)
		for j := range size {
			v := int64((j*7+j/13*5+i*3)%5) - 2
			if name == "i32" || name == "i64" {
				v = int64((j*5 + 3) % 8) // an index
			}
			if data.dt.isFloat() {
				data.setFloat(j, float64(v))
			} else {
				data.setInt(j, v)
			}
		}
		x, err := upload(dev, data)
		if err != nil {
			return nil, err
		}
		defer x.Close()
		tensors, values, out = append(tensors, x), append(values, x), append(out, data)
	}
	s, err := dev.NewStream(context.Background())
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if err := k.Launch(s, nereid.Grid{1, 1, 1}, append(values, n, o)...); err != nil {
		return nil, err
	}
	if err := s.Sync(); err != nil {
		return nil, err
	}
	for i, x := range tensors {
		raw := make([]byte, out[i].dt.size()*out[i].len())
		if err := x.CopyBytesTo(raw); err != nil {
			return nil, err
		}
		out[i] = arrayOf(out[i].dt, raw)
	}
	return out, nil
}

// arrayOf is the array that bytes hold.
func arrayOf(dt *dtype, raw []byte) array {
	a := newArray(dt, len(raw)/dt.size())
	for i := range a.bits {
		for j := range dt.size() {
			a.bits[i] |= uint64(raw[i*dt.size()+j]) << (8 * j)
		}
	}
	return a
}

const pipelineHelpers = `
@triton.jit
def tile(p, M: tl.constexpr, N: tl.constexpr):
    return p + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
`

var pipelineCases = []*pipelineCase{
	{name: "product", sizes: []string{"fp16:12288", "fp16:12288", "fp32:1024"}, body: `
a, b = tile(p0, 32, 64), tile(p1, 64, 32)
acc = tl.zeros((32, 32), tl.float32)
for k in range(n):
    acc = tl.dot(tl.load(a), tl.load(b), acc)
    a += 32 * 64
    b += 64 * 32
tl.store(tile(p2, 32, 32), acc)
`},
	// The product is two values of the next iteration, of which one is stored at its beginning.
	{name: "carried twice", sizes: []string{"fp16:24576", "fp16:24576", "fp32:4096", "fp32:49152"}, body: `
first = tl.zeros((64, 64), tl.float32) + 1
acc = tl.zeros((64, 64), tl.float32)
last = acc + 2
for k in range(n):
    tl.store(tile(p3 + k * 4096, 64, 64), first)
    acc = tl.dot(tl.load(tile(p0 + k * 4096, 64, 64)), tl.load(tile(p1 + k * 4096, 64, 64)), acc)
    first = acc
for k in range(n):
    tl.store(tile(p3 + (6 + k) * 4096, 64, 64), last)
    acc = tl.dot(tl.load(tile(p0 + k * 4096, 64, 64)), tl.load(tile(p1 + k * 4096, 64, 64)), acc)
    last = acc
tl.store(tile(p2, 64, 64), acc + first + last)
`},
	{name: "constant count", sizes: []string{"fp16:12288", "fp16:12288", "fp32:1024"},
		counts: []int{1}, body: `
acc = tl.zeros((32, 32), tl.float32)
for k in range(3):
    acc = tl.dot(tl.load(tile(p0 + k * 2048, 32, 64)), tl.load(tile(p1 + k * 2048, 64, 32)), acc)
for k in range(1):
    acc = tl.dot(tl.load(tile(p0 + k * 2048, 32, 64)), tl.load(tile(p1 + k * 2048, 64, 32)), acc)
tl.store(tile(p2, 32, 32), acc)
`},
	{name: "few iterations", sizes: []string{"fp16:12288", "fp16:12288", "fp16:1024", "i32:256", "fp32:1024"},
		counts: []int{0, 40, 70, 128}, body: `
i = tl.arange(0, 32)
acc = tl.zeros((32, 32), tl.float32)
for k in range(2):
    at = k * 32 + i
    a = tl.load(p0 + i[:, None] * 64 + at[None, :], mask=at[None, :] < n, other=0.0)
    acc = tl.dot(a, tl.load(p1 + at[:, None] * 32 + i[None, :]), acc)
acc += tl.load(p2 + i[:, None] * 32 + i[None, :], mask=i[:, None] < n, other=1.0)
for k in range(4):
    rows = tl.load(p3 + k * 32 + i)
    acc = tl.dot(tl.load(p0 + rows[:, None] * 32 + i[None, :]), tl.load(tile(p1 + k * 1024, 32, 32)), acc)
acc = tl.dot(tl.load(tile(p0 + 1024, 32, 32)), tl.load(tile(p2, 32, 32)), acc)
tl.store(tile(p4, 32, 32), acc)
`},
	{name: "few iterations that store", sizes: []string{"fp16:4096", "fp16:4096", "fp16:1024", "fp32:1024"},
		counts: []int{1}, body: `
acc = tl.zeros((32, 32), tl.float32)
for k in range(3):
    acc = tl.dot(tl.load(tile(p0 + k * 1024, 32, 32)), tl.load(tile(p1 + k * 1024, 32, 32)), acc)
    tl.store(tile(p2, 32, 32), (acc % 3).to(tl.float16))
tl.debug_barrier()
acc = tl.dot(tl.load(tile(p2, 32, 32)), tl.load(tile(p0, 32, 32)), acc)
tl.store(tile(p3, 32, 32), acc)
`},
	{name: "ragged", sizes: []string{"fp16:8192", "fp16:8192", "fp32:1024"},
		counts: []int{0, 1, 31, 32, 33, 100, 160}, body: `
i = tl.arange(0, 32)
acc = tl.zeros((32, 32), tl.float32)
for k in range(0, tl.cdiv(n, 32)):
    left = n - k * 32
    a = tl.load(p0 + i[:, None] * n + (k * 32 + i)[None, :], mask=i[None, :] < left, other=0.0)
    b = tl.load(p1 + (k * 32 + i)[:, None] * 32 + i[None, :], mask=i[:, None] < left, other=0.0)
    acc += tl.dot(a, b)
tl.store(tile(p2, 32, 32), acc)
`},
	{name: "other", sizes: []string{"fp16:8192", "fp16:8192", "fp32:1024"},
		counts: []int{0, 8, 40, 64, 104}, body: `
i = tl.arange(0, 32)
acc = tl.zeros((32, 32), tl.float32)
for k in range(0, n, 32):
    a = tl.load(p0 + i[:, None] * 128 + (k + i)[None, :], mask=(k + i)[None, :] < n, other=1.0)
    b = tl.load(p1 + (k + i)[:, None] * 32 + i[None, :], mask=(k + i)[:, None] < n, other=2.0)
    acc += tl.dot(a, b)
tl.store(tile(p2, 32, 32), acc)
`},
	{name: "bounds and step", sizes: []string{"fp16:16384", "fp16:16384", "fp32:1024", "i32:16"}, body: `
acc = tl.zeros((32, 32), tl.float32)
first = tl.load(p3)
for k in range(first, first + n, 2):
    acc += tl.dot(tl.load(tile(p0 + k * 1024, 32, 32)), tl.load(tile(p1 + k * 1024, 32, 32))) * k
for k in range(n, 0, -1):
    acc += tl.dot(tl.load(tile(p0 + k * 1024, 32, 32)), tl.load(tile(p1 + k * 1024, 32, 32))) + k
tl.store(tile(p2, 32, 32), acc)
`},
	{name: "gather", sizes: []string{"fp16:4096", "fp16:12288", "i32:256", "fp32:1024"}, body: `
i = tl.arange(0, 32)
acc = tl.zeros((32, 32), tl.float32)
for k in range(n):
    rows = tl.load(p2 + k * 32 + i)
    a = tl.load(p0 + rows[:, None] * 64 + tl.arange(0, 64)[None, :])
    acc += tl.dot(a, tl.load(tile(p1 + k * 2048, 64, 32)))
tl.store(tile(p3, 32, 32), acc)
`},
	{name: "pages", sizes: []string{"fp16:16384", "fp16:1024", "i32:32", "fp32:1024"}, body: `
q = tl.load(tile(p1, 32, 32))
acc = tl.zeros((32, 32), tl.float32)
for k in range(n):
    page = tl.load(p2 + k)
    acc += tl.dot(q, tl.load(tile(p0 + page * 1024, 32, 32)))
tl.store(tile(p3, 32, 32), acc)
`},
	{name: "two products", sizes: []string{"fp16:8192", "fp16:8192", "fp32:1024", "fp32:1024"}, body: `
x, y = tl.zeros((32, 32), tl.float32), tl.zeros((32, 32), tl.float32)
for k in range(n):
    a, b = tl.load(tile(p0 + k * 1024, 32, 32)), tl.load(tile(p1 + k * 1024, 32, 32))
    x = tl.dot(a, b, x)
    y = tl.dot(b, a, y)
tl.store(tile(p2, 32, 32), x)
tl.store(tile(p3, 32, 32), y)
`},
	{name: "chain", sizes: []string{"fp16:1024", "fp16:8192", "fp16:8192", "fp32:1024"}, body: `
q = tl.load(tile(p0, 32, 32))
acc = tl.zeros((32, 32), tl.float32)
top = tl.full((32,), -1000.0, tl.float32)
for i in range(n):
    s = tl.dot(q, tl.trans(tl.load(tile(p1 + i * 1024, 32, 32))))
    top = tl.maximum(top, tl.max(s, 1))
    s = tl.where(s > top[:, None] - 4.0, 1.0, 0.0)
    acc = acc + tl.dot(s.to(tl.float16), tl.load(tile(p2 + i * 1024, 32, 32)))
tl.store(tile(p3, 32, 32), acc + top[:, None])
`},
	{name: "backward", sizes: []string{"fp16:8192", "fp16:8192", "fp16:1024", "fp16:1024", "fp32:256",
		"fp32:1024", "fp32:1024"}, body: `
k, v = tl.load(tile(p2, 32, 32)), tl.load(tile(p3, 32, 32))
dk, dv = tl.zeros((32, 32), tl.float32), tl.zeros((32, 32), tl.float32)
for i in range(n):
    q, do = tl.load(tile(p0 + i * 1024, 32, 32)), tl.load(tile(p1 + i * 1024, 32, 32))
    m = tl.load(p4 + i * 32 + tl.arange(0, 32))
    p = tl.where(tl.dot(k, tl.trans(q)) > m[None, :], 1.0, 0.0)
    dv += tl.dot(p.to(tl.float16), do)
    dp = tl.dot(v, tl.trans(do))
    ds = tl.where(dp > 0, p, -p)
    dk += tl.dot(ds.to(tl.float16), q)
tl.store(tile(p5, 32, 32), dk)
tl.store(tile(p6, 32, 32), dv)
`},
	{name: "used twice", sizes: []string{"fp16:8192", "fp16:8192", "fp32:1024", "fp32:32"}, body: `
acc = tl.zeros((32, 32), tl.float32)
rows = tl.zeros((32,), tl.float32)
for k in range(n):
    a = tl.load(tile(p0 + k * 1024, 32, 32))
    acc += tl.dot(a, tl.load(tile(p1 + k * 1024, 32, 32)))
    rows += tl.sum(a.to(tl.float32), 1)
tl.store(tile(p2, 32, 32), acc)
tl.store(p3 + tl.arange(0, 32), rows)
`},
	{name: "no product", sizes: []string{"fp32:8192", "fp32:1024"}, body: `
acc = tl.zeros((1024,), tl.float32)
i = tl.arange(0, 1024)
for k in tl.range(0, n, num_stages=4):
    acc += tl.load(p0 + k * 1024 + i, mask=k * 1024 + i < n * 1024 - 5, other=3.0)
tl.store(p1 + i, acc)
`},
	{name: "no product, indirect", sizes: []string{"fp32:8192", "i32:8192", "fp32:1024"}, body: `
acc = tl.zeros((1024,), tl.float32)
i = tl.arange(0, 1024)
for k in tl.range(0, n, num_stages=3):
    acc += tl.load(p0 + tl.load(p1 + k * 1024 + i) * 1024 + i)
tl.store(p2 + i, acc)
`},
	{name: "scalars", sizes: []string{"fp32:64", "fp32:64", "fp32:1"}, body: `
acc = 0.0
for k in tl.range(0, n, num_stages=3):
    acc += tl.load(p0 + k) * tl.load(p1 + k)
tl.store(p2, acc)
`},
	{name: "persistent", sizes: []string{"fp16:8192", "fp16:8192", "fp32:3072"}, body: `
for t in range(3):
    acc = tl.zeros((32, 32), tl.float32)
    for k in range(n):
        acc = tl.dot(tl.load(tile(p0 + k * 1024, 32, 32)), tl.load(tile(p1 + (k ^ t) * 1024, 32, 32)), acc)
    tl.store(tile(p2 + t * 1024, 32, 32), acc)
`},
	{name: "flattened", sizes: []string{"fp16:8192", "fp16:8192", "fp32:3072"}, body: `
for t in tl.range(0, 3, flatten=True):
    acc = tl.zeros((32, 32), tl.float32)
    for k in range(n):
        acc = tl.dot(tl.load(tile(p0 + k * 1024, 32, 32)), tl.load(tile(p1 + (k ^ t) * 1024, 32, 32)), acc)
    tl.store(tile(p2 + t * 1024, 32, 32), acc)
`},
	{name: "flattened rows", sizes: []string{"fp16:32768", "fp16:8192", "fp32:6144"}, body: `
for t in tl.range(0, 3, flatten=True):
    rows = (t * 64 + tl.arange(0, 64)) % 128
    acc = tl.zeros((64, 32), tl.float32)
    for k in range(n):
        a = tl.load(p0 + rows[:, None] * 256 + (k * 32 + tl.arange(0, 32))[None, :])
        acc = tl.dot(a, tl.load(tile(p1 + (k ^ t) * 1024, 32, 32)), acc)
    tl.store(tile(p2 + t * 2048, 64, 32), acc)
`},
	{name: "one loop for all", sizes: []string{"fp16:8192", "fp16:8192", "fp32:3072"}, body: `
acc = tl.zeros((32, 32), tl.float32)
t = 0
for k in range(n):
    acc = tl.dot(tl.load(tile(p0 + k * 1024, 32, 32)), tl.load(tile(p1 + k * 1024, 32, 32)), acc)
    if k % 2 == 1:
        tl.store(tile(p2 + t * 1024, 32, 32), acc)
        acc = tl.zeros((32, 32), tl.float32)
        t += 1
`},
	{name: "while", sizes: []string{"fp16:8192", "fp16:8192", "fp32:1024"}, body: `
acc = tl.zeros((32, 32), tl.float32)
k = 0
while k < n:
    acc = tl.dot(tl.load(tile(p0 + k * 1024, 32, 32)), tl.load(tile(p1 + k * 1024, 32, 32)), acc)
    k += 1
tl.store(tile(p2, 32, 32), acc)
`},
	{name: "stores and atomics", sizes: []string{"fp16:8192", "fp16:8192", "fp32:8192", "fp32:1024"}, body: `
acc = tl.zeros((32, 32), tl.float32)
for k in range(n):
    acc = tl.dot(tl.load(tile(p0 + k * 1024, 32, 32)), tl.load(tile(p1 + k * 1024, 32, 32)), acc)
    tl.store(tile(p2 + k * 1024, 32, 32), acc)
    tl.atomic_add(tile(p3, 32, 32), acc)
`},
	{name: "in place", sizes: []string{"fp16:8192", "fp16:8192", "fp32:1024"}, body: `
acc = tl.zeros((32, 32), tl.float32)
for k in range(n):
    a = tl.load(tile(p0 + k * 1024, 32, 32))
    acc += tl.dot(a, tl.load(tile(p1 + k * 1024, 32, 32)))
    tl.store(tile(p0 + (k + 1) * 1024, 32, 32), -a)
tl.store(tile(p2, 32, 32), acc)
`},
	{name: "stored before", sizes: []string{"fp16:8192", "fp16:8192", "fp32:1024"}, body: `
acc = tl.zeros((32, 32), tl.float32)
tl.store(tile(p0, 8, 1024), tl.load(tile(p1, 8, 1024)) * 2)
for k in range(n):
    acc += tl.dot(tl.load(tile(p0 + k * 1024, 32, 32)), tl.load(tile(p1 + k * 1024, 32, 32)))
tl.store(tile(p2, 32, 32), acc)
`},
	{name: "branch", sizes: []string{"fp16:8192", "fp16:8192", "fp32:1024"}, body: `
acc = tl.zeros((32, 32), tl.float32)
for k in range(n):
    a = tl.load(tile(p0 + k * 1024, 32, 32))
    if k % 2 == 0:
        a = -a
    b = tl.load(tile(p1 + k * 1024, 32, 32))
    if k % 3 == 1:
        acc += tl.load(tile(p1 + k * 1024, 32, 32))
    acc = tl.dot(a, b, acc)
    if k == 2:
        acc *= 2
tl.store(tile(p2, 32, 32), acc)
`},
	{name: "chosen address", sizes: []string{"fp16:8192", "fp16:8192", "fp32:1024"}, body: `
acc = tl.zeros((32, 32), tl.float32)
for k in range(n):
    at = k
    if k > 2:
        at = k - 2
        acc += 1
    acc = tl.dot(tl.load(tile(p0 + at * 1024, 32, 32)), tl.load(tile(p1 + k * 1024, 32, 32)), acc)
tl.store(tile(p2, 32, 32), acc)
`},
	{name: "block pointers", sizes: []string{"fp16:8192", "fp16:8192", "fp32:1024"},
		counts: []int{1, 16, 40, 64, 100, 128}, body: `
a = tl.make_block_ptr(p0, (30, n), (128, 1), (0, 0), (32, 32), (1, 0))
b = tl.make_block_ptr(p1, (n, 31), (32, 1), (0, 0), (32, 32), (1, 0))
acc = tl.zeros((32, 32), tl.float32)
for k in range(0, n, 32):
    acc += tl.dot(tl.load(a, boundary_check=(0, 1), padding_option="zero"),
               tl.load(b, boundary_check=(0, 1), padding_option="zero"))
    a = tl.advance(a, (0, 32))
    b = tl.advance(b, (32, 0))
tl.store(tile(p2, 32, 32), acc)
`},
	{name: "descriptors", sizes: []string{"fp16:8192", "fp16:8192", "fp32:1024"},
		counts: []int{8, 32, 40, 64, 128}, body: `
a = tl.make_tensor_descriptor(p0, [30, n], [128, 1], [32, 32])
b = tl.make_tensor_descriptor(p1, [n, 32], [32, 1], [32, 32])
acc = tl.zeros((32, 32), tl.float32)
for k in range(0, n, 32):
    acc += tl.dot(a.load([0, k]), b.load([k, 0]))
tl.store(tile(p2, 32, 32), acc)
`},
	{name: "loaded ahead", sizes: []string{"fp16:8192", "fp16:8192", "fp32:1024", "fp16:1024"}, body: `
acc = tl.zeros((32, 32), tl.float32)
a = tl.load(tile(p0, 32, 32))
for k in range(n):
    acc = tl.dot(a, tl.load(tile(p1 + k * 1024, 32, 32)), acc)
    a = tl.load(tile(p0 + (k + 1) * 1024, 32, 32))
tl.store(tile(p2, 32, 32), acc)
tl.store(tile(p3, 32, 32), a)
`},
	{name: "kept", sizes: []string{"fp16:8192", "fp16:8192", "fp32:1024", "fp16:1024", "i64:1"}, body: `
acc = tl.zeros((32, 32), tl.float32)
a = tl.zeros((32, 32), tl.float16)
at = p0
for k in range(n):
    a = tl.load(tile(at, 32, 32))
    acc = tl.dot(a, tl.load(tile(p1 + k * 1024, 32, 32)), acc)
    at += 1024
tl.store(tile(p2, 32, 32), acc)
tl.store(tile(p3, 32, 32), a)
tl.store(p4, (at.to(tl.int64) - p0.to(tl.int64)) // 2)
`},
	{name: "transposed", sizes: []string{"bf16:8192", "bf16:8192", "fp32:1024"}, body: `
acc = tl.zeros((32, 32), tl.float32)
i = tl.arange(0, 32)
for k in range(n):
    a = tl.load(p0 + k * 1024 + i[:, None] + i[None, :] * 32)
    b = tl.load(p1 + k * 1024 + i[:, None] + i[None, :] * 32)
    acc = tl.dot(a, b, acc)
    acc = tl.dot(a.T, b.T, acc)
tl.store(tile(p2, 32, 32), acc)
`},
	{name: "int8", sizes: []string{"i8:16384", "i8:16384", "i32:1024"}, body: `
acc = tl.zeros((32, 32), tl.int32)
for k in range(n):
    acc += tl.dot(tl.load(tile(p0 + k * 2048, 32, 64)), tl.load(tile(p1 + k * 2048, 64, 32)))
tl.store(tile(p2, 32, 32), acc)
`},
	{name: "float32", sizes: []string{"fp32:8192", "fp32:8192", "fp32:1024"}, body: `
acc = tl.zeros((32, 32), tl.float32)
for k in range(n):
    acc += tl.dot(tl.load(tile(p0 + k * 1024, 32, 32)), tl.load(tile(p1 + k * 1024, 32, 32)),
               input_precision="tf32")
for k in range(n):
    acc += tl.dot(tl.load(tile(p0 + k * 1024, 32, 32)), tl.load(tile(p1 + k * 1024, 32, 32)),
               input_precision="ieee")
for k in range(n):
    acc += tl.dot(tl.load(tile(p0 + k * 1024, 32, 32)), tl.load(tile(p1 + k * 1024, 32, 32)),
               input_precision="tf32x3")
tl.store(tile(p2, 32, 32), acc)
`},
	{name: "float64", sizes: []string{"fp64:8192", "fp64:8192", "fp64:1024"}, body: `
acc = tl.zeros((32, 32), tl.float64)
for k in range(n):
    acc += tl.dot(tl.load(tile(p0 + k * 1024, 32, 32)), tl.load(tile(p1 + k * 1024, 32, 32)))
tl.store(tile(p2, 32, 32), acc)
`},
	{name: "widened", sizes: []string{"i8:16384", "fp16:16384", "fp32:1024", "fp16:512"}, body: `
acc = tl.zeros((32, 32), tl.float32)
for k in range(n):
    s = tl.load(p3 + k * 32 + tl.arange(0, 32))
    a = tl.load(tile(p0 + k * 2048, 32, 64)).to(tl.float16) * s[:, None]
    acc += tl.dot(a, tl.load(tile(p1 + k * 2048, 64, 32)))
tl.store(tile(p2, 32, 32), acc)
`},
	{name: "batches", sizes: []string{"fp16:16384", "fp16:16384", "fp32:2048"}, body: `
i = (tl.arange(0, 2)[:, None, None] * 1024 + tl.arange(0, 32)[None, :, None] * 32 +
     tl.arange(0, 32)[None, None, :])
acc = tl.zeros((2, 32, 32), tl.float32)
for k in range(n):
    acc += tl.dot(tl.load(p0 + k * 2048 + i), tl.load(p1 + k * 2048 + i))
tl.store(p2 + i, acc)
`},
	{name: "narrow", sizes: []string{"fp16:16384", "fp16:16384", "fp32:1024"}, body: `
i = tl.arange(0, 32)
acc = tl.zeros((32, 32), tl.float32)
for k in range(n):
    a = tl.load(p0 + k * 1024 + i[:, None] * (n + 33) + i[None, :] * n)
    acc += tl.dot(a, tl.load(tile(p1 + k * 1024, 32, 32)))
tl.store(tile(p2, 32, 32), acc)
`},
	{name: "large", sizes: []string{"fp16:49152", "fp16:49152", "fp32:16384"}, counts: []int{1, 4}, body: `
acc = tl.zeros((128, 128), tl.float32)
for k in range(n):
    acc = tl.dot(tl.load(tile(p0 + k * 8192, 128, 64)), tl.load(tile(p1 + k * 8192, 64, 128)), acc)
tl.store(tile(p2, 128, 128), acc)
`},
	{name: "large chain", sizes: []string{"fp16:8192", "fp16:32768", "fp16:32768", "fp32:8192"},
		counts: []int{0, 1, 4}, body: `
q = tl.load(tile(p0, 128, 64))
acc = tl.zeros((128, 64), tl.float32)
top = tl.full((128,), -1000.0, tl.float32)
for i in range(n):
    s = tl.dot(q, tl.trans(tl.load(tile(p1 + i * 4096, 64, 64))))
    top = tl.maximum(top, tl.max(s, 1))
    s = tl.where(s > top[:, None] - 9.0, 1.0, 0.0)
    acc = acc * 2 + tl.dot(s.to(tl.float16), tl.load(tile(p2 + i * 4096, 64, 64)))
tl.store(tile(p3, 128, 64), acc + top[:, None])
`},
	{name: "large, used twice", sizes: []string{"fp16:32768", "fp16:32768", "fp32:4096", "fp32:64"},
		counts: []int{1, 2, 3, 6}, body: `
acc = tl.zeros((64, 64), tl.float32)
rows = tl.zeros((64,), tl.float32)
for k in range(n):
    b = tl.load(tile(p1 + k * 4096, 64, 64))
    acc = tl.dot(tl.load(tile(p0 + k * 4096, 64, 64)), b, acc)
    rows += tl.sum(b.to(tl.float32), 1)
tl.store(tile(p2, 64, 64), acc)
tl.store(p3 + tl.arange(0, 64), rows)
`},
	{name: "large, descriptors used twice", sizes: []string{"fp16:32768", "fp16:32768", "fp32:4096",
		"fp32:64"},
		counts: []int{1, 2, 3, 6}, body: `
a = tl.make_tensor_descriptor(p0, [n * 64, 64], [64, 1], [64, 64])
b = tl.make_tensor_descriptor(p1, [n * 64, 64], [64, 1], [64, 64])
acc = tl.zeros((64, 64), tl.float32)
rows = tl.zeros((64,), tl.float32)
for k in range(n):
    y = b.load([k * 64, 0])
    acc = tl.dot(a.load([k * 64, 0]), y, acc)
    rows += tl.sum(y.to(tl.float32), 1)
tl.store(tile(p2, 64, 64), acc)
tl.store(p3 + tl.arange(0, 64), rows)
`},
	{name: "large, branch", sizes: []string{"fp16:32768", "fp16:32768", "fp32:16384"},
		counts: []int{1, 2, 3, 6}, body: `
acc = tl.zeros((64, 64), tl.float32)
t = 0
for k in range(n):
    acc = tl.dot(tl.load(tile(p0 + k * 4096, 64, 64)), tl.load(tile(p1 + k * 4096, 64, 64)), acc)
    if k % 2 == 1:
        tl.store(tile(p2 + t * 4096, 64, 64), acc)
        acc = tl.zeros((64, 64), tl.float32)
        t += 1
tl.store(tile(p2 + 3 * 4096, 64, 64), acc)
`},
	{name: "large, widened", sizes: []string{"i8:32768", "fp16:32768", "fp32:4096"},
		counts: []int{0, 1, 3}, body: `
acc = tl.zeros((64, 64), tl.float32)
for k in range(n):
    acc += tl.dot(tl.load(tile(p0 + k * 4096, 64, 64)).to(tl.float16), tl.load(tile(p1 + k * 4096, 64, 64)))
tl.store(tile(p2, 64, 64), acc)
`},
}

// TestPipelinedUnderRemainders copies rows under a mask of remainders, whose neighbours are unrelated where
// they are negative: a copy ahead then has fewer than 4 bytes, and is a load.
func TestPipelinedUnderRemainders(t *testing.T) {
	judge := interpreter(t)
	k := kernelOf(t, `
@triton.jit
def k(x, y, start, n):
`, `
i = tl.arange(0, 32)
c = (start + i) % n
sum = tl.zeros((32, 32), tl.float32)
for step in range(0, 64, 16):
    s = step + tl.arange(0, 16)
    a = tl.load(x + i[:, None] * 64 + s[None, :])
    b = tl.load(x + 2048 + s[:, None] * 32 + i[None, :], mask=(c >= 0)[None, :], other=0.0)
    sum = tl.dot(a, b, sum)
tl.store(y + i[:, None] * 32 + i[None, :], sum)
`)
	for _, dev := range opened(t, "sim:90", "sim:80") {
		for _, start := range []int{0, 16, -16, -32} {
			run := func(dev *nereid.Device) []byte {
				return leaves(t, k, dev, nereid.Grid{1}, numbers(f16, 2*32*64), numbers(f32, 32*32), start,
					16)
			}
			if !bytes.Equal(run(judge), run(dev)) {
				t.Errorf("%s, from %d: results differ", dev, start)
			}
		}
	}
}
