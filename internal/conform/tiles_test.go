package conform

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// tileCase is a kernel with loads or stores by pointers. x has fp16 elements, y fp32, n, s and t are numbers;
// p and h are the program's numbers along the grid's axes, r and c count to 32 along rows and columns.
type tileCase struct {
	name     string
	body     string
	maps     int      // tensor maps that the kernel takes
	launches [][3]int // values of n, s and t
}

// TestTileLoads runs loads that the copy engine executes, and loads that it must not, on the simulated sm_90.
// The interpreter says what is right. Some launches have arguments that no tensor map describes. With
// -device, they run on that device.
func TestTileLoads(t *testing.T) {
	t.Setenv("NEREID_TILE_LOADS", "all")
	runTileCases(t, tileCases)
}

// runTileCases runs every other case, others at each commit.
func runTileCases(t *testing.T, cases []*tileCase) {
	t.Helper()
	dev, judge, chosen := hopper(t), interpreter(t), sampleHere(t, 2)
	for i, c := range cases {
		if !chosen(i) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			dump := t.TempDir()
			k := c.kernel(t, dump)
			maps := 0
			for _, l := range c.launches {
				want, got := c.run(t, k, judge, l), c.run(t, k, dev, l)
				if !bytes.Equal(want, got) {
					t.Errorf("n, s, t = %v: results differ", l)
				}
				// code for launches without tiles is dumped to the same place
				maps = max(maps, mapsIn(t, dump))
			}
			if maps != c.maps {
				t.Errorf("the kernel takes %d tensor maps, not %d", maps, c.maps)
			}
		})
	}
}

// TestTileInPlace loads what the iteration before has stored through another argument. The copy engine may
// load only if that is other memory, wherever it begins.
func TestTileInPlace(t *testing.T) {
	dev, judge, dump := hopper(t), interpreter(t), t.TempDir()
	t.Setenv("NEREID_TILE_LOADS", "all")
	overlap := false // whether the last launch's code allows it
	hooks := nereid.Hooks{AfterLaunch: func(l nereid.Launching, _ error) {
		overlap = l.Variant.Options.Overlap
	}}
	k := kernelOf(t, `
@triton.jit
def k(x, y):
    r, c = tl.arange(0, 32), tl.arange(0, 32)
    at = (tl.program_id(0) * 32 + r)[:, None] * 32 + c[None, :]
`, `
for i in range(3):
    v = tl.load(x + at)
    tl.debug_barrier()
    tl.store(y + at, v + 1)
    tl.debug_barrier()
`, nereid.With(nereid.Config{Dump: dump, Hooks: hooks}))
	const apart = -1
	run := func(dev *nereid.Device, ahead int) []byte {
		x := lend(t, dev, numbers(f16, 4096))
		y := lend(t, dev, newArray(f16, 4096))
		if ahead != apart {
			y = x.Offset(ahead)
		}
		s := txtest.Open(t, dev.NewStream, t.Context())
		if err := k.Launch(s, nereid.Grid{1}, x, y); err != nil {
			t.Fatal(err)
		}
		if ahead != apart {
			return bytesOf(t, x)
		}
		return bytesOf(t, y)
	}
	// y is other memory, x itself, or begins in the middle of what is loaded of x; and again
	for _, ahead := range []int{apart, 0, 64, 1024, 2048 - 32, apart, 64} {
		if !bytes.Equal(run(judge, ahead), run(dev, ahead)) {
			t.Errorf("y is %d bytes behind x: results differ", ahead)
		}
		if overlap != (ahead != apart) {
			t.Errorf("y is %d bytes behind x: the code allows overlap: %v", ahead, overlap)
		}
	}
	if got := mapsIn(t, dump); got != 1 {
		t.Errorf("the kernel takes %d tensor maps", got)
	}
}

// mapsIn returns the most tensor maps that the dumped kernels take.
func mapsIn(t *testing.T, dump string) (most int) {
	t.Helper()
	for _, text := range dumpedTTGIR(t, dump) {
		most = max(most, strings.Count(text, "nereid.tile"))
	}
	return most
}

func (c *tileCase) kernel(t *testing.T, dump string) *nereid.Kernel {
	t.Helper()
	return kernelOf(t, `
@triton.jit
def k(x, y, n, s, t):
    p, h = tl.program_id(0), tl.program_id(1)
    r, c = tl.arange(0, 32), tl.arange(0, 32)
    out = y + (h * 2 + p) * 1024 + r[:, None] * 32 + c[None, :]
`, c.body, nereid.With(nereid.Config{Dump: dump}))
}

// run launches four programs and returns what they have stored.
func (c *tileCase) run(t *testing.T, k *nereid.Kernel, dev *nereid.Device, l [3]int) []byte {
	t.Helper()
	return leaves(t, k, dev, nereid.Grid{2, 2}, numbers(f16, 16384), newArray(f32, 4096), l[0], l[1], l[2],
		nereid.Options{NumWarps: 4, NumStages: 3})
}

// load returns a body that loads and stores one tile.
func load(ptr, mask string) string {
	if mask != "" {
		mask = ", mask=" + mask
	}
	return fmt.Sprintf("tl.store(out, tl.load(x + %s%s).to(tl.float32))", ptr, mask)
}

// rows is the place of 32 rows of a program.
const rows = "(p * 32 + r)[:, None] * s + c[None, :]"

var tileCases = []*tileCase{
	{"strides that are arguments", load("h * t + (p * 32 + r)[:, None] * s + c[None, :]", ""), 1,
		[][3]int{{1, 64, 4096}, {1, 32, 32}, {1, 96, 16}}},
	{"a stride of zero", load("h * t + (p * 32 + r)[:, None] * s + c[None, :]", ""), 1,
		[][3]int{{1, 32, 32}, {1, 0, 4096}, {1, 32, 0}}},
	{"a negative stride", load("8192 + h * t + (p * 32 + r)[:, None] * s + c[None, :]", ""), 1,
		[][3]int{{1, 64, 4096}, {1, -64, 4096}, {1, 64, -4096}, {1, 64, 4096}}},
	// a column before the row's first lies in the row before
	{"a negative start", load("4096 + (p * 32 + r)[:, None] * s + (n + c)[None, :]", ""), 1,
		[][3]int{{32, 128, 0}, {-32, 128, 0}, {0, 128, 0}, {-64, 128, 0}}},
	{"negative starts of rows", load("8192 + (n + p * 32 + r)[:, None] * s + c[None, :]", ""), 1,
		[][3]int{{2, 64, 0}, {-2, 64, 0}, {-100, 64, 0}}},
	{"the last first", load("h * t + ((tl.num_programs(0) - 1 - p) * 32 + r)[:, None] * s + c[None, :]", ""),
		1, [][3]int{{1, 64, 4096}}},
	{"one before the first", load("64 + ((tl.num_programs(0) - 2 - p) * 32 + r)[:, None] * s + c[None, :]",
		"((tl.num_programs(0) - 2 - p) * 32 + r)[:, None] * s + c[None, :] >= 0"), 0, [][3]int{{1, 64, 0}}},
	{"a stride of 2 bytes", load(rows, ""), 0, [][3]int{{1, 65, 0}}},
	{"constant strides", load("h * 4096 + p * 2048 + r[:, None] * 64 + c[None, :]", ""), 1,
		[][3]int{{0, 0, 0}}},
	{"columns first", load("h * t + r[:, None] + (p * 32 + c)[None, :] * s", ""), 1, [][3]int{{1, 64, 4096}}},
	{"neither dimension contiguous", load("r[:, None] * s + c[None, :] * 2", ""), 0, [][3]int{{1, 64, 0}}},
	{"a bound of rows", load(rows, "(p * 32 + r)[:, None] < n, other=0.0"), 1,
		[][3]int{{3, 64, 0}, {32, 64, 0}, {0, 64, 0}, {-5, 64, 0}, {-16, 64, 0}, {32, 64, 0}, {45, 64, 0},
			{90, 64, 0}}},
	{"bounds of both", load("(p * 32 + r)[:, None] * s + (h * 32 + c)[None, :]",
		"((p * 32 + r)[:, None] < n) & (h * 32 + c < t)[None, :], other=0.0"), 1,
		[][3]int{{33, 64, 31}, {64, 64, 40}, {10, 64, 64}}},
	{"bounds of both, columns first", load("(h * 32 + r)[:, None] + (p * 32 + c)[None, :] * s",
		"((p * 32 + c)[None, :] <= n) & (t > h * 32 + r)[:, None], other=0.0"), 1,
		[][3]int{{33, 64, 31}, {63, 64, 40}}},
	{"another value outside", load(rows,
		"(p * 32 + r)[:, None] < n, other=1.0"), 0, [][3]int{{45, 64, 0}}},
	{"a bound from below", load("(p * 32 + r - 8)[:, None] * s + c[None, :]",
		"((p * 32 + r - 8)[:, None] >= 0) & ((p * 32 + r - 8)[:, None] < n), other=0.0"), 1,
		[][3]int{{45, 64, 0}, {10, 64, 0}}},
	{"a bound below which rows lie", load("(p * 32 + r - 8)[:, None] * s + c[None, :]",
		"((p * 32 + r)[:, None] >= 8) & ((p * 32 + r)[:, None] < n), other=0.0"), 1,
		[][3]int{{45, 64, 0}, {20, 64, 0}}},
	{"another bound from below", load(rows,
		"(p * 32 + r)[:, None] >= n, other=0.0"), 0, [][3]int{{5, 64, 0}}},
	{"rows that may be negative", load("4096 + (p * 32 + r - n)[:, None] * s + c[None, :]", ""), 0,
		[][3]int{{8, 64, 0}}},
	{"the lesser of rows of which some may be negative",
		load("8192 + (tl.minimum(p * 32, n - 64) + r)[:, None] * s + c[None, :]", ""), 0,
		[][3]int{{128, 64, 0}, {10, 64, 0}}},
	{"the greater of rows that may be negative",
		load("8192 + (tl.maximum(n - 64, t - 32) + p * 32 + r)[:, None] * s + c[None, :]", ""), 0,
		[][3]int{{128, 64, 64}, {10, 64, 0}}},
	{"chosen rows of which some may be negative",
		load("8192 + (tl.where(n > 64, p * 32, n - 64) + r)[:, None] * s + c[None, :]", ""), 0,
		[][3]int{{128, 64, 0}, {10, 64, 0}}},
	{"a remainder that may be negative",
		load("8192 + ((n - 64) % 32 + p * 32 + r)[:, None] * s + c[None, :]", ""), 0,
		[][3]int{{128, 64, 0}, {10, 64, 0}}},
	{"a quotient that may be negative",
		load("8192 + ((n - 64) // 2 + p * 32 + r)[:, None] * s + c[None, :]", ""), 0,
		[][3]int{{128, 64, 0}, {10, 64, 0}}},
	{"a quotient by a number that may be negative",
		load("8192 + ((p + 4) // n * 32 + r)[:, None] * s + c[None, :]", ""), 1,
		[][3]int{{2, 64, 0}, {-2, 64, 0}, {4, 64, 0}}},
	{"the greater of rows and 0",
		load("h * t + (tl.maximum(n - 64, 0) + p * 32 + r)[:, None] * s + c[None, :]", ""), 1,
		[][3]int{{80, 64, 4096}, {10, 64, 4096}}},
	{"rows before the tile's head", load("h * t + (p * 32 + r - 16 * h)[:, None] * s + c[None, :]", ""), 0,
		[][3]int{{8, 64, 4096}}},
	{"a bound on other rows", load(rows, "(p * 16 + r)[:, None] < n, other=0.0"), 0,
		[][3]int{{20, 64, 0}}},
	{"two bounds", load(rows,
		"((p * 32 + r)[:, None] < n) & ((p * 32 + r)[:, None] < t), other=0.0"), 0, [][3]int{{20, 64, 10}}},
	{"a condition", load(rows, "(n > 5) & (r < 99)[:, None], other=0.0"), 0,
		[][3]int{{5, 64, 0}, {6, 64, 0}}},
	{"any column", load("(p * 32 + r)[:, None] * s + (n + c)[None, :]", ""), 0,
		[][3]int{{7, 64, 0}, {8, 64, 0}}},
	{"an aligned column", load("(p * 32 + r)[:, None] * s + (n + c)[None, :]", ""), 1,
		[][3]int{{16, 64, 0}, {48, 64, 0}}},
	{"rows from memory", "at = tl.load(x + 7).to(tl.int32)\n" +
		load("(at + r)[:, None] * s + c[None, :]", ""), 0,
		[][3]int{{1, 64, 0}}},
	{"wrapped rows", load("((p * 32 + r) % n)[:, None] * s + c[None, :]", ""), 1,
		[][3]int{{64, 64, 0}, {32, 64, 0}, {48, 64, 0}, {16, 64, 0}}},
	{"wrapped rows of any number", load("((p * 32 + r) % n)[:, None] * s + c[None, :]", ""), 0,
		[][3]int{{33, 64, 0}}},
	{"wrapped rows from anywhere", load("((p * 8 + r) % n)[:, None] * s + c[None, :]", ""), 0,
		[][3]int{{32, 64, 0}}},
	{"wrapped rows of 64 bits", load("((p * 32 + r).to(tl.int64) % n)[:, None] * s + c[None, :]", ""), 0,
		[][3]int{{1 << 33, 64, 0}}},
	{"wrapped rows that may be negative",
		load("8192 + ((p * 32 - n + r) % n)[:, None] * s + c[None, :]", ""), 0,
		[][3]int{{32, 64, 0}}},
	{"programs in groups", `
i = h * 2 + p
high = tl.minimum(n - i // 4 * 4, 4)
tl.store(out, tl.load(x + ((i // high * 32 + r) % t)[:, None] * s + c[None, :]).to(tl.float32))`, 1,
		[][3]int{{4, 64, 64}, {2, 64, 32}}},
	{"a divisor that may be negative", `
i = h * 2 + p
high = n - i * 2
high = tl.where(high == 0, 1, high)
tl.store(out, tl.load(x + ((i // high * 32 + r) % t)[:, None] * s + c[None, :], mask=high[None, None] > 0,
    other=0.0).to(tl.float32))`, 0, [][3]int{{8, 64, 64}}},
	{"pointers that a loop moves", `
at = x + (p * 32 + r)[:, None] * s + c[None, :]
sum = tl.zeros((32, 32), tl.float32)
for k in range(tl.cdiv(n, 32)):
    sum += tl.load(at, mask=c[None, :] < n - k * 32, other=0.0)
    at += 32
tl.store(out, sum)`, 1, [][3]int{{0, 128, 0}, {5, 128, 0}, {32, 128, 0}, {77, 128, 0}}},
	{"a loop's variable", `
sum = tl.zeros((32, 32), tl.float32)
for k in range(p * 16, n, 32):
    sum += tl.load(x + h * t + (k + r)[:, None] * s + c[None, :], mask=(k + r)[:, None] < n, other=0.0)
tl.store(out, sum)`, 1, [][3]int{{0, 64, 4096}, {16, 64, 4096}, {33, 64, 4096}, {64, 64, 4096}}},
	{"a loop in a loop", `
sum = tl.zeros((32, 32), tl.float32)
for j in range(2):
    at = x + j * t + r[:, None] * s + c[None, :]
    for k in range(n):
        sum += tl.load(at)
        at += 32 * s
tl.store(out, sum)`, 1, [][3]int{{0, 64, 4096}, {2, 64, 4096}}},
	{"a store through the same argument", `
v = tl.load(x + (p * 32 + r)[:, None] * s + c[None, :])
tl.store(x + 16000 + tl.arange(0, 4), 1.0, mask=n > 99)
tl.store(out, v.to(tl.float32))`, 0, [][3]int{{2, 64, 0}}},
	{"an atomic", `
tl.atomic_add(y + 4095 + p * 0, 0.0)
v = tl.load(x + (p * 32 + r)[:, None] * s + c[None, :])
tl.store(out, v.to(tl.float32), mask=(h + p < 2)[None, None])`, 0, [][3]int{{1, 64, 0}}},
	{"under a branch", `
if n > 3:
    tl.store(out, tl.load(x + (p * 32 + r)[:, None] * s + c[None, :]).to(tl.float32))`, 1,
		[][3]int{{1, 64, 0}, {4, 64, 0}}},
	{"a product", `
a = x + (p * 32 + r)[:, None] * s + c[None, :]
b = x + h * t + c[:, None] + r[None, :] * s
acc = tl.zeros((32, 32), tl.float32)
for k in range(0, n, 32):
    left = n - k
    left_b = tl.load(b, mask=c[:, None] < left, other=0.0)
    acc = tl.dot(tl.load(a, mask=c[None, :] < left, other=0.0), left_b, acc)
    a += 32
    b += 32
tl.store(out, acc)`, 2, [][3]int{{0, 128, 4096}, {20, 128, 4096}, {32, 128, 4096}, {100, 128, 4096}}},
}
