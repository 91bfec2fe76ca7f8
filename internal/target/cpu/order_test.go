package cpu_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

// orderKernels are bodies of kernels that read memory which they write as well: i counts to B, n is less than
// B, and x and y have room for 4*B elements around what they point at.
var orderKernels = []struct{ name, body string }{
	{"stored in a loop after its load", `
v = tl.load(x + i + 4)
tl.debug_barrier()
for q in range(2):
    tl.store(x + i, v, mask=i < n)
tl.debug_barrier()
`},
	{"stored in a loop that counts to an argument", `
v = tl.load(x + i + 4)
for q in range(n):
    tl.store(x + i, v, mask=i < n)
`},
	{"stored in a while loop", `
v = tl.load(x + i + 4)
q = 0
while q < n:
    tl.store(x + i, v, mask=i < n)
    q += 1
`},
	{"stored in a nested loop", `
v = tl.load(x + i + 4)
for q in range(n):
    for r in range(2):
        tl.store(x + i, v, mask=i < n)
`},
	{"stored in a branch of a loop", `
v = tl.load(x + i + 4)
for q in range(n):
    if q % 2 == 0:
        tl.store(x + i, v, mask=i < n)
    else:
        tl.store(x + i + 1, v, mask=i < n)
`},
	{"stored in a branch", `
v = tl.load(x + i + 4)
if n > 3:
    tl.store(x + i + 2, v, mask=i < n)
    tl.store(x + i, v, mask=i < n)
`},
	{"stored twice in a branch after a store", `
v = tl.load(x + i + 4)
tl.store(x + i + 3, v, mask=i < n)
if n > 3:
    tl.store(x + i, v, mask=i < n)
`},
	{"used before the store of its loop", `
v = tl.load(x + i + 4)
for q in range(n):
    tl.store(y + i + q, v, mask=i < n)
    tl.store(x + i, v + q, mask=i < n)
`},
	{"a formula of a load, stored in a loop", `
v = tl.load(x + i + 4) * 3 + n
for q in range(n):
    tl.store(x + i + q, v, mask=i < n)
`},
	{"a masked load, stored in a loop", `
v = tl.load(x + i + 4, mask=i < n, other=7)
for q in range(2):
    tl.store(x + i, v, mask=i < n)
`},
	{"a load of two dimensions, stored in a loop", `
j = tl.arange(0, 8)
v = tl.load(x + i[:, None] * 8 + j[None, :] + 4)
for q in range(2):
    tl.store(x + i[:, None] * 8 + j[None, :], v, mask=(i[:, None] < n) & (j[None, :] < n))
`},
	{"a row, stored in a loop as a part of two dimensions", `
j = tl.arange(0, 8)
v = tl.load(x + j[None, :] + i[:, None] * 0 + 4)
for q in range(2):
    tl.store(x + i[:, None] * 8 + j[None, :], v, mask=(i[:, None] < n) & (j[None, :] < n))
`},
	{"summed in a loop that stores", `
v = tl.load(x + i + 4)
for q in range(n):
    s = tl.sum(v, 0)
    tl.store(x + i + q, v + s, mask=i < n)
`},
	{"the largest in a loop that stores", `
v = tl.load(x + i + 4)
for q in range(n):
    s = tl.max(v, 0)
    w = tl.argmax(v, 0)
    tl.store(x + i + q, s + w + i, mask=i < n)
`},
	{"summed along rows in a loop that stores", `
j = tl.arange(0, 8)
v = tl.load(x + i[:, None] * 8 + j[None, :])
for q in range(n):
    s = tl.sum(v, 1)
    tl.store(x + i + q, s, mask=i < n)
`},
	{"scanned in a loop that stores", `
v = tl.load(x + i + 4)
for q in range(2):
    tl.store(x + i + q, tl.cumsum(v, 0), mask=i < n)
`},
	{"sorted in a loop that stores", `
v = (tl.load(x + i + 4) * 7) % 13
for q in range(2):
    tl.store(x + i + q, tl.sort(v), mask=i < n)
`},
	{"multiplied in a loop that stores", `
v = tl.load(x + i[:, None] * B + i[None, :]) % 8
w = tl.load(x + i[:, None] * B + i[None, :] + 3) % 8
for q in range(2):
    a = tl.dot(v.to(tl.float32), w.to(tl.float32), input_precision="ieee")
    tl.store(x + i[:, None] * B + i[None, :], a.to(tl.int32) % 31, mask=(i[:, None] < n))
`},
	{"a product of floats in a loop that stores", `
f = x.to(tl.pointer_type(tl.float32), bitcast=True)
z = y.to(tl.pointer_type(tl.float32), bitcast=True)
tl.store(f + i[:, None] * B + i[None, :], (i[:, None] * 3 + i[None, :]).to(tl.float32) * 0.125)
tl.debug_barrier()
v = tl.load(f + i[:, None] * B + i[None, :])
for q in range(2):
    a = tl.dot(v, v, input_precision="ieee")
    tl.store(f + i[:, None] * B + i[None, :], a - q, mask=(i[:, None] < n))
    tl.store(z + i[:, None] * B + i[None, :], a)
`},
	{"a store between a load and a product", `
f = x.to(tl.pointer_type(tl.float32), bitcast=True)
z = y.to(tl.pointer_type(tl.float32), bitcast=True)
tl.store(f + i[:, None] * B + i[None, :], (i[:, None] * 3 + i[None, :]).to(tl.float32) * 0.125)
tl.debug_barrier()
v = tl.load(f + i[:, None] * B + i[None, :])
w = tl.load(f + i[None, :] * B + i[:, None])
tl.store(f + i[:, None] * B + i[None, :], v * 2)
tl.store(z + i[:, None] * B + i[None, :], tl.dot(v, w, input_precision="ieee"))
`},
	{"a wrapping load, a store and a product", `
f = x.to(tl.pointer_type(tl.float32), bitcast=True)
z = y.to(tl.pointer_type(tl.float32), bitcast=True)
tl.store(f + i[:, None] * B + i[None, :], (i[:, None] * 3 + i[None, :]).to(tl.float32) * 0.125)
tl.debug_barrier()
v = tl.load(f + (i[:, None] % n) * B + i[None, :])
tl.store(f + i[:, None] * B + i[None, :], (i[:, None] + i[None, :]).to(tl.float32))
tl.store(z + i[:, None] * B + i[None, :], tl.dot(v, v, input_precision="ieee"))
`},
	{"gathered in a loop that stores", `
v = tl.load(x + i + 4)
for q in range(n):
    g = tl.gather(v, (i + q) % B, 0)
    tl.store(x + i, g, mask=i < n)
`},
	{"a gather from memory in a loop that stores", `
k = tl.load(x + (i * 5) % B)
for q in range(n):
    tl.store(x + i, k, mask=i < n)
`},
	{"scattered in a loop", `
v = tl.load(x + i + 4)
for q in range(n):
    tl.store(x + (i * 5 + q) % B, v, mask=i < n)
`},
	{"atomics in a loop", `
v = tl.load(x + i + 4)
for q in range(n):
    tl.atomic_add(x + i, v, mask=i < n)
`},
	{"atomics before the use", `
v = tl.load(x + i)
tl.atomic_add(x + i, v + 1)
tl.store(y + i, v)
`},
	{"atomics of scalars before the use", `
v = tl.load(x + i)
tl.atomic_add(x + 3, 100)
tl.atomic_cas(x + 4, 4, 77)
tl.store(y + i, v)
`},
	{"an element stored before the use", `
v = tl.load(x + i)
tl.store(x + 5, 99)
tl.store(y + i, v)
`},
	{"an element loaded, stored in a loop", `
s = tl.load(x + 4)
for q in range(n):
    tl.store(x + i + q, s + i, mask=i < n)
`},
	{"carried by a loop that stores", `
v = tl.load(x + i + 4)
w = v
for q in range(n):
    tl.store(x + i, w, mask=i < n)
    w = v + q
tl.store(y + i, w)
`},
	{"loaded in the loop, carried past the store", `
w = tl.load(x + i)
for q in range(n):
    v = tl.load(x + i + q)
    tl.store(x + i + 1, w + v, mask=i < n)
    w = v
tl.store(y + i, w)
`},
	{"handed on by a branch that stores", `
v = tl.load(x + i + 4)
w = v
if n > 2:
    tl.store(x + i + 3, v * 2, mask=i < n)
    w = v + 1
tl.store(y + i, w)
tl.store(y + i + B, v)
`},
	{"handed on by a while loop that stores", `
v = tl.load(x + i + 4)
w = v
q = 0
while q < n:
    tl.store(x + i + q, v * 2, mask=i < n)
    w = v + w
    q += 1
tl.store(y + i, w)
`},
	{"a condition loaded in a while loop that stores", `
q = 0
while tl.load(x) < 9:
    v = tl.load(x + i)
    tl.store(x + i, v + 3, mask=i < n)
    tl.store(y + i, v)
`},
	{"shifted down in place", `
v = tl.load(x + i + 1)
tl.store(x + i, v)
`},
	{"shifted up in place", `
v = tl.load(x + i)
tl.store(x + i + 1, v)
`},
	{"shifted by an argument", `
v = tl.load(x + i + n)
tl.store(x + i, v)
`},
	{"shifted by an argument, masked", `
v = tl.load(x + i, mask=i < n)
tl.store(x + i + n, v, mask=i < n)
tl.store(x + i + 2, v, mask=i < n)
`},
	{"swapped halves", `
v = tl.load(x + i)
w = tl.load(x + i + B)
tl.store(x + i + B, v)
tl.store(x + i, w)
`},
	{"swapped with an overlap", `
v = tl.load(x + i)
w = tl.load(x + i + 8)
tl.store(x + i + 8, v)
tl.store(x + i, w)
`},
	{"stores one over the other", `
tl.store(x + i, i)
tl.store(x + i + 3, i * 2)
tl.store(x + i + 1, i * 3, mask=i < n)
`},
	{"a store, its load, a store", `
v = tl.load(x + i)
tl.store(x + i, v + 100)
w = tl.load(x + i + 1)
tl.store(x + i + 2, w)
`},
	{"a store read back elsewhere", `
v = tl.load(x + i)
tl.store(x + i, v * 2, mask=i < n)
w = tl.load(x + (i + 33) % B)
tl.store(y + i, w)
`},
	{"reversed in place", `
v = tl.load(x + i)
tl.store(x + (B - 1) - i, v)
`},
	{"a sum with its transpose in place", `
p = x + i[:, None] * B + i[None, :]
v = tl.load(p) + 1
tl.store(p, v + tl.trans(v))
`},
	{"a buffer and its transpose", `
p = x + i[:, None] * B + i[None, :]
v = tl.load(p)
w = tl.exp(tl.log(v.to(tl.float32) + 1.0)).to(tl.int32) * 0 + v
t = w + 1
tl.store(p, t + tl.trans(t))
tl.store(y + i[:, None] * B + i[None, :], w)
`},
	{"flipped in place", `
v = tl.load(x + i)
tl.store(x + i, tl.flip(v))
`},
	{"transposed in place", `
p = x + i[:, None] * B + i[None, :]
tl.store(p, tl.trans(tl.load(p)))
`},
	{"transposed in place, masked", `
p = x + i[:, None] * B + i[None, :]
m = (i[:, None] < n) & (i[None, :] < n)
tl.store(p, tl.trans(tl.load(p, mask=m, other=1)), mask=m)
`},
	{"transposed in place by pointers", `
v = tl.load(x + i[:, None] * B + i[None, :])
tl.store(x + i[:, None] + i[None, :] * B, v)
`},
	{"transposed in place with rows an argument apart", `
p = x + i[:, None] * n + i[None, :]
v = tl.load(p)
tl.store(x + i[:, None] * B + i[None, :], v)
`},
	{"broadcast over itself", `
j = tl.arange(0, 8)
v = tl.load(x + j)
tl.store(x + i[:, None] * 8 + j[None, :], v[None, :] + i[:, None])
`},
	{"broadcast over itself in place", `
j = tl.arange(0, 8)
p = x + i[:, None] * 8 + j[None, :]
v = tl.load(p)
tl.store(p, v + tl.sum(v, 0)[None, :])
`},
	{"a column broadcast over itself", `
j = tl.arange(0, 8)
v = tl.load(x + i * 8)
tl.store(x + i[:, None] * 8 + j[None, :], v[:, None] + j[None, :])
`},
	{"reshaped in place", `
v = tl.load(x + i)
tl.store(x + i, tl.reshape(tl.trans(tl.reshape(v, (B // 8, 8))), (B,)))
`},
	{"interleaved in place", `
v = tl.load(x + i)
j = tl.arange(0, 2 * B)
tl.store(x + j, tl.interleave(v, v + 1))
`},
	{"joined in place", `
j = tl.arange(0, 2)
p = x + i[:, None] * 2 + j[None, :]
a, b = tl.split(tl.load(p))
tl.store(p, tl.join(b, a))
`},
	{"gathered in place", `
v = tl.load(x + i)
tl.store(x + i, tl.gather(v, (i * 5 + 3) % B, 0))
`},
	{"scanned in place", `
v = tl.load(x + i)
tl.store(x + i, tl.cumsum(v, 0))
`},
	{"rows of stride zero", `
v = tl.load(x + i * 0)
tl.store(x + i * 0, v + 5, mask=i < 1)
tl.store(y + i, v)
`},
	{"rows an argument apart that overlap", `
j = tl.arange(0, 8)
p = x + i[:, None] * (n - 5) + j[None, :]
v = tl.load(p)
tl.store(p, v + 1, mask=(i[:, None] < 1) & (j[None, :] < 8))
tl.store(y + i[:, None] * 8 + j[None, :], v)
`},
	{"summed, then stored over", `
v = tl.load(x + i)
s = tl.sum(v, 0)
tl.store(x + i, v + s)
tl.store(x + i + 1, v, mask=i < n)
`},
	{"reduced rows over their own", `
j = tl.arange(0, 8)
p = x + i[:, None] * 8 + j[None, :]
v = tl.load(p)
tl.store(x + i, tl.sum(v, 1))
tl.store(y + i[:, None] * 8 + j[None, :], v)
`},
	{"a loop of loads and stores through shifted places", `
for q in range(n):
    v = tl.load(x + i + q)
    tl.store(x + i + q + 1, v + 1, mask=i < n)
`},
	{"a loop with a load before the store and one after", `
for q in range(n):
    v = tl.load(x + i)
    tl.store(x + i + 1, v + 1)
    w = tl.load(x + i + 2)
    tl.store(y + i + q, v + w)
`},
	{"a branch between a load and its use", `
v = tl.load(x + i + 1)
if n > 3:
    tl.store(x + i, i * 100)
tl.store(y + i, v)
`},
	{"a pointer chosen at run time", `
p = x
if n > 3:
    p = x + 4
v = tl.load(x + i)
tl.store(p + i, v + 1)
tl.store(y + i, v)
`},
	{"an address made of an integer", `
a = x.to(tl.int64, bitcast=True) + 16
p = a.to(tl.pointer_type(tl.int32), bitcast=True)
v = tl.load(x + i)
tl.store(p + i, v + 1)
tl.store(y + i, v)
`},
	{"addresses made of integers", `
a = x.to(tl.int64, bitcast=True) + i.to(tl.int64) * 4 + 16
p = a.to(tl.pointer_type(tl.int32), bitcast=True)
v = tl.load(x + i)
tl.store(p, v + 1)
tl.store(y + i, v)
`},
	{"the same memory in other types", `
h = x.to(tl.pointer_type(tl.int16), bitcast=True)
v = tl.load(h + i)
tl.store(x + i, v.to(tl.int32) * 3)
`},
	{"the same memory in other types, reversed", `
h = x.to(tl.pointer_type(tl.int16), bitcast=True)
v = tl.load(x + i)
tl.store(h + i, v.to(tl.int16) + 1)
`},
	{"block pointers", `
p = tl.make_block_ptr(x, (4 * B,), (1,), (0,), (B,), (0,))
v = tl.load(tl.advance(p, (3,)))
tl.store(p, v)
tl.store(tl.advance(p, (1,)), v)
`},
	{"block pointers in a loop", `
p = tl.make_block_ptr(x, (4 * B,), (1,), (0,), (B,), (0,))
q = tl.advance(p, (3,))
for r in range(n):
    v = tl.load(q)
    tl.store(p, v, boundary_check=(0,))
    p = tl.advance(p, (1,))
`},
	{"descriptors", `
d = tl.make_tensor_descriptor(x, [4 * B], [1], [B])
v = d.load([4])
tl.store(x + i + 1, v, mask=i < n)
d.store([0], v)
`},
	{"through another pointer", `
v = tl.load(x + i)
tl.store(y + i, v + 1)
`},
	{"through another pointer, with a barrier", `
v = tl.load(x + i)
tl.debug_barrier()
tl.store(y + i, v + 1)
`},
	{"through another pointer, summed between", `
v = tl.load(x + i)
s = tl.sum(v, 0)
tl.store(y + i, v + s)
`},
	{"through another pointer, both ways", `
v = tl.load(x + i)
w = tl.load(y + i)
tl.store(y + i, v + 1)
tl.store(x + i, w + 1)
`},
	{"through another pointer, in a loop", `
for q in range(n):
    v = tl.load(x + i + q)
    tl.store(y + i, v + 1, mask=i < n)
`},
	{"through another pointer, elsewhere", `
v = tl.load(x + i + 1)
tl.store(y + i, v)
`},
	{"through another pointer, transposed", `
v = tl.load(x + i[:, None] * B + i[None, :])
tl.store(y + i[:, None] * B + i[None, :], tl.trans(v))
`},
	{"two pointers stored through", `
tl.store(x + i, i)
tl.store(y + i, i * 2)
`},
	{"two pointers, rows", `
j = tl.arange(0, 8)
v = tl.load(x + i[:, None] * 8 + j[None, :])
tl.store(y + i[:, None] * 8 + j[None, :], v + tl.max(v, 1)[:, None])
`},
	{"a product through another pointer", `
f = x.to(tl.pointer_type(tl.float32), bitcast=True)
z = y.to(tl.pointer_type(tl.float32), bitcast=True)
tl.store(f + i[:, None] * B + i[None, :], (i[:, None] * 3 + i[None, :]).to(tl.float32) * 0.125)
tl.debug_barrier()
v = tl.load(f + i[:, None] * B + i[None, :])
tl.store(z + i[:, None] * B + i[None, :], tl.dot(v, v, input_precision="ieee"))
`},
}

// orderModule is all of orderKernels, as k0, k1 and so on.
func orderModule(t testing.TB) *nereid.Module {
	t.Helper()
	var b strings.Builder
	b.WriteString("import triton\nimport triton.language as tl\n")
	for i, k := range orderKernels {
		fmt.Fprintf(&b, "\n@triton.jit\ndef k%d(x, y, n, B: tl.constexpr):\n    i = tl.arange(0, B)\n", i)
		for line := range strings.Lines(strings.TrimSpace(k.body)) {
			b.WriteString("    " + line)
		}
		b.WriteString("\n")
	}
	m, err := nereid.Parse("order.py", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// orderRun runs a kernel and returns all of its memory: x in the middle, and y so many elements further, in
// the same memory.
func orderRun(t *testing.T, dev *nereid.Device, k *nereid.Kernel, shift, n, block int) []int32 {
	t.Helper()
	room := 2 * (block*block + 4*block)
	data := make([]int32, 3*room)
	for i := range data {
		data[i] = int32(i % 1009)
	}
	mem, err := nereid.NewTensor(dev, nereid.Int32, len(data))
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	host, err := nereid.AsSlice[int32](mem)
	if err != nil {
		t.Fatal(err)
	}
	s := streamOf(t, dev)
	x := mem.Offset(4 * room)
	y := x.Offset(4 * shift)
	if shift == room/2 { // x ends where y begins
		x.Shape, y.Shape = []int{shift}, []int{shift}
	}
	for range 2 { // the second as repeated launches go
		copy(host, data)
		if err := k.Launch(s, nereid.Grid{1}, x, y, n, block); err != nil {
			t.Fatal(err)
		}
	}
	copy(data, host)
	return data
}

// TestMemoryOrder: a program sees its own memory in order on the CPU as in the interpreter, whatever was
// moved into one loop.
func TestMemoryOrder(t *testing.T) {
	dev, judge := cpuAndJudge(t)
	m := orderModule(t)
	for i, c := range orderKernels {
		t.Run(c.name, func(t *testing.T) {
			k, err := m.Kernel(fmt.Sprintf("k%d", i))
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range []struct{ n, block int }{{6, 16}, {7, 64}} {
				far := b.block*b.block + 4*b.block
				for _, shift := range []int{far, 0, 16, -16, 1, -1} {
					if shift != far && !strings.Contains(c.name, "pointer") {
						continue
					}
					want, got := orderRun(t, judge, k, shift, b.n, b.block),
						orderRun(t, dev, k, shift, b.n, b.block)
					for j := range want {
						if want[j] != got[j] {
							t.Errorf("n=%d, %d elements, y at x%+d: element x%+d is %d, not %d",
								b.n, b.block, shift, j-len(want)/3, got[j], want[j])
							break
						}
					}
				}
			}
		})
	}
}
