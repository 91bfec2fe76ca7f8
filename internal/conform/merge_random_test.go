package conform

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

var mergeFlag = flag.Int("merge-kernels", 30, "how many random kernels TestMergedRandom runs")

// TestMergedRandom runs random kernels of small programs: elementwise, reductions and scans, under branches
// and masks, on grids of which some are multiples of the programs that become one. The interpreter says what
// is right, bit by bit: all numbers are small and whole. Many more: -merge-kernels.
func TestMergedRandom(t *testing.T) {
	dev, judge := hopper(t), interpreter(t)
	merged := 0
	for i := range *mergeFlag {
		t.Setenv("NEREID_MERGE_PROGRAMS", []string{"all", "2", "4", "8"}[i%4])
		c := newMergeRandom(uint64(i))
		dump := t.TempDir()
		const head = "\n@triton.jit\ndef k(x, y, n, s):\n"
		k := kernelOf(t, head, c.body, nereid.With(nereid.Config{Dump: dump}))
		args := []any{c.n, c.s, nereid.Options{NumWarps: c.warps}}
		for _, grid := range c.grids {
			want := leaves(t, k, judge, grid, numbers(c.in, places), newArray(c.out, places), args...)
			got := leaves(t, k, dev, grid, numbers(c.in, places), newArray(c.out, places), args...)
			if !bytes.Equal(want, got) {
				t.Errorf("kernel %d, %s to %s, grid %v, n, s, options = %v: results differ\n%s", i, c.in.name,
					c.out.name, grid, args, c.body)
			}
		}
		for _, text := range dumpedTTGIR(t, dump) {
			if strings.Count(text, "tt.store ") > strings.Count(c.body, "tl.store(") {
				merged++
				break
			}
		}
	}
	if merged < *mergeFlag/2 {
		t.Errorf("%d of %d kernels were merged", merged, *mergeFlag)
	}
}

// places is the number of elements of a tensor of random kernels.
const places = 1 << 15

// mergeRandom makes a random kernel of small programs.
type mergeRandom struct {
	*rand.Rand
	in, out     *dtype
	n, s, warps int
	grids       []nereid.Grid
	block       int
	body        string
	values      int // v0, v1 and so on
}

func newMergeRandom(i uint64) *mergeRandom {
	c := &mergeRandom{Rand: rand.New(rand.NewPCG(3, i))}
	types := []*dtype{i8, u8, i16, i32, i64, f16, bf16, f32}
	c.in, c.out = pickOf(c, types...), pickOf(c, types...)
	c.block = pickOf(c, 16, 32, 64, 128, 256, 512)
	c.warps = pickOf(c, 1, 2, 4, 4, 8)
	c.n, c.s = c.IntN(3*c.block), pickOf(c, 1, 2, 3, 16)
	c.grids = []nereid.Grid{{8, 1, 1}, {pickOf(c, 4, 6, 7, 16), 1, 1}, {8, pickOf(c, 1, 2), pickOf(c, 1, 2)}}
	c.line("p, h, i = tl.program_id(0), tl.program_id(1) + 2 * tl.program_id(2), tl.arange(0, %d)", c.block)
	c.line("own = (h * tl.num_programs(0) + p) %% %d", places/c.block/2)
	for range 1 + c.IntN(3) {
		c.load()
	}
	for range c.IntN(5) {
		c.compute()
	}
	c.store()
	return c
}

func pickOf[T any](c interface{ IntN(int) int }, list ...T) T { return list[c.IntN(len(list))] }

func (c *mergeRandom) line(format string, args ...any) { c.body += fmt.Sprintf(format, args...) + "\n" }

// place returns one of several indices, with the numbers of this kernel. LAST ends the part of y for blocks.
func (c *mergeRandom) place(list ...string) string {
	return strings.NewReplacer("BLOCK", fmt.Sprint(c.block), "LAST", fmt.Sprint(places/2-1)).
		Replace(pickOf(c, list...))
}

// value returns the name of a tensor of the kernel, of which each program has its own.
func (c *mergeRandom) value() string { return fmt.Sprintf("v%d", c.IntN(c.values)) }

// define names an expression, a number from 0 to 15 for each element.
func (c *mergeRandom) define(format string, args ...any) {
	c.line("v%d = (%s).to(tl.int32) & 15", c.values, fmt.Sprintf(format, args...))
	c.values++
}

// condition returns a condition for each element, or one for the program.
func (c *mergeRandom) condition() string {
	return pickOf(c, "i < n", "p * 64 + i < n", "i % 3 != 1", "(p % 3 == 1) & (i >= 0)", "i >= p",
		"(i + p) % 5 < s")
}

// load adds a load of places that several programs may share.
func (c *mergeRandom) load() {
	at := c.place("own * BLOCK + i", "p * BLOCK + i", "i", "p", "(p * i) % 1024", "i * s", "p * s + i // 2",
		"LAST - i - p * BLOCK", "own * BLOCK + (i * 5) % BLOCK", "n + i", "tl.num_programs(0) * 3 + i",
		"tl.load(x + p).to(tl.int32) * 16 % 1024 + i")
	mask := ""
	switch c.IntN(4) {
	case 0:
		mask = ", mask=" + c.condition()
	case 1:
		mask = fmt.Sprintf(", mask=%s, other=%d", c.condition(), c.IntN(9))
	}
	if at == "p" {
		mask = ""
	}
	name := fmt.Sprintf("a%d", c.values)
	c.line("%s = tl.load(x + (%s)%s)", name, at, mask)
	if strings.Contains(mask, "mask") && !strings.Contains(mask, "other") {
		c.line("%s = tl.where(%s, %s, 0)", name, mask[len(", mask="):], name)
	}
	c.define("%s + i * 0", name)
}

// compute adds a step that makes a tensor of others.
func (c *mergeRandom) compute() {
	a, b := c.value(), c.value()
	switch c.IntN(9) {
	case 0:
		c.define("%s + %s * 3", a, b)
	case 1:
		c.define("tl.maximum(%s, %s) - p", a, b)
	case 2:
		c.define("tl.where(%s, %s, %s)", c.condition(), a, b)
	case 3:
		c.define("%s + tl.%s(%s, 0)", a, pickOf(c, "sum", "max", "min", "argmax"), b)
	case 4:
		c.define("tl.cumsum(%s, 0)", a)
	case 5:
		c.define("%s // (%s + 1) + %s %% 7", a, b, a)
	case 6:
		c.define("tl.sum(tl.reshape(%s, (%d, 16)), 1)[:, None] + tl.reshape(%s, (%d, 16))", a, c.block/16, b,
			c.block/16)
		c.line("v%d = tl.reshape(v%d, (%d,))", c.values-1, c.values-1, c.block)
	case 7:
		c.line("w = %s", a)
		c.line("if %s %% %d == %d:", pickOf(c, "p", "p", "n"), 2+c.IntN(3), c.IntN(2))
		c.line("    w = w + %s", pickOf(c, b, "tl.load(x + p).to(tl.int32) % 16", "h", "tl.sum("+b+", 0)"))
		c.define("w")
	case 8:
		c.define("tl.sort(%s) + i %% 2", a)
	}
}

// store adds stores, each to places of the program's own.
func (c *mergeRandom) store() {
	at := c.place("own * BLOCK + i", "LAST - own * BLOCK - i", "own * BLOCK + (i + 7) % BLOCK")
	mask := ""
	if c.chance() {
		mask = ", mask=" + c.condition()
	}
	store := fmt.Sprintf("tl.store(y + (%s), %s%s)", at, c.value(), mask)
	if c.IntN(4) == 0 {
		c.line("if %s %% 3 != %d:", pickOf(c, "p", "n"), c.IntN(3))
		store = "    " + store
	}
	c.line("%s", store)
	if c.chance() {
		c.line("tl.store(y + %d + own, tl.sum(%s, 0) %% 16)", places/2, c.value())
	}
	if c.IntN(4) == 0 {
		c.line("tl.store(y + %d + h, n %% 16)", places-64)
	}
}

func (c *mergeRandom) chance() bool { return c.IntN(2) == 0 }
