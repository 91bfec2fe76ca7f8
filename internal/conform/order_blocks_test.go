package conform

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

// blockOrderCase is a kernel on descriptors x and y of 96 rows of 64 int32, in blocks of 16 rows and 32
// columns. waits says how often its PTX waits for stores of the copy engine to be complete.
type blockOrderCase struct {
	name, body string
	waits      int
}

var blockOrderCases = []blockOrderCase{
	// No load needs a wait.
	{"blocks apart", `
x.store([16, 0], x.load([0, 0]) + 1)
y.store([0, 0], x.load([32, 0]))
`, 0},
	{"columns apart", `
x.store([n, 32], x.load([n, 0]) + 1)
y.store([0, 0], x.load([n, 0]))
`, 0},
	{"blocks apart by a number known at the launch", `
x.store([n, 0], x.load([n + 16, 0]) + 1)
y.store([0, 0], x.load([n + 32, 0]))
`, 0},
	{"another descriptor", `
x.store([n, 0], y.load([n, 0]) + 1)
y.store([n + 16, 0], y.load([n, 0]) * 2)
`, 0},

	// A load reads what a store writes.
	{"the same block", `
x.store([16, 0], x.load([0, 0]) + 1)
y.store([0, 0], x.load([16, 0]))
`, 1},
	{"rows that overlap", `
x.store([8, 0], x.load([32, 0]) + 1)
y.store([0, 0], x.load([0, 0]))
`, 1},
	{"rows that overlap, known at the launch", `
x.store([n, 0], x.load([n + 16, 0]) + 1)
y.store([0, 0], x.load([n + 15, 0]))
`, 1},
	{"a load of what the iteration before has stored", `
for k in range(n):
    x.store([k * 16 + 16, 0], x.load([k * 16, 0]) + k)
`, 1},
	{"the same, downwards", `
at = 64
for k in range(n):
    x.store([at, 0], x.load([at + 16, 0]) + k)
    at -= 16
`, 1},
	{"the same, in columns", `
for k in range(2):
    x.store([0, k * 32 + 32], x.load([0, k * 32]) + n)
    y.store([k * 16, 0], x.load([0, k * 32]) + k)
`, 2},
	{"the same, with a counter of its own", `
at = 0
for k in range(n):
    x.store([at + 16, 0], x.load([at, 0]) + k)
    at += 16
`, 1},
	{"the same, in while", `
k = 0
while k < n * 16:
    x.store([k + 16, 0], x.load([k, 0]) + k)
    k += 16
`, 1},
	{"the same, of an outer loop", `
for k in range(n):
    v = x.load([k * 16, 0])
    for i in range(n):
        v += i
    x.store([k * 16 + 16, 0], v)
`, 1},
	{"the iteration before the last one", `
for k in range(n):
    x.store([k * 16 + 32, 0], x.load([k * 16, 0]) + k)
`, 1},
	{"a store to where the iteration before has stored", `
v = x.load([0, 0])
for k in range(n):
    x.store([k * 16, 0], v + k)
    x.store([k * 16 + 16, 0], v - k)
`, 1},
}

// TestOrderBlocks: accesses of the copy engine through one descriptor are in order where their blocks
// overlap, in one iteration of a loop or in several. The interpreter says what is right, and the simulator
// finds accesses that nothing orders.
func TestOrderBlocks(t *testing.T) {
	judge, dev := interpreter(t), hopper(t)
	table := tile{nereid.Int32, []int64{96, 64}, []int64{16, 32}}
	for _, c := range blockOrderCases {
		t.Run(c.name, func(t *testing.T) {
			m := moduleOf(t, "\n@triton.jit\ndef k(x, y, n):\n", c.body)
			d := described{kernel: "k", grid: nereid.Grid{1}, args: []any{table, table, 4}}
			want, got := d.run(t, m, judge), d.run(t, m, dev)
			for i := range want {
				if j := differ(want[i], got[i], 0); j >= 0 {
					t.Errorf("element %d of tensor %d is %v, not %v", j, i, got[i][j], want[i][j])
				}
			}
			k, err := m.Kernel("k")
			if err != nil {
				t.Fatal(err)
			}
			const desc = "tensordesc<i32[16, 32]>"
			code, err := k.CompileFor(t.Context(), "cuda:90", desc+", "+desc+", i32", nereid.Options{}, "ptx")
			if err != nil {
				t.Fatal(err)
			}
			ptx := string(code.Stage("ptx"))
			if n := strings.Count(ptx, "cp.async.bulk.wait_group 0;"); n != c.waits {
				t.Errorf("it waits for stores in %d places, not %d\n%s", n, c.waits, ptx)
			}
		})
	}
}
