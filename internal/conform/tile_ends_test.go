package conform

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/nereid-lang/nereid"
)

// endLaunch is a launch with values of n, s and t, and whether its code has tiles.
type endLaunch struct {
	args  [3]int
	tiled bool
}

// TestTileEnds runs loads at indices that do not run on behind the end of a tensor, with and without launches
// in which blocks cross the end. Each launch has a kernel of its own, so that its code is dumped last.
func TestTileEnds(t *testing.T) {
	dev, judge := hopper(t), interpreter(t)
	t.Setenv("NEREID_TILE_LOADS", "all")
	const v = "v = p * 32 + r\n"
	at := func(rows string) string { return load("("+rows+")[:, None] * s + c[None, :]", "") }
	// rows 0 to 31 and 32 to 63 of n
	both := []endLaunch{{[3]int{64, 64, 0}, true}, {[3]int{32, 64, 0}, false}, {[3]int{48, 64, 0}, false},
		{[3]int{96, 64, 0}, true}, {[3]int{16, 64, 0}, false}, {[3]int{-64, 64, 0}, false}}
	few := both[:3]
	none := []endLaunch{{[3]int{64, 64, 0}, false}, {[3]int{32, 64, 0}, false}}
	tiles := `
acc = tl.zeros((32, 32), tl.float32)
for i in range(p, t, 2):
    %s
    v = at * 32 + r
    acc = acc * 3 + tl.load(x + tl.where(v < n, v, 0)[:, None] * s + c[None, :])
tl.store(out, acc)`
	for _, c := range []struct {
		name, body string
		launches   []endLaunch
	}{
		{"less", v + at("tl.where(v < n, v, 0)"), both},
		{"more", v + at("tl.where(n > v, v, 0)"), few},
		{"not less", v + at("tl.where(v >= n, 0, v)"), few},
		{"not more", v + at("tl.where(n <= v, 0, v)"), few},
		{"at most one less", v + at("tl.where(v <= n - 1, v, 0)"), few},
		{"what is left", v + at("tl.where(r < n - p * 32, v, 0)"), few},
		{"a promise", v + at("tl.max_contiguous(tl.multiple_of(tl.where(v < n, v, 0), 32), 32)"), few},
		{"one more", v + at("tl.where(v <= n, v, 0)"), none},
		{"the other way round", v + at("tl.where(v < n, 0, v)"), none},
		{"another number behind the end", v + at("tl.where(v < n, v, 1)"), none},
		{"another index", v + at("tl.where(v < n, v + 1, 0)"), none},
		{"another end", v + at("tl.where(v < n + p, v, 0)"), none},
		{"without a sign", v + at("tl.where(v.to(tl.uint32) < n.to(tl.uint32), v, 0)"), none},
		{"what may be negative", "v = (p - 1) * 32 + r\n" +
			load("2048 + tl.where(v < n, v, 0)[:, None] * s + c[None, :]", ""), none},
		{"the variable of a loop", fmt.Sprintf(tiles, "at = i"), []endLaunch{{[3]int{96, 64, 3}, true},
			{[3]int{96, 64, 4}, false}, {[3]int{96, 64, 0}, true}, {[3]int{80, 64, 3}, false}}},
		{"tiles in groups", fmt.Sprintf(tiles, "at = i // 4 * 2 + i % tl.minimum(n // 32 - i // 4 * 2, 2)"),
			[]endLaunch{{[3]int{96, 64, 6}, true}, {[3]int{128, 64, 8}, true}, {[3]int{64, 64, 6}, false}}},
		{"a loop in a loop", `
acc = tl.zeros((32, 32), tl.float32)
for i in range(2):
    for j in range(i, t):
        v = (i * 2 + j) * 32 + r
        acc = acc * 3 + tl.load(x + tl.where(v < n, v, 0)[:, None] * s + c[None, :])
tl.store(out, acc)`, []endLaunch{{[3]int{128, 64, 2}, true}, {[3]int{160, 64, 3}, true},
			{[3]int{128, 64, 3}, false}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, l := range c.launches {
				dump := t.TempDir()
				tc := &tileCase{body: c.body}
				k := tc.kernel(t, dump)
				if !bytes.Equal(tc.run(t, k, judge, l.args), tc.run(t, k, dev, l.args)) {
					t.Errorf("n, s, t = %v: results differ", l.args)
				}
				if tiled := mapsIn(t, dump) > 0; tiled != l.tiled {
					t.Errorf("n, s, t = %v: the code has tiles: %v", l.args, tiled)
				}
			}
		})
	}
}

var endsFlag = flag.Int("tile-kernels", 15, "how many random kernels TestTileEndsRandom runs")

// TestTileEndsRandom runs random kernels with such indices, and some that only look like them. The
// interpreter says what is right, bit by bit: all numbers are small and whole. Many more: -tile-kernels.
func TestTileEndsRandom(t *testing.T) {
	dev, judge := hopper(t), interpreter(t)
	t.Setenv("NEREID_TILE_LOADS", "all")
	tiled, whole := 0, 0
	for i := range *endsFlag {
		c := rand.New(rand.NewPCG(14, uint64(i)))
		body := endRandom(c)
		for range 2 {
			dump := t.TempDir()
			k := (&tileCase{body: body}).kernel(t, dump)
			args := []any{pickOf(c, 32, 64, 64, 96, 128, 48, 37), pickOf(c, 32, 64, 64, 40), c.IntN(7),
				nereid.Options{NumWarps: 4, NumStages: 3}}
			grid := nereid.Grid{2, 2}
			want := leaves(t, k, judge, grid, numbers(f16, places), newArray(f32, 4096), args...)
			got := leaves(t, k, dev, grid, numbers(f16, places), newArray(f32, 4096), args...)
			if !bytes.Equal(want, got) {
				t.Errorf("kernel %d, n, s, t, options = %v: results differ\n%s", i, args, body)
			}
			if mapsIn(t, dump) > 0 {
				tiled++
			} else {
				whole++
			}
		}
	}
	if tiled < *endsFlag/3 || whole < *endsFlag/3 {
		t.Errorf("%d launches had tiles, %d had none", tiled, whole)
	}
}

// endRandom returns the body of a random kernel that loads tiles at indices with an end.
func endRandom(c *rand.Rand) string {
	rows := pickOf(c, "tl.where(v < n, v, 0)", "tl.where(n > v, v, 0)", "tl.where(v >= n, 0, v)",
		"tl.where(n <= v, 0, v)", "tl.where(r < n - at * 32, v, 0)", "tl.where(v <= n - 1, v, 0)", "v % n",
		"tl.where(v < n, v, 0) % n", "tl.where(v < n, v, 1)", "tl.where(v <= n, v, 0)",
		"tl.where(v < n, 0, v)")
	at := pickOf(c, "i", "i // 2", "i % 3", "i + 1", "2 - i", "i % (p + 1)",
		"i // 4 * 2 + i % tl.minimum(2 * (n // 32) + 1 - i // 4 * 2, 2)", "i // tl.minimum(7 - i * 2, 2)")
	mask := pickOf(c, "", "", ", mask=c[None, :] < t * 5, other=0.0")
	loop := fmt.Sprintf("for i in range(%s, %s, %s):", pickOf(c, "0", "p", "h", "t // 2"),
		pickOf(c, "t", "n // 32", "3", "p + h + 1"), pickOf(c, "1", "2", "tl.num_programs(0)"))
	return fmt.Sprintf(`
acc = tl.zeros((32, 32), tl.float32)
%s
    at = %s
    v = at * 32 + r
    acc = acc * 3 + tl.load(x + 8192 + (%s)[:, None] * s + c[None, :]%s)
tl.store(out, acc)`, loop, at, rows, mask)
}

// TestTilePersistent runs a product whose programs walk over tiles in groups, with both loops fused: copies
// for the next tile are under way while one is stored. The last launches have tiles that cross an end.
func TestTilePersistent(t *testing.T) {
	dev, judge := hopper(t), interpreter(t)
	t.Setenv("NEREID_TILE_LOADS", "all")
	for _, c := range []struct {
		rows, columns, depth int
		tiled                bool
	}{{192, 128, 96, true}, {64, 192, 32, true}, {320, 64, 80, true}, {176, 128, 64, false},
		{128, 112, 64, false}} {
		dump := t.TempDir()
		k := kernelOf(t, `
@triton.jit
def k(x, y, m, n, depth):
    high, wide = tl.cdiv(m, 64), tl.cdiv(n, 64)
    i, j, l = tl.arange(0, 64), tl.arange(0, 64), tl.arange(0, 32)
`, `
for tile in tl.range(tl.program_id(0), high * wide, tl.num_programs(0), flatten=True):
    first = tile // (2 * wide) * 2
    size = min(high - first, 2)
    rows = (first + tile % size) * 64 + i
    columns = tile % (2 * wide) // size * 64 + j
    a_rows, b_columns = tl.where(rows < m, rows, 0), tl.where(columns < n, columns, 0)
    acc = tl.zeros((64, 64), tl.float32)
    for step in range(tl.cdiv(depth, 32)):
        k, left = step * 32 + l, depth - step * 32
        a = tl.load(x + a_rows[:, None] * depth + k[None, :], mask=l[None, :] < left, other=0.0)
        b = tl.load(x + k[:, None] + b_columns[None, :] * depth, mask=l[:, None] < left, other=0.0)
        acc = tl.dot(a, b, acc)
    tl.store(y + rows[:, None] * n + columns[None, :], acc, mask=(rows < m)[:, None] & (columns < n)[None, :])
`, nereid.With(nereid.Config{Dump: dump}))
		run := func(dev *nereid.Device) []byte {
			return leaves(t, k, dev, nereid.Grid{2}, numbers(f16, places), newArray(f32, c.rows*c.columns),
				c.rows, c.columns, c.depth, nereid.Options{NumWarps: 4, NumStages: 3})
		}
		if !bytes.Equal(run(judge), run(dev)) {
			t.Errorf("%+v: results differ", c)
		}
		if tiled := mapsIn(t, dump) == 2; tiled != c.tiled {
			t.Errorf("%+v: the code has tiles: %v", c, tiled)
		}
	}
}

// TestTilePersistentAuto: a loop of products in a loop over tiles loads tiles, unless its results are small;
// the same loop in a program with one tile does not.
func TestTilePersistentAuto(t *testing.T) {
	dev, judge := hopper(t), interpreter(t)
	for _, c := range []struct {
		loop  string
		width int
		maps  int
	}{
		{"for tile in range(tl.program_id(0), high * wide, tl.num_programs(0)):", 64, 2},
		{"for tile in tl.range(tl.program_id(0), high * wide, tl.num_programs(0), flatten=True):", 64, 2},
		{"for tile in range(tl.program_id(0), high * wide, tl.num_programs(0)):", 32, 0},
		{"if True:\n    tile = tl.program_id(0)", 64, 0},
	} {
		dump := t.TempDir()
		k := kernelOf(t, fmt.Sprintf(`
@triton.jit
def k(x, y, m, n, depth):
    high, wide = tl.cdiv(m, 128), tl.cdiv(n, %[1]d)
    i, j, l = tl.arange(0, 128), tl.arange(0, %[1]d), tl.arange(0, 64)
`, c.width), fmt.Sprintf(`
%s
    rows, columns = tile // wide * 128 + i, tile %% wide * %d + j
    acc = tl.zeros((128, %[2]d), tl.float32)
    for step in range(tl.cdiv(depth, 64)):
        k = step * 64 + l
        a = tl.load(x + rows[:, None] * depth + k[None, :], mask=k[None, :] < depth, other=0.0)
        b = tl.load(x + k[:, None] + columns[None, :] * depth, mask=k[:, None] < depth, other=0.0)
        acc = tl.dot(a, b, acc)
    tl.store(y + rows[:, None] * n + columns[None, :], acc)
`, c.loop, c.width), nereid.With(nereid.Config{Dump: dump}))
		run := func(dev *nereid.Device) []byte {
			return leaves(t, k, dev, nereid.Grid{256 * 128 / 128 / c.width}, numbers(f16, places),
				newArray(f32, 256*128), 256, 128, 112, nereid.Options{NumWarps: 4, NumStages: 3})
		}
		if !bytes.Equal(run(judge), run(dev)) {
			t.Errorf("%+v: results differ", c)
		}
		if maps := mapsIn(t, dump); maps != c.maps {
			t.Errorf("%+v: %d loads have a map", c, maps)
		}
	}
}
