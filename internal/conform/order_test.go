package conform

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

// orderCase is a kernel on tensors p0 and p1 of 4096 int32, and how many barriers of blocks and of warps its
// PTX has.
type orderCase struct {
	name, body    string
	blocks, warps int
	opts          nereid.Options
}

var orderCases = []orderCase{
	// What needs none.
	{name: "in place", body: `
i = tl.program_id(0) * 512 + tl.arange(0, 512)
tl.store(p0 + i, tl.load(p0 + i) + 1)
tl.store(p0 + i, tl.load(p0 + i) * 3)
`},
	{name: "in place, in a loop", body: `
for k in range(4):
    i = k * 512 + tl.arange(0, 512)
    tl.store(p0 + i, tl.load(p0 + i) + 1)
`},
	{name: "in place, a pointer that advances", body: `
p = p0 + tl.arange(0, 512)
for k in range(tl.load(p1) % 4):
    tl.store(p, tl.load(p) + 1)
    p += 512
`},
	{name: "in place, rows of programs", body: `
for row in range(tl.program_id(0), 4, tl.num_programs(0)):
    i = row * 1024 + tl.arange(0, 1024)
    tl.store(p0 + i, tl.load(p0 + i) + 1)
`},
	{name: "in place, accumulated", body: `
p = p0 + tl.arange(0, 512)
for k in range(4):
    tl.store(p, tl.load(p) + tl.load(p1 + k * 512 + tl.arange(0, 512)))
`},
	{name: "in place, a matrix", body: `
i = tl.arange(0, 32)[:, None] * 64 + tl.arange(0, 64)[None, :]
tl.store(p0 + i, tl.load(p0 + i) + 1)
`},
	{name: "in place, fewer elements than threads", body: `
i = tl.arange(0, 64)
for k in range(4):
    tl.store(p0 + i, tl.load(p0 + i) + 1)
`},
	{name: "in place, a scalar", body: `
n = tl.load(p0)
tl.store(p0, n + 1)
`},
	{name: "halves", body: `
i = tl.arange(0, 512)
a = tl.load(p0 + i)
b = tl.load(p0 + 512 + i)
tl.store(p0 + i, a - b)
tl.store(p0 + 512 + i, a + b)
`},
	{name: "halves of rows", body: `
i = tl.arange(0, 16)[:, None] * 64 + tl.arange(0, 32)[None, :]
a = tl.load(p0 + i)
b = tl.load(p0 + 32 + i)
tl.store(p0 + i, a - b)
tl.store(p0 + 32 + i, a + b)
`},
	{name: "pairs", body: `
i = tl.arange(0, 512) * 2
a = tl.load(p0 + i)
b = tl.load(p0 + i + 1)
tl.store(p0 + i, a - b)
tl.store(p0 + i + 1, a + b)
`},
	{name: "two arguments", body: `
i = tl.arange(0, 512)
tl.store(p0 + i, tl.load(p1 + 511 - i))
tl.store(p0 + i, tl.load(p1 + (i + 33) % 512))
`},
	{name: "atomics that commute", body: `
i = tl.arange(0, 512)
for k in range(3):
    tl.atomic_add(p0 + (i + k) % 512, i)
`},

	// What needs one.
	{name: "read after write", blocks: 1, body: `
i = tl.arange(0, 64)
tl.store(p0 + i, tl.load(p1 + i), mask=(i % 5) != 0)
tl.store(p1 + i, tl.load(p0 + (i + 33) % 64, mask=i < 34, other=0))
`},
	{name: "write after read", blocks: 1, body: `
i = tl.arange(0, 512)
x = tl.load(p0 + 511 - i)
tl.store(p0 + i, x)
`},
	{name: "write after write", blocks: 1, body: `
i = tl.arange(0, 512)
tl.store(p0 + i, i)
tl.store(p0 + 511 - i, i)
`},
	{name: "shifted by less than a block", blocks: 1, body: `
i = tl.arange(0, 512)
tl.store(p0 + i, i)
tl.store(p1 + i, tl.load(p0 + i + 511))
`},
	{name: "next iteration", blocks: 1, body: `
i = tl.arange(0, 512)
for k in range(tl.load(p1 + 4095) % 4 + 3):
    tl.store(p0 + k * 256 + i, k)
`},
	{name: "the iteration before, by the same threads", body: `
i = tl.arange(0, 512)
s = i
for k in range(tl.load(p1 + 4095) % 4 + 3):
    s += tl.load(p0 + k * 512 + i)
    tl.store(p0 + k * 512 + 512 + i, s)
tl.store(p1 + i, s)
`},
	{name: "around the loop", blocks: 2, body: `
i = tl.arange(0, 512)
for k in range(tl.load(p1 + 4095) % 4 + 3):
    x = tl.load(p0 + i)
    tl.store(p0 + 511 - i, x + k)
`},
	{name: "while", blocks: 2, body: `
i = tl.arange(0, 512)
k = tl.load(p1 + 4095) % 4
while k < 7:
    x = tl.load(p0 + i)
    tl.store(p0 + 511 - i, x + k)
    k += 1
`},
	{name: "before a loop", blocks: 1, body: `
i = tl.arange(0, 512)
tl.store(p0 + i, i)
s = i
for k in range(4):
    s += tl.load(p0 + (i + 7 * k) % 512)
tl.store(p1 + i, s)
`},
	{name: "after a branch", blocks: 1, body: `
i = tl.arange(0, 512)
if tl.load(p1) > 100:
    tl.store(p1 + 512 + i, i)
else:
    tl.store(p0 + i, i)
tl.store(p1 + 1024 + i, tl.load(p0 + 511 - i))
`},
	{name: "in a branch", blocks: 1, body: `
i = tl.arange(0, 512)
tl.store(p0 + i, i)
if tl.load(p1) > 2:
    tl.store(p1 + i, tl.load(p0 + 511 - i))
`},
	// A barrier that only some paths pass orders nothing on the others.
	{name: "a barrier in a branch", blocks: 2, body: `
i = tl.arange(0, 512)
tl.store(p0 + i, i)
if tl.load(p1 + 7) > 1 << 30:
    tl.debug_barrier()
tl.store(p1 + i, tl.load(p0 + (i + 130) % 512))
`},
	{name: "a barrier in one of two branches", blocks: 2, body: `
i = tl.arange(0, 512)
tl.store(p0 + i, i)
if tl.load(p1 + 7) > 1 << 30:
    tl.debug_barrier()
else:
    tl.store(p1 + 1024 + i, i)
tl.store(p1 + i, tl.load(p0 + (i + 130) % 512))
`},
	{name: "barriers in both branches", blocks: 2, body: `
i = tl.arange(0, 512)
tl.store(p0 + i, i)
if tl.load(p1 + 7) > 1 << 30:
    tl.debug_barrier()
else:
    tl.debug_barrier()
    tl.store(p1 + 1024 + i, i)
tl.store(p1 + i, tl.load(p0 + (i + 130) % 512))
`},
	{name: "a barrier in a loop without iterations", blocks: 2, body: `
i = tl.arange(0, 512)
tl.store(p0 + i, i)
for k in range(tl.load(p1 + 7) // (1 << 30)):
    tl.debug_barrier()
tl.store(p1 + i, tl.load(p0 + (i + 130) % 512))
`},
	{name: "the condition of a while, behind its last test", blocks: 2, body: `
i = tl.arange(0, 512)
n = tl.load(p1 + 7) // (1 << 30)
while tl.load(p0 + 5) // (1 << 30) + n < 3:
    tl.debug_barrier()
    n += 1
tl.store(p0 + i, i + n)
`},
	{name: "a scalar, read back by all", blocks: 1, body: `
i = tl.arange(0, 512)
tl.store(p0, 5)
n = tl.load(p0)
tl.store(p1 + i, i + n)
`},
	{name: "a scalar after all have read it", blocks: 1, body: `
i = tl.arange(0, 512)
n = tl.load(p0)
tl.store(p0, n + 1)
tl.store(p1 + i, i + n)
`},
	{name: "an element read back as a scalar", blocks: 1, body: `
i = tl.arange(0, 512)
tl.store(p0 + i, i)
n = tl.load(p0 + 77)
tl.store(p1 + i, i + n)
`},
	{name: "a load after an atomic", blocks: 1, body: `
i = tl.arange(0, 512)
tl.atomic_add(p0 + i, i)
tl.store(p1 + i, tl.load(p0 + 511 - i))
`},
	{name: "an atomic after a load", blocks: 1, body: `
i = tl.arange(0, 512)
x = tl.load(p0 + 511 - i)
tl.atomic_add(p0 + i, x)
`},
	{name: "atomics that do not commute", blocks: 1, body: `
i = tl.arange(0, 512)
tl.atomic_add(p0 + i, i)
tl.atomic_max(p0 + 511 - i, 99)
`},
	{name: "indices from memory", blocks: 3, body: `
i = tl.arange(0, 512)
j = tl.load(p1 + i) % 3
tl.store(p0 + j, tl.load(p0 + j) + 7)
`},
	{name: "one of two arguments", blocks: 2, body: `
i = tl.arange(0, 512)
tl.store(p0 + i, i)
p = p0
if tl.load(p1) > 100:
    p = p1 + 1024
tl.store(p1 + 512 + i, tl.load(p + 511 - i))
`},
	{name: "in a function", blocks: 1, body: `
i = tl.arange(0, 512)
put(p0)
tl.store(p1 + i, tl.load(p0 + 511 - i))
`},
	{name: "in a function, before", blocks: 1, body: `
i = tl.arange(0, 512)
x = tl.load(p0 + 511 - i)
put(p0)
tl.store(p1 + i, x)
`},
	{name: "in a function, by two parameters", blocks: 1, body: `
mirror(p0, p0 + 1, p1)
`},
	// Copies of elements in the lanes of a warp: the first stores, all load.
	{name: "lanes with copies", warps: 1, opts: nereid.Options{NumWarps: 1}, body: `
i = tl.arange(0, 16)
tl.store(p0 + i, i)
x = tl.load(p0 + i)
tl.store(p1, tl.sum(x))
`},
	{name: "one warp", warps: 2, opts: nereid.Options{NumWarps: 1}, body: `
i = tl.arange(0, 512)
tl.store(p0 + i, i)
tl.store(p1 + i, tl.load(p0 + 511 - i))
tl.store(p0 + 1, 7)
`},
	{name: "warps with copies", blocks: 1, opts: nereid.Options{NumWarps: 2}, body: `
i = tl.arange(0, 32)
tl.store(p0 + i, i)
x = tl.load(p0 + i)
tl.store(p1, tl.sum(x))
`},
}

const orderHelpers = `
@triton.jit(noinline=True)
def put(p):
    i = tl.arange(0, 512)
    tl.store(p + i, i)

@triton.jit(noinline=True)
def mirror(p, q, r):
    i = tl.arange(0, 512)
    tl.store(p + i, i)
    tl.store(r + i, tl.load(q + 511 - i))
`

// TestOrder: memory is sequential within a program, as the interpreter has it, and threads meet only where
// they must. The simulator finds accesses that nothing orders.
func TestOrder(t *testing.T) {
	judge := interpreter(t)
	for _, dev := range gpus(t, "sim:90", "sim:80") {
		name := dev.String()
		for _, c := range orderCases {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				k := bodyKernel(t, orderHelpers, c.body, 2, nil)
				l := clusterCase{dtype: nereid.Int32, sizes: []int{4096, 4096}, grid: nereid.Grid{1}}
				want, err := l.run(k, judge, nereid.Options{})
				if err != nil {
					t.Fatal(err)
				}
				got, err := l.run(k, dev, c.opts)
				if err != nil {
					t.Fatal(err)
				}
				if err := l.compare(got, want); err != nil {
					t.Error(err)
				}
				c.count(t, k)
				if name == "sim:90" {
					c.onCluster(t, k, l, dev, want)
				}
			})
		}
	}
}

// onCluster runs the case with programs of two blocks.
func (c *orderCase) onCluster(t *testing.T, k *nereid.Kernel, l clusterCase, dev *nereid.Device,
	want [][]byte) {
	t.Helper()
	got, err := l.run(k, dev, nereid.Options{NumCTAs: 2, NumWarps: c.opts.NumWarps})
	if err != nil {
		t.Fatalf("two blocks: %v", err)
	}
	if err := l.compare(got, want); err != nil {
		t.Errorf("two blocks: %v", err)
	}
}

// count compares the number of barriers.
func (c *orderCase) count(t *testing.T, k *nereid.Kernel) {
	t.Helper()
	code, err := k.CompileFor(t.Context(), "cuda:90", "*i32:16, *i32:16", c.opts, "ptx")
	if err != nil {
		t.Fatal(err)
	}
	ptx := string(code.Stages[len(code.Stages)-1].Text)
	if b, w := strings.Count(ptx, "bar.sync"), strings.Count(ptx, "bar.warp.sync"); b != c.blocks ||
		w != c.warps {
		t.Errorf("%d barriers of the block and %d of warps, want %d and %d\n%s", b, w, c.blocks, c.warps,
			ptx[:min(len(ptx), 6000)])
	}
}

const strideKernels = `
import triton
import triton.language as tl

@triton.jit
def stores(p, q, s, n):
    i = tl.arange(0, 512)
    x = p + 8192 + i
    for k in range(n):
        tl.store(x, k * 1000 + i)
        x += s

@triton.jit
def sums(p, q, s, n):
    i = tl.arange(0, 512)
    total = tl.zeros((512,), tl.int32)
    for k in range(n):
        total += tl.load(p + 8192 + k * s + i)
        tl.store(p + 8192 + k * s + i, total)
    tl.store(q + i, total)

@triton.jit
def rows(p, q, s, n):
    i = tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :]
    for k in range(n):
        tl.store(p + 8192 + k * 2 * s + i, i + k)
        tl.store(p + 8192 + k * 2 * s + i + 1, i - k)
`

// TestOrderStrides: where an argument decides whether iterations touch each other's elements, threads meet
// only if they do.
func TestOrderStrides(t *testing.T) {
	m, err := nereid.Parse("strides.py", []byte(strideKernels))
	if err != nil {
		t.Fatal(err)
	}
	judge := interpreter(t)
	run := func(k *nereid.Kernel, dev *nereid.Device, stride int) [2][]int32 {
		var out [2][]int32
		var args [2]*nereid.Tensor
		for i := range out {
			out[i] = make([]int32, 16384)
			for j := range out[i] {
				out[i][j] = int32(j * (i + 3))
			}
			args[i] = nereid.FromSlice(out[i])
		}
		s, err := dev.NewStream(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := errors.Join(k.Launch(s, nereid.Grid{1}, args[0], args[1], stride, 3),
			s.Sync()); err != nil {
			t.Fatalf("stride %d: %v", stride, err)
		}
		return out
	}
	for name, barriers := range map[string]int{"stores": 1, "sums": 3, "rows": 2} {
		k, err := m.Kernel(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, dev := range gpus(t, "sim:90", "sim:80") {
			for _, stride := range []int{0, 1, 3, 64, 127, 128, 256, 511, 512, 513, 700, -1, -64,
				-512, -700} {
				want, got := run(k, judge, stride), run(k, dev, stride)
				for i := range want {
					if !slices.Equal(want[i], got[i]) {
						t.Errorf("%s: %s with the stride %d differs", dev, name, stride)
					}
				}
			}
		}
		code, err := k.CompileFor(t.Context(), "cuda:90", "*i32:16, *i32:16, i32, i32",
			nereid.Options{}, "ptx")
		if err != nil {
			t.Fatal(err)
		}
		ptx := string(code.Stage("ptx"))
		all, some := strings.Count(ptx, "bar.sync"), len(conditional.FindAllString(ptx, -1))
		t.Logf("%s: %d barriers, %d of them on a condition", name, all, some)
		if all != barriers || some == 0 {
			t.Errorf("%s: %d barriers, want %d; %d on a condition", name, all, barriers, some)
		}
	}
}

var conditional = regexp.MustCompile(`@%p\d+ bar\.sync`)
