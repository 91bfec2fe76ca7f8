package conform

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestTileStores runs stores that the copy engine executes, and stores that it must not, as TestTileLoads
// does.
func TestTileStores(t *testing.T) {
	t.Setenv("NEREID_TILE_STORES", "all")
	t.Setenv("NEREID_TILE_LOADS", "off")
	runTileCases(t, tileStoreCases)
}

// TestTileStoresOfLoads stores what the copy engine has loaded.
func TestTileStoresOfLoads(t *testing.T) {
	t.Setenv("NEREID_TILE_STORES", "all")
	t.Setenv("NEREID_TILE_LOADS", "all")
	runTileCases(t, []*tileCase{
		{"a copy", "tl.store(out, tl.load(x + " + rows + ").to(tl.float32))", 2, [][3]int{{1, 64, 0}}},
		{"a loop before", `
sum = tl.zeros((32, 32), tl.float32)
for i in range(n):
    sum += tl.load(x + i * t + ` + rows + `).to(tl.float32)
tl.store(out, sum)`, 2, [][3]int{{3, 64, 1024}, {0, 64, 1024}}},
	})
}

// TestTileStoreInPlace loads through one argument what the program has stored through another. The copy
// engine may store only if that is other memory. It may store to what the program has used before.
func TestTileStoreInPlace(t *testing.T) {
	dev, judge := hopper(t), interpreter(t)
	t.Setenv("NEREID_TILE_STORES", "all")
	t.Setenv("NEREID_TILE_LOADS", "off")
	for _, c := range []struct {
		name, body string
		overlap    bool // whether code of its own is needed if y is x
	}{
		{"before", "tl.store(y + at, tl.load(x + at) + 1)", false},
		{"behind", `
tl.store(y + at, at.to(tl.float16))
tl.debug_barrier()
tl.store(z + at, tl.load(x + at) + 1)`, true},
		{"not used", `
v = tl.load(x + at)
tl.store(y + at, at.to(tl.float16))
tl.store(z + at, v)`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			overlap, dump := false, t.TempDir()
			hooks := nereid.Hooks{AfterLaunch: func(l nereid.Launching, _ error) {
				overlap = l.Variant.Options.Overlap
			}}
			k := kernelOf(t, `
@triton.jit
def k(x, y, z):
    at = tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :]
`, c.body, nereid.With(nereid.Config{Dump: dump, Hooks: hooks}))
			run := func(dev *nereid.Device, same bool) []byte {
				x, y := lend(t, dev, numbers(f16, 1024)), lend(t, dev, newArray(f16, 1024))
				z := lend(t, dev, newArray(f16, 1024))
				if same {
					y = x
				}
				s := txtest.Open(t, dev.NewStream, t.Context())
				if err := k.Launch(s, nereid.Grid{1}, x, y, z); err != nil {
					t.Fatal(err)
				}
				return bytes.Join([][]byte{bytesOf(t, y), bytesOf(t, z)}, nil)
			}
			for _, same := range []bool{false, true, false} {
				if !bytes.Equal(run(judge, same), run(dev, same)) {
					t.Errorf("y is x: %v: results differ", same)
				}
				if overlap != (same && c.overlap) {
					t.Errorf("y is x: %v: the code allows overlap: %v", same, overlap)
				}
			}
			if mapsIn(t, dump) == 0 {
				t.Error("the kernel takes no tensor maps")
			}
		})
	}
}

// TestStoresByHostRows stores through a descriptor that the kernel makes with the rows of one that the host
// has made. The hardware is used for rows that end at 16 bytes, and what lies behind rows stays as it is.
func TestStoresByHostRows(t *testing.T) {
	dev, judge := hopper(t), interpreter(t)
	k := kernelOf(t, "\n@triton.jit\ndef k(p, d):\n", `
v = (tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :] + 1).to(tl.float16)
d = tl.make_tensor_descriptor(p, d.shape, d.strides[:-1] + (1,), d.block_shape)
d.store((0, 0), v)
`)
	for _, n := range []int64{1, 8, 15, 24, 29, 32} {
		run := func(dev *nereid.Device) []byte {
			x := lend(t, dev, newArray(f16, 32*64))
			s := txtest.Open(t, dev.NewStream, t.Context())
			d := &nereid.Descriptor{Base: x, Shape: []int64{20, n}, Strides: []int64{64, 1},
				Block: []int64{32, 32}}
			if err := k.Launch(s, nereid.Grid{1}, x, d); err != nil {
				t.Fatal(err)
			}
			return bytesOf(t, x)
		}
		if !bytes.Equal(run(judge), run(dev)) {
			t.Errorf("%d columns: results differ", n)
		}
	}
}

// TestStoresAtRowEnds stores and adds through descriptors of tensors whose rows end before the stride, within
// 16 bytes and not. What lies behind the rows stays as it is.
func TestStoresAtRowEnds(t *testing.T) {
	dev, judge := hopper(t), interpreter(t)
	const inKernel = "d = tl.make_tensor_descriptor(d, (m, n), (s, 1), (32, 32))\n"
	for _, c := range []struct {
		name, head, body string
		host             bool
	}{
		{"store", "", "d.store((0, 0), v)", true},
		{"sum", "", "d.atomic_add((0, 0), v)", true},
		{"store in the kernel", inKernel, "d.store((0, 0), v)", false},
		{"sum in the kernel", inKernel, "d.atomic_add((0, 0), v)", false},
	} {
		k := kernelOf(t, `
@triton.jit
def k(d, m, n, s):
    v = (tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :] + 1).to(tl.float16)
`, c.head+c.body)
		run := func(dev *nereid.Device, n int) []byte {
			x := lend(t, dev, newArray(f16, 32*64))
			var d any = x
			if c.host {
				d = &nereid.Descriptor{Base: x, Shape: []int64{20, int64(n)}, Strides: []int64{64, 1},
					Block: []int64{32, 32}}
			}
			s := txtest.Open(t, dev.NewStream, t.Context())
			if err := k.Launch(s, nereid.Grid{1}, d, 20, n, 64); err != nil {
				t.Fatal(err)
			}
			return bytesOf(t, x)
		}
		for _, n := range []int{1, 8, 15, 16, 24, 29, 32} {
			if !bytes.Equal(run(judge, n), run(dev, n)) {
				t.Errorf("%s, %d columns: results differ", c.name, n)
			}
		}
	}
}

// put returns a body that stores one tile of numbers.
func put(ptr, mask string) string {
	if mask != "" {
		mask = ", mask=" + mask
	}
	return fmt.Sprintf("%s\ntl.store(y + %s, v%s)", someNumbers, ptr, mask)
}

// someNumbers are other ones in each program, none of them 0.
const someNumbers = "v = (1 + h * 4096 + p * 2048 + r[:, None] * 32 + c[None, :]).to(tl.float32)"

var tileStoreCases = []*tileCase{
	{"strides that are arguments", put("h * t + "+rows, ""), 1, [][3]int{{1, 32, 2048}}},
	{"constant strides", put("(h * 2 + p) * 1024 + r[:, None] * 32 + c[None, :]", ""), 1,
		[][3]int{{0, 0, 0}}},
	{"columns first", put("h * t + r[:, None] + (p * 32 + c)[None, :] * s", ""), 1, [][3]int{{1, 32, 2048}}},
	{"neither dimension contiguous", someNumbers + `
if h + p == 0:
    tl.store(y + r[:, None] * s + c[None, :] * 2, v)`, 0, [][3]int{{1, 64, 0}}},
	{"bounds of both", put("h * t + "+rows, "((p * 32 + r)[:, None] < n) & (c[None, :] < 28)"), 1,
		[][3]int{{64, 32, 2048}, {45, 32, 2048}, {3, 32, 2048}, {0, 32, 2048}, {-7, 32, 2048},
			{40, 48, 2048}, {40, 33, 2048}, {40, 48, 2047}}},
	{"a bound within 16 bytes", put("h * t + "+rows, "c[None, :] < 29"), 0, [][3]int{{0, 32, 2048}}},
	{"a bound that is an argument", put("h * t + "+rows, "c[None, :] < n"), 1,
		[][3]int{{28, 32, 2048}, {29, 32, 2048}, {32, 32, 2048}, {3, 32, 2048}, {0, 32, 2048}}},
	{"a bound of two terms", put("h * t + "+rows, "c[None, :] < 2 * n + 4"), 1,
		[][3]int{{10, 32, 2048}, {11, 32, 2048}, {4, 32, 2048}}},
	{"a bound from below", put("h * t + (p * 32 + r - 8)[:, None] * s + c[None, :]",
		"((p * 32 + r - 8)[:, None] >= 0) & ((p * 32 + r - 8)[:, None] < n)"), 0, [][3]int{{45, 32, 2048}}},
	{"rows that may be negative", someNumbers + `
if h == 0:
    tl.store(y + 512 + (p * 32 + r - n)[:, None] * s + c[None, :], v)`, 0, [][3]int{{3, 32, 0}}},
	{"wrapped rows", put("h * t + ((p * 32 + r) % n)[:, None] * s + c[None, :]", ""), 1,
		[][3]int{{64, 32, 2048}, {96, 32, 2048}}},
	{"any column", put("h * t + (p * 32 + r)[:, None] * s + n + c[None, :]", ""), 0,
		[][3]int{{3, 32, 2056}}},
	{"under a branch", someNumbers + `
if p + h > n:
    tl.store(out, v)`, 1, [][3]int{{0, 0, 0}, {1, 0, 0}}},
	{"in a loop", someNumbers + `
for i in range(n):
    tl.store(out, v + i)`, 0, [][3]int{{3, 0, 0}}},
	{"twice", someNumbers + `
tl.store(out, v)
tl.store(out, v + 1)`, 0, [][3]int{{3, 0, 0}}},
	{"loaded before", `
v = tl.load(out)
tl.store(out, v + 1)`, 0, [][3]int{{3, 0, 0}}},
	{"with a hint", someNumbers + `
tl.store(out, v, cache_modifier=".cg")`, 0, [][3]int{{3, 0, 0}}},
	{"an atomic", someNumbers + `
tl.atomic_add(y + 4095 + p * 0, 0.0)
tl.store(out, v)`, 0, [][3]int{{3, 0, 0}}},
	{"integers", someNumbers + `
at = (y + (h * 2 + p) * 1024).to(tl.pointer_type(tl.int16))
tl.store(at + r[:, None] * 32 + c[None, :], v.to(tl.int16))`, 1, [][3]int{{3, 0, 0}}},
}
