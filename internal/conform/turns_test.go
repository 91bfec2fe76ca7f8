package conform

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestTurns runs loops whose warp groups are apart, some in turns, with few and many iterations, on the
// simulated sm_90, which reports deadlocks, and slots that are read too early or filled too soon. The
// interpreter says what is right. With -device, they run on that device; without it, every other one at each
// commit.
func TestTurns(t *testing.T) {
	chosen := sampleHere(t, 2)
	dev, judge := hopper(t), interpreter(t)
	opts := []nereid.Options{{NumStages: 3, NumWarps: 8}, {NumStages: 4, NumWarps: 8},
		{NumStages: 3, NumWarps: 16}}
	for i, c := range turnCases {
		if !chosen(i) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := c.kernel(t)
			c.takesTurns(t, k)
			for j, n := range c.iterations(0, 1, 2, 7) {
				c.agree(t, k, judge, dev, n, opts[(i+j)%len(opts)])
			}
		})
	}
}

// takesTurns checks whether the compiler lets warp groups apart, and take turns, as the case's name says.
func (c *pipelineCase) takesTurns(t *testing.T, k *nereid.Kernel) {
	t.Helper()
	text := c.ttgir(t, k, nereid.Options{NumStages: 3, NumWarps: 8})
	if apart := strings.Contains(text, "nereid.guarded"); apart == strings.HasPrefix(c.name, "in step") {
		t.Errorf("apart: %v\n%s", apart, text)
	}
	if turns := strings.Contains(text, "nereid.ping_pong"); turns != strings.HasPrefix(c.name, "turns") {
		t.Errorf("turns: %v\n%s", turns, text)
	}
}

var turnCases = []*pipelineCase{
	{name: "turns", sizes: []string{"fp16:8192", "fp16:8192", "fp16:16384", "fp32:16384", "fp32:512"}, body: `
q = tl.load(tile(p0, 256, 32))
acc = tl.zeros((256, 64), tl.float32)
weight = tl.zeros((256,), tl.float32)
top = tl.zeros((256,), tl.float32)
for k in range(n):
    s = tl.dot(q, tl.trans(tl.load(tile(p1 + k * 1024, 32, 32))))
    higher = tl.maximum(top, tl.max(s, 1))
    p = tl.where(s + 3 > higher[:, None], 1.0, 0.0)
    fade = tl.where(higher > top, 2.0, 1.0)
    weight = weight * fade + tl.sum(p, 1)
    acc = tl.dot(p.to(tl.float16), tl.load(tile(p2 + k * 2048, 32, 64)), acc * fade[:, None])
    top = higher
tl.store(tile(p3, 256, 64), acc)
tl.store(p4 + tl.arange(0, 256), weight)
tl.store(p4 + 256 + tl.arange(0, 256), top)
`},
	{name: "turns, scaled by any sign",
		sizes: []string{"fp16:8192", "fp16:8192", "fp16:16384", "fp32:16384", "fp32:512"}, body: `
q = tl.load(tile(p0, 256, 32))
scale = n * 0.5 - 2.0
acc = tl.zeros((256, 64), tl.float32)
weight = tl.zeros((256,), tl.float32)
top = tl.full((256,), -1000.0, tl.float32)
keys = tl.arange(0, 32)
for k in range(n):
    s = tl.dot(q, tl.trans(tl.load(tile(p1 + k * 1024, 32, 32)))) * scale
    s = tl.where((k * 32 + keys)[None, :] < n * 32 - 5, s, -100.0)
    higher = tl.maximum(top, tl.max(s, 1))
    p = tl.where(s - higher[:, None] > -3.0, 1.0, 0.0)
    weight += tl.sum(p, 1)
    fade = tl.where(higher > top, 2.0, 1.0)
    acc = tl.dot(p.to(tl.float16), tl.load(tile(p2 + k * 2048, 32, 64)), acc / fade[:, None])
    top = higher
tl.store(tile(p3, 256, 64), acc)
tl.store(p4 + tl.arange(0, 256), weight)
tl.store(p4 + 256 + tl.arange(0, 256), top)
`},
	{name: "turns, descriptors", sizes: []string{"fp16:8192", "fp16:8192", "fp16:16384", "fp32:16384"},
		counts: []int{0, 32, 64, 224}, body: `
q = tl.load(tile(p0, 256, 32))
keys = tl.make_tensor_descriptor(p1, [256, 32], [32, 1], [32, 32])
values = tl.make_tensor_descriptor(p2, [256, 64], [64, 1], [32, 64])
acc = tl.zeros((256, 64), tl.float32)
for k in range(0, n, 32):
    s = tl.dot(q, keys.load([k, 0]).T)
    acc = tl.dot(tl.where(s > k, 1.0, 2.0).to(tl.float16), values.load([k, 0]), acc)
tl.store(tile(p3, 256, 64), acc)
`},
	{name: "a descriptor and pointers", sizes: []string{"fp16:8192", "fp16:8192", "fp16:8192", "fp32:8192"},
		counts: []int{0, 32, 64, 224}, body: `
q = tl.load(tile(p0, 256, 32))
keys = tl.make_tensor_descriptor(p1, [256, 32], [32, 1], [32, 32])
acc = tl.zeros((256, 32), tl.float32)
for k in range(0, n, 32):
    s = tl.dot(q, keys.load([k, 0]).T)
    acc = tl.dot(tl.where(s > k, 1.0, 2.0).to(tl.float16), tl.load(tile(p2 + k * 32, 32, 32)), acc)
tl.store(tile(p3, 256, 32), acc)
`},
	{name: "turns, two loops", sizes: []string{"fp16:8192", "fp16:16384", "fp16:16384", "fp32:16384"}, body: `
q = tl.load(tile(p0, 256, 32))
acc = tl.zeros((256, 64), tl.float32)
for k in range(n):
    s = tl.dot(q, tl.load(tile(p1 + k * 1024, 32, 32)))
    acc = tl.dot(tl.where(s > k, 1.0, 2.0).to(tl.float16), tl.load(tile(p2 + k * 2048, 32, 64)), acc)
for k in range(n // 2):
    s = tl.dot(q, tl.load(tile(p2 + k * 1024, 32, 32)))
    acc = tl.dot(tl.where(s > k, 2.0, 1.0).to(tl.float16), tl.load(tile(p1 + k * 2048, 32, 64)), acc)
tl.store(tile(p3, 256, 64), acc)
`},
	{name: "turns, two loops of tiles", sizes: []string{"fp16:8192", "fp16:16384", "fp16:32768", "fp32:16384"},
		body: `
q = tl.load(tile(p0, 256, 32))
rows = tl.arange(0, 64)[:, None]
keys, values = p1 + rows * 32 + tl.arange(0, 32)[None, :], p2 + rows * 64 + tl.arange(0, 64)[None, :]
acc = tl.zeros((256, 64), tl.float32)
for k in range(n):
    s = tl.dot(q, tl.trans(tl.load(keys + k * 2048)))
    acc = tl.dot(tl.where(s > k, 1.0, 2.0).to(tl.float16), tl.load(values + k * 4096), acc)
for k in range(n // 2):
    s = tl.dot(q, tl.trans(tl.load(keys + k * 2048)))
    acc = tl.dot(tl.where(s > k, 2.0, 1.0).to(tl.float16), tl.load(values + k * 4096), acc)
tl.store(tile(p3, 256, 64), acc)
`},
	{name: "a loop in a loop", sizes: []string{"fp16:8192", "fp16:8192", "fp16:8192", "fp32:8192"}, body: `
for i in range(2):
    q = tl.load(tile(p0, 256, 32)) + i
    acc = tl.zeros((256, 32), tl.float32)
    for k in range(n):
        s = tl.dot(q, tl.load(tile(p1 + k * 1024, 32, 32)))
        acc = tl.dot(tl.where(s > k, 1.0, 2.0).to(tl.float16), tl.load(tile(p2 + k * 1024, 32, 32)), acc)
    tl.store(tile(p3, 256, 32), acc)
`},
	{name: "bounds", sizes: []string{"fp16:8192", "fp16:8192", "fp16:8192", "fp32:8192"},
		counts: []int{0, 1, 32, 33, 77, 224}, body: `
q = tl.load(tile(p0, 256, 32))
rows = tl.arange(0, 32)
acc = tl.zeros((256, 32), tl.float32)
for k in range(0, n, 32):
    here = k + rows < n
    s = tl.dot(q, tl.trans(tl.load(tile(p1 + k * 32, 32, 32), mask=here[:, None], other=0.0)))
    s = tl.where(here[None, :], s, -100.0)
    s = tl.where(tl.arange(0, 256)[:, None] >= (k + rows)[None, :], s, -50.0)
    v = tl.load(tile(p2 + k * 32, 32, 32), mask=here[:, None], other=0.0)
    acc = tl.dot(tl.where(s > -60, 1.0, 2.0).to(tl.float16), v, acc)
tl.store(tile(p3, 256, 32), acc)
`},
	{name: "turns, two products behind", sizes: []string{
		"fp16:8192", "fp16:8192", "fp16:8192", "fp16:8192", "fp32:8192", "fp32:8192"}, body: `
q = tl.load(tile(p0, 256, 32))
acc = tl.zeros((256, 32), tl.float32)
sum = tl.zeros((256, 32), tl.float32)
for k in range(n):
    s = tl.dot(q, tl.load(tile(p1 + k * 1024, 32, 32)))
    p = tl.where(s > 0, 1.0, 3.0).to(tl.float16)
    acc = tl.dot(p, tl.load(tile(p2 + k * 1024, 32, 32)), acc)
    sum = tl.dot(-p, tl.load(tile(p3 + k * 1024, 32, 32)), sum * (k % 2))
tl.store(tile(p4, 256, 32), acc)
tl.store(tile(p5, 256, 32), sum)
`},
	{name: "a bias for each element", sizes: []string{
		"fp16:8192", "fp16:8192", "fp16:16384", "fp32:16384", "fp32:65536"}, body: `
q = tl.load(tile(p0, 256, 32))
acc = tl.zeros((256, 64), tl.float32)
for k in range(n):
    s = tl.dot(q, tl.trans(tl.load(tile(p1 + k * 1024, 32, 32)))) + tl.load(tile(p4 + k * 8192, 256, 32))
    acc = tl.dot(tl.where(s > k, 1.0, 2.0).to(tl.float16), tl.load(tile(p2 + k * 2048, 32, 64)), acc)
tl.store(tile(p3, 256, 64), acc)
`},
	{name: "columns summed behind the products", sizes: []string{
		"fp16:8192", "fp16:8192", "fp16:16384", "fp32:16384", "fp32:256"}, body: `
q = tl.load(tile(p0, 256, 32))
acc = tl.zeros((256, 64), tl.float32)
for k in range(n):
    s = tl.dot(q, tl.trans(tl.load(tile(p1 + k * 1024, 32, 32))))
    p = tl.where(s > k, 1.0, 2.0)
    acc = tl.dot(p.to(tl.float16), tl.load(tile(p2 + k * 2048, 32, 64)), acc)
    tl.store(p4 + k * 32 + tl.arange(0, 32), tl.sum(p, 0))
tl.store(tile(p3, 256, 64), acc)
`},
	{name: "one load for both", sizes: []string{"fp16:8192", "fp16:8192", "fp32:8192"}, body: `
q = tl.load(tile(p0, 256, 32))
acc = tl.zeros((256, 32), tl.float32)
for k in range(n):
    x = tl.load(tile(p1 + k * 1024, 32, 32))
    s = tl.dot(q, x)
    acc = tl.dot(tl.where(s > k, 1.0, 2.0).to(tl.float16), x, acc)
tl.store(tile(p2, 256, 32), acc)
`},
	{name: "in step: a sum read inside", sizes: []string{
		"fp16:8192", "fp16:8192", "fp16:8192", "fp32:8192"}, body: `
q = tl.load(tile(p0, 256, 32))
acc = tl.zeros((256, 32), tl.float32)
for k in range(n):
    s = tl.dot(q, tl.load(tile(p1 + k * 1024, 32, 32)))
    acc = tl.dot(tl.where(s > k, 1.0, 2.0).to(tl.float16), tl.load(tile(p2 + k * 1024, 32, 32)), acc)
    acc = tl.where(acc > 40, 1.0, acc)
tl.store(tile(p3, 256, 32), acc)
`},
}

// TestSlotsGuarded: where the copy engine fills the slots of a loop whose warp groups are apart, each slot
// has a barrier, at which every warp arrives and only those wait that start copies; where threads fill some,
// one serves all. Each of these ops is needed: without it, the simulator reports what goes wrong.
func TestSlotsGuarded(t *testing.T) {
	dev, o := hopper(t), nereid.Options{NumStages: 3, NumWarps: 8}
	if dev.String() != "sim:90" {
		txtest.LeftOut(t, "a GPU would hang")
	}
	arrival := regexp.MustCompile(`ttng\.init_barrier %\w+, 8 \{nereid\.each_warp\}`)
	for name, slots := range map[string]int{"turns, descriptors": 3, "a descriptor and pointers": 1} {
		c := turnCase(t, name)
		if n := len(arrival.FindAllString(c.ttgir(t, c.kernel(t), o), -1)); n != slots {
			t.Errorf("%s: %d barriers of slots, not %d", name, n, slots)
		}
	}
	c := turnCase(t, "turns, descriptors")
	text := c.ttgir(t, c.kernel(t), o)
	for _, m := range []struct{ name, from, to, want string }{
		{"as it is", `$`, "", ""},
		{"no wait for a free slot", `(scf\.if .*\n) +ttng\.wait_barrier .*\n`, "$1", "no barrier lies between"},
		{"no arrival", `.*ttng\.arrive_barrier .*nereid\.each_warp.*\n`, "", "deadlock"},
		{"one arrival less", `(init_barrier %\w+, )8( \{nereid\.each_warp)`, "${1}7$2",
			"no barrier lies between"},
		{"no wait for bytes", `.*ttng\.wait_barrier %\w+, %\w+ : .*\n`, "", "without a wait"},
	} {
		t.Run(m.name, func(t *testing.T) {
			spoiled := regexp.MustCompile(m.from).ReplaceAllString(text, m.to)
			if spoiled == text && m.want != "" {
				t.Fatalf("nothing to spoil in\n%s", text)
			}
			start := jit.StartAt("ttgir", []byte(spoiled), nil)
			k := kernelOf(t, pipelineHelpers+"\n@triton.jit\ndef k(p0, p1, p2, p3, n):\n", c.body, start)
			_, err := c.run(k, dev, 224, o)
			if (err == nil) != (m.want == "") || err != nil && !strings.Contains(err.Error(), m.want) {
				t.Errorf("the simulator says %v, not %q", err, m.want)
			}
		})
	}
}

// turnCase returns the case of a name.
func turnCase(t *testing.T, name string) *pipelineCase {
	t.Helper()
	i := slices.IndexFunc(turnCases, func(c *pipelineCase) bool { return c.name == name })
	if i < 0 {
		t.Fatalf("there is no case %q", name)
	}
	return turnCases[i]
}

// TestTurnsOfAdjacentWaits compiles a chain of tf32 products in whose loop the wait for the copies of the
// second product directly follows the wait for the first product.
func TestTurnsOfAdjacentWaits(t *testing.T) {
	mod, err := nereid.Load(txtest.Path(t, "internal/selftest/kernels/chains.py"))
	if err != nil {
		t.Fatal(err)
	}
	k, err := mod.Kernel("chain")
	if err != nil {
		t.Fatal(err)
	}
	const sig = `*fp32:16, *fp32:16, *fp32:16, *fp32:16, i32, i32:16, 64, 32, 128, 128, ` +
		`"relu", "pointers", fp32, "tf32", "special"`
	opts := nereid.Options{NumWarps: 8, NumStages: 4}
	if _, err := k.CompileFor(t.Context(), "cuda:90", sig, opts, "ttgir"); err != nil {
		t.Error(err)
	}
}
