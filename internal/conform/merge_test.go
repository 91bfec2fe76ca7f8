package conform

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// mergeCase is a kernel of small programs. x has 4,096 fp32 elements, y as many, n is a number; p is the
// program's number, i counts to 64.
type mergeCase struct {
	name   string
	body   string
	stores int // in the code for launches with a multiple of 8 programs
}

// TestMergedPrograms runs kernels of which one program can do the work of several, and some of which it must
// not, on a simulated device. The interpreter says what is right. Not all grids are multiples of the programs
// that become one. With -device, they run on that device.
func TestMergedPrograms(t *testing.T) {
	dev, judge := hopper(t), interpreter(t)
	t.Setenv("NEREID_MERGE_PROGRAMS", "all")
	for _, c := range mergeCases {
		t.Run(c.name, func(t *testing.T) {
			dump := t.TempDir()
			k := c.kernel(t, dump)
			for _, grid := range []nereid.Grid{{16, 1, 1}, {7, 1, 1}, {8, 2, 1}, {12, 1, 2}} {
				if want, got := c.run(t, k, judge, grid), c.run(t, k, dev, grid); !bytes.Equal(want, got) {
					t.Errorf("grid %v: results differ", grid)
				}
				if n := strings.Count(onlyTTGIR(t, dump), "tt.store "); grid[0] == 16 && n != c.stores {
					t.Errorf("the code has %d stores, not %d", n, c.stores)
				}
			}
		})
	}
}

func (c *mergeCase) kernel(t *testing.T, dump string) *nereid.Kernel {
	t.Helper()
	return kernelOf(t, `
@triton.jit
def k(x, y, n):
    p, h, i = tl.program_id(0), tl.program_id(1) + tl.program_id(2), tl.arange(0, 64)
`, c.body, nereid.With(nereid.Config{Dump: dump}))
}

// run launches the kernel and returns what it has stored.
func (c *mergeCase) run(t *testing.T, k *nereid.Kernel, dev *nereid.Device, grid nereid.Grid) []byte {
	t.Helper()
	return leaves(t, k, dev, grid, numbers(f32, 4096), newArray(f32, 4096), 1000, nereid.Options{NumWarps: 4})
}

// place is where a program of a small kernel has its 64 elements.
const place = "j = (h * 16 + p) * 64 + i\n"

var mergeCases = []*mergeCase{
	{"a masked copy", place + "tl.store(y + j, tl.load(x + j, mask=j < n, other=-1.0) * 2, mask=j < n + 7)",
		8},
	{"sums of rows", place + "tl.store(y + h * 16 + p, tl.sum(tl.load(x + j), 0))", 8},
	{"sums by several warps", "j = tl.arange(0, 256)\n" +
		"tl.store(y + h * 16 + p, tl.sum(tl.load(x + (p % 4) * 256 + j), 0))", 4},
	{"a scan", place + "tl.store(y + j, tl.cumsum(tl.load(x + j), 0))", 8},
	{"the number of programs", "tl.store(y + h * 16 + p, tl.num_programs(0) + tl.load(x + p))", 8},
	{"a store of the first axis alone",
		"tl.store(y + h, tl.load(x + h))\ntl.store(y + 64 + p, tl.load(x + p))", 5},
	{"a branch", place + "v = tl.load(x + j)\nif p % 3 == 0:\n    v += tl.load(x + p)\ntl.store(y + j, v)",
		4},
	{"a store in a branch", place + "v = tl.load(x + j)\nif p % 3 == 0:\n    tl.store(y + j, v)", 8},
	{"a number that a branch asks for",
		"if n > 5:\n    q = tl.program_id(0)\n" +
			"    tl.store(y + (h * 16 + q) * 64 + i, tl.load(x + q * 64 + i))", 1},
	{"memory that is written and read", place +
		"tl.store(y + j, tl.load(x + j))\ntl.debug_barrier()\ntl.store(y + j, tl.load(y + j) + 1)", 2},
	{"a row from memory",
		place + "at = tl.load(x + p).to(tl.int32)\ntl.store(y + j, tl.load(x + at * 8 + i))", 4},
	{"a loop", place + "v = tl.load(x + j)\nfor a in range(p):\n    v += a\ntl.store(y + j, v)", 1},
	{"an early return", place + "if p == 3:\n    return\ntl.store(y + j, tl.load(x + j))", 1},
	{"an atomic addition",
		place + "tl.atomic_add(y + h * 16 + p, 1.0)\ntl.store(y + 1024 + j, tl.load(x + j))", 1},
	{"a volatile load", place + "tl.store(y + j, tl.load(x + j, volatile=True))", 1},
	{"many bytes",
		"j = tl.arange(0, 1024)\ntl.store(y + (p % 4) * 1024 + j, tl.load(x + (p % 4) * 1024 + j))", 1},
	{"one program alone", "tl.store(y + i, tl.load(x + i))", 1},
	{"a branch by an argument", place +
		"v = tl.load(x + i)\nif n > 5:\n    v += tl.load(x + j)\ntl.store(y + j, v)", 4},
	{"a branch by an argument in another", place + "v = tl.load(x + i)\nif n > 5:\n    v += 1\n" +
		"    if n < 2000:\n        v += tl.load(x + j)\ntl.store(y + j, v)", 4},
	{"the other side of a branch", place +
		"v = tl.load(x + i)\nif n < 5:\n    v += 1\nelse:\n    v += tl.load(x + j)\ntl.store(y + j, v)", 4},
	{"a store in a branch by an argument", place + "if n > 5:\n    tl.store(y + j, tl.load(x + j))", 8},
	{"a branch that is the same for all", place +
		"v = tl.load(x + i)\nif n > 5:\n    v += tl.load(x + 64 + i)\n" +
		"    tl.store(y + 3072 + h * 64 + i, v)\ntl.store(y + j, v + tl.load(x + j))", 5},
}

// TestMergedStrides launches merged programs with strides that are 1 and others. Launches whose strides are
// all 1 have code that accesses two elements at once.
func TestMergedStrides(t *testing.T) {
	dev, judge, dump := hopper(t), interpreter(t), t.TempDir()
	t.Setenv("NEREID_MERGE_PROGRAMS", "all")
	k := kernelOf(t, `
@triton.jit
def k(x, y, n, s: int, r: tl.int64):
`, "i = tl.program_id(0) * 256 + tl.arange(0, 256)\n"+
		"tl.store(y + i * r, tl.load(x + i * s, mask=i < n) * 2, mask=i < n)",
		nereid.With(nereid.Config{Dump: dump}))
	for i, test := range []struct{ s, r, width int }{{2, 1, 1}, {1, 1, 2}, {1, 2, 2}, {1, 1, 2}} {
		run := func(dev *nereid.Device) []byte {
			return leaves(t, k, dev, nereid.Grid{8}, numbers(f32, 4096), newArray(f32, 4096), 2000, test.s,
				int64(test.r), nereid.Options{NumWarps: 4})
		}
		if !bytes.Equal(run(judge), run(dev)) {
			t.Errorf("launch %d, strides %d and %d: results differ", i, test.s, test.r)
		}
		// the dump has what was compiled last
		want := fmt.Sprintf("sizePerThread = [%d]", test.width)
		if !strings.Contains(onlyTTGIR(t, dump), want) {
			t.Errorf("launch %d: no %s", i, want)
		}
	}
}

// TestMergedAtOnce launches one kernel from several goroutines, with grids that take its ordinary code and
// others that take that of merged programs, which the first of them compiles.
func TestMergedAtOnce(t *testing.T) {
	dev := hopper(t)
	t.Setenv("NEREID_MERGE_PROGRAMS", "all")
	k := kernelOf(t, `
@triton.jit
def k(x, y):
`, "i = tl.program_id(0) * 64 + tl.arange(0, 64)\ntl.store(y + i, tl.load(x + i) + tl.num_programs(0))")
	var wg sync.WaitGroup
	for worker := range 6 {
		x, y := lend(t, dev, newArray(f32, 1024)), lend(t, dev, newArray(f32, 1024))
		s := txtest.Open(t, dev.NewStream, t.Context())
		wg.Go(func() {
			for round := range 8 {
				n := 16 - (worker+round)%4
				if err := errors.Join(k.Launch(s, nereid.Grid{n}, x, y), s.Sync()); err != nil {
					t.Error(err)
					return
				}
				want := newArray(f32, 1)
				want.setFloat(0, float64(n))
				if got := bytesOf(t, y)[:4*64*n]; !bytes.Equal(got, bytes.Repeat(want.bytes(), 64*n)) {
					t.Errorf("goroutine %d, %d programs: the result is wrong", worker, n)
				}
			}
		})
	}
	wg.Wait()
}

// TestMergedAhead: launches of a kernel that was compiled ahead of time, with all forms or with its general
// one, compile nothing.
func TestMergedAhead(t *testing.T) {
	dev := opened(t, "sim:90")[0]
	t.Setenv("NEREID_MERGE_PROGRAMS", "4")
	for forms, want := range map[nereid.Forms]int{nereid.AllForms: 2, nereid.GeneralForm: 1} {
		compiled := 0
		conf := nereid.Config{Strict: true, Forms: forms, Hooks: nereid.Hooks{
			BeforeCompile: func(context.Context, nereid.Variant) error { compiled++; return nil }}}
		m, err := nereid.Parse("k.py", []byte(header+`
@triton.jit
def k(x, y):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    tl.store(y + i, tl.load(x + i) + 1)
`), nereid.With(conf))
		if err != nil {
			t.Fatal(err)
		}
		opts := nereid.Options{NumWarps: 4}
		v := nereid.Variant{Kernel: "k", Signature: "*fp32:16, *fp32:16", Options: opts}
		if err := m.Warmup(t.Context(), dev, []nereid.Variant{v}, nil); err != nil {
			t.Fatal(err)
		}
		if compiled != want {
			t.Errorf("forms %d: %d are compiled, not %d", forms, compiled, want)
		}
		k, err := m.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		leaves(t, k, dev, nereid.Grid{16}, numbers(f32, 1024), newArray(f32, 1024), opts)
		leaves(t, k, dev, nereid.Grid{15}, numbers(f32, 1024), newArray(f32, 1024), opts)
		if compiled != want {
			t.Errorf("forms %d: launches compile %d", forms, compiled-want)
		}
	}
}

// TestMergedLarge launches so many programs that 8 become one without being asked to, or 4, or 2, along
// several axes, and a number of them that no power of two divides. At each commit it is every other grid.
func TestMergedLarge(t *testing.T) {
	dev := hopper(t)
	k := kernelOf(t, `
@triton.jit
def k(x, y, n):
`, `
p = (tl.program_id(2) * tl.num_programs(1) + tl.program_id(1)) * tl.num_programs(0) + tl.program_id(0)
i = p * 32 + tl.arange(0, 32)
tl.store(y + i, tl.load(x + i, mask=i < n, other=7.0) + 1, mask=i < n + 5)
`)
	chosen := sampleHere(t, 2)
	for i, grid := range []nereid.Grid{{9216, 1, 1}, {9217, 1, 1}, {9216, 2, 1}, {9216, 1, 2}, {4736, 1, 1},
		{2114, 1, 1}} {
		if !chosen(i) {
			continue
		}
		size := grid[0] * grid[1] * grid[2] * 32
		x, want := numbers(f32, size), newArray(f32, size)
		for i := range size - 3 {
			if want.setFloat(i, x.float(i)+1); i >= size-8 {
				want.setFloat(i, 8)
			}
		}
		got := leaves(t, k, dev, grid, x, newArray(f32, size), size-8, nereid.Options{NumWarps: 4})
		for i := range size {
			if binary.LittleEndian.Uint32(got[4*i:]) != uint32(want.bits[i]) {
				t.Errorf("grid %v: element %d differs", grid, i)
				break
			}
		}
	}
}
