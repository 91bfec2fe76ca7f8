package conform

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/target/nvidia/sim"
	"github.com/nereid-lang/nereid/internal/target/simcount"
)

// countedKernels are kernels whose work can be counted by hand. header has four lines, so that the first
// decorator below is at line 5; the comments of TestCounts name lines by their text.
const countedKernels = header + `
@triton.jit
def add(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    y = tl.load(y_ptr + i, mask=i < n)
    tl.store(z_ptr + i, x + y, mask=i < n)

@triton.jit
def column(x_ptr, y_ptr, STRIDE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i * STRIDE)
    tl.store(y_ptr + i, x * x + 1.0)

@triton.jit
def product(a_ptr, b_ptr, c_ptr, K: tl.constexpr, S: tl.constexpr):
    i, k = tl.arange(0, 64), tl.arange(0, S)
    acc = tl.zeros((64, 64), tl.float32)
    for at in range(0, K, S):
        a = tl.load(a_ptr + i[:, None] * K + (at + k)[None, :])
        b = tl.load(b_ptr + (at + k)[:, None] * 64 + i[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + i[:, None] * 64 + i[None, :], acc)
`

// perLine is what a line did.
type perLine struct{ memory, loaded, stored, sectors, least, waves, flops, products int64 }

// TestCounts compares what the simulator counts for each line with counts made by hand.
func TestCounts(t *testing.T) {
	mod, err := nereid.Parse("counts.py", []byte(countedKernels))
	if err != nil {
		t.Fatal(err)
	}
	f16, f32 := nereid.Float16, nereid.Float32
	in := func(t nereid.DType, shape ...int64) tile { return tile{dtype: t, shape: shape} }
	var list []simcount.Count
	w := sim.Watch{Counts: func(a []simcount.Count) { list = append(list, a...) }}
	compareCounts(t, sim.WithWatch(t.Context(), w), mod, opened(t, "sim:90")[0], &list, []countedCase{
		// 1,000 elements of 4 bytes in four programs of 256, four warps each. A warp has 64 elements, two to
		// a lane: since 1,000 is no multiple of 16 the mask may end anywhere, so that a lane takes them by
		// two accesses of 4 bytes. Lanes are neighbours, and one access takes 32 elements of a row or every
		// other one of 64: the 32 accesses of a line ask for 4,000 bytes together.
		//
		// Which of both it is, sectors tell. If lane i had elements 2i and 2i+1, each access would touch all
		// eight sectors of its 256 bytes: the whole line 16 x 2 x 8 = 256, less those behind element 1,000.
		// 24 elements of the last 64 are left out: that warp touches five sectors twice, 15 x 16 + 10 = 250.
		{"add", nereid.Grid{4}, []any{in(f32, 1000), in(f32, 1000), in(f32, 1000), 1000, 256},
			map[string]perLine{
				"x = tl.load(x_ptr + i, mask=i < n)": {memory: 32, loaded: 4000, sectors: 250, least: 126},
				"y = tl.load(y_ptr + i, mask=i < n)": {memory: 32, loaded: 4000, sectors: 250, least: 126},
				"tl.store(z_ptr + i, x + y, mask=i < n)": {memory: 32, stored: 4000, sectors: 250, least: 126,
					flops: 1024},
			}},
		// 128 elements, 64 bytes apart: one to a lane, so that each of four warps makes one access, and each
		// element costs a sector. What is stored lies close together: 512 bytes are 16 sectors. x * x + 1.0
		// is one fma for each element, two operations.
		{"column", nereid.Grid{1}, []any{in(f32, 2048), in(f32, 128), 16, 128},
			map[string]perLine{
				"x = tl.load(x_ptr + i * STRIDE)": {memory: 4, loaded: 512, sectors: 128, least: 16},
				"tl.store(y_ptr + i, x * x + 1.0)": {memory: 4, stored: 512, sectors: 16, least: 16,
					flops: 256},
			}},
		// Two matrices of 64x64 elements of 2 bytes, 8,192 bytes each, in two steps of 32: cp.async takes 16
		// bytes a lane, 512 a warp, so that a matrix is 16 accesses of 16 sectors. The pipeline begins seven
		// steps, of which five lie behind the end and copy zeros: 7 x 4,096 bytes go to shared memory, 128
		// in a wavefront, 224 wavefronts. The product is 64 x 64 x 64 multiplications by four
		// instructions of the warp group, each of which reads 64 rows and 64 columns of 32 bytes: 32
		// wavefronts. The result has 4 bytes an element, 16,384 bytes, and goes through shared memory, where
		// it is written and read: 256 wavefronts. Then a lane has four neighbours, and a warp stores 512
		// bytes at once: 32 accesses.
		{"product", nereid.Grid{1}, []any{in(f16, 64, 64), in(f16, 64, 64), in(f32, 64, 64), 64, 32},
			map[string]perLine{
				"a = tl.load(a_ptr + i[:, None] * K + (at + k)[None, :])": {memory: 16, loaded: 8192,
					sectors: 256, least: 256, waves: 224},
				"b = tl.load(b_ptr + (at + k)[:, None] * 64 + i[None, :])": {memory: 16, loaded: 8192,
					sectors: 256, least: 256, waves: 224},
				"acc = tl.dot(a, b, acc)": {products: 64 * 64 * 64, waves: 4 * 32},
				"tl.store(c_ptr + i[:, None] * 64 + i[None, :], acc)": {memory: 32, stored: 16384,
					sectors: 512, least: 512, waves: 256},
			}},
	})
}

// countedCase is a launch and what its lines do, by their text.
type countedCase struct {
	kernel string
	grid   nereid.Grid
	args   []any
	want   map[string]perLine
}

// compareCounts runs cases in a context in which launches put their counts into list.
func compareCounts(t *testing.T, ctx context.Context, mod *nereid.Module, dev *nereid.Device,
	list *[]simcount.Count, cases []countedCase) {
	t.Helper()
	for _, c := range cases {
		d := described{kernel: c.kernel, grid: c.grid, args: c.args,
			opts: nereid.Options{NumWarps: 4, NumStages: 3}}
		*list = nil
		if err := d.launchIn(ctx, t, mod, dev, nil); err != nil {
			t.Fatalf("%s: %v", c.kernel, err)
		}
		got := byLine(*list)
		for text, want := range c.want {
			if got[text] != want {
				t.Errorf("%s: %s\ngot  %+v\nwant %+v\n%s", c.kernel, text, got[text], want,
					instructions(*list, text))
			}
			delete(got, text)
		}
		for text, n := range got { // no other line touches memory or multiplies matrices
			if n != (perLine{}) {
				t.Errorf("%s: %s: %+v", c.kernel, text, n)
			}
		}
	}
}

var countedLines = strings.Split(countedKernels, "\n")

// lineOf returns the text of an instruction's line.
func lineOf(n *simcount.Count) string {
	if n.File == "" || !strings.HasSuffix(n.File, "counts.py") {
		return n.File
	}
	return strings.TrimSpace(countedLines[n.Line-1])
}

// byLine sums counts of instructions.
func byLine(list []simcount.Count) map[string]perLine {
	out := map[string]perLine{}
	for _, n := range list {
		l := out[lineOf(&n)]
		if n.Loaded+n.Stored > 0 {
			l.memory += n.Issued
		}
		l.loaded, l.stored = l.loaded+n.Loaded, l.stored+n.Stored
		l.sectors, l.least = l.sectors+n.Sectors, l.least+n.Least
		l.waves += n.Wavefronts
		l.flops, l.products = l.flops+n.FLOPs, l.products+n.Products
		out[lineOf(&n)] = l
	}
	return out
}

// instructions lists what was counted for a line.
func instructions(list []simcount.Count, text string) string {
	var b strings.Builder
	for _, n := range list {
		if lineOf(&n) == text {
			fmt.Fprintf(&b, "%d times: %s\n", n.Issued, n.Text)
		}
	}
	return b.String()
}
