package lower

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// blockedLayout returns the layout of a block of 64 rows as a load of rows of 32 floats has it: four floats
// for a thread, eight lanes for a row, the other lanes, the warps and then the registers along the rows.
func blockedLayout(rows, cols, warps int) layout.Layout {
	var regs, lanes, ws [][]int
	for c := 1; c < 4; c *= 2 {
		regs = append(regs, []int{0, c})
	}
	for c := 4; c < cols; c *= 2 {
		lanes = append(lanes, []int{0, c})
	}
	r := 1
	for ; len(lanes) < 5; r *= 2 {
		lanes = append(lanes, []int{r, 0})
	}
	for ; len(ws) < log2(warps); r *= 2 {
		ws = append(ws, []int{r, 0})
	}
	for ; r < rows; r *= 2 {
		regs = append(regs, []int{r, 0})
	}
	return layout.Must(layout.New([]layout.Bases{{Name: layout.Register, Vectors: regs},
		{Name: layout.Lane, Vectors: lanes}, {Name: layout.Warp, Vectors: ws},
		{Name: layout.Block}},
		[]layout.Dim{{Name: layout.TensorDim(0), Size: rows}, {Name: layout.TensorDim(1), Size: cols}}))
}

// conflicts returns by how much the words of a warp's access crowd in some bank: 1 is the least.
func conflicts(cvt layout.Layout, vec int) int {
	words := map[int]bool{}
	for lane := range cvt.InSize(layout.Lane) {
		for k := range vec {
			off := registerImage(cvt, k, layout.Offset)
			for i := range cvt.InBits(layout.Lane) {
				if lane>>i&1 != 0 {
					off ^= cvt.BasisAlong(layout.Lane, i, layout.Offset)
				}
			}
			words[off] = true
		}
	}
	var banks [32]int
	worst := 0
	for w := range words {
		banks[w%32]++
		worst = max(worst, banks[w%32])
	}
	return worst / max(1, len(words)/32)
}

// TestScanTotalsBanks shows that a scan down the columns of a block exchanges totals in wide accesses that
// use all banks.
func TestScanTotalsBanks(t *testing.T) {
	for _, warps := range []int{2, 4, 8} {
		for _, cols := range []int{32, 64, 128} {
			ll := blockedLayout(64, cols, warps)
			s := &scan{ll: ll, elems: []ir.Type{ir.F32}, bits: make([]step, log2(64))}
			for _, d := range directionsAlong(ll, 0).along {
				s.bits[log2(d.image)] = d
			}
			tab := newTotals(s, s.upper())
			write := []int{tab.place(place{reg: 1}), tab.place(place{reg: 2})}
			for name, cvt := range map[string]layout.Layout{
				"write": tab.offsets(write, tab.place),
				"read":  tab.offsets(write, func(p place) int { return tab.at(tab.row(p), 0) }),
			} {
				if vec, _ := layout.LargestVector(cvt, 4); vec != 4 {
					t.Errorf("%d warps, %d columns: %s has %d elements, want 4", warps, cols, name, vec)
				}
				if n := conflicts(cvt, 4); n != 1 {
					t.Errorf("%d warps, %d columns: %s takes %d times as long as it must", warps,
						cols, name, n)
				}
			}
		}
	}
}

// TestReduceRowsWide shows that partial sums of columns are exchanged in accesses of four elements.
func TestReduceRowsWide(t *testing.T) {
	const enc = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], " +
		"order = [1, 0]}>"
	slice := "#ttg.slice<{dim = 0, parent = " + enc + "}>"
	body := "tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {\n" +
		offsetsText("o", []int{64, 32}, enc) +
		accessText("x", "o", "v", []int{64, 32}, "f32", enc, false) +
		fmt.Sprintf("%%w = \"tt.reduce\"(%%v) <{axis = 0 : i32}> ({\n^bb0(%%a: f32, %%b: f32):\n"+
			"%%c = arith.addf %%a, %%b : f32\n"+
			"tt.reduce.return %%c : f32\n}) : (tensor<64x32xf32, %s>) -> tensor<32xf32, %s>\n", enc, slice) +
		offsetsText("p", []int{32}, slice) + accessText("y", "p", "w", []int{32}, "f32", slice, true) +
		"tt.return\n}\n"
	_, ptx := compile(t, parseIR(t, "reduce.ttgir", []byte(moduleText(4, body))), "k", 90)
	wide := regexp.MustCompile(`(ld|st)\.shared(\.v\d)?`).FindAllStringSubmatch(string(ptx), -1)
	count := map[string]int{}
	for _, m := range wide {
		n, _ := strconv.Atoi(strings.TrimPrefix(m[2], ".v"))
		count[m[1]+" "+strconv.Itoa(max(n, 1))]++
	}
	if count["ld 4"] != 4 || count["st 4"] != 1 || len(count) != 2 {
		t.Errorf("accesses to shared memory: %v, want 4 loads and a store of 4 elements\n%s",
			count, clip(ptx))
	}
}

// TestReduceRowsOften: where each thread reads many partial sums that others read as well, threads combine
// them first, and wait for one another before they read what has come of it.
func TestReduceRowsOften(t *testing.T) {
	const enc = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], " +
		"order = [1, 0]}>"
	slice := "#ttg.slice<{dim = 0, parent = " + enc + "}>"
	for _, cols := range []int{32, 512} {
		shape, rest := []int{16, cols}, []int{cols}
		body := "tt.func public @k(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {\n" + offsetsText("o", shape, enc) +
			accessText("x", "o", "v", shape, "i32", enc, false) +
			fmt.Sprintf("%%w = \"tt.reduce\"(%%v) <{axis = 0 : i32}> ({\n^bb0(%%a: i32, %%b: i32):\n"+
				"%%c = arith.addi %%a, %%b : i32\ntt.reduce.return %%c : i32\n}) : (tensor<%s, %s>) -> "+
				"tensor<%s, %s>\n", shapeText(shape, "i32"), enc, shapeText(rest, "i32"), slice) +
			offsetsText("p", rest, slice) + accessText("y", "p", "w", rest, "i32", slice, true) +
			"tt.return\n}\n"
		l := launch{"k", [3]int{1, 1, 1}, []any{ints(ir.I32, size(shape), 9999), ints(ir.I32, cols, 2)}}
		ptx := string(runBothOn(t, 90, moduleText(4, body), l, 0))
		if n, want := strings.Count(ptx, "bar.sync"), 1+min(1, cols/512); n != want {
			t.Errorf("%d columns: %d barriers, want %d\n%s", cols, n, want, clip([]byte(ptx)))
		}
	}
}

// TestReduceWarpAtOnce sums, and takes the largest, of integers in all lanes by one instruction, and compares
// with Go.
func TestReduceWarpAtOnce(t *testing.T) {
	const enc = "#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
	for by, f := range map[string]func(a, b int32) int32{
		"addi":  func(a, b int32) int32 { return a + b },
		"maxsi": func(a, b int32) int32 { return max(a, b) },
		"minui": func(a, b int32) int32 { return int32(min(uint32(a), uint32(b))) },
		"xori":  func(a, b int32) int32 { return a ^ b },
	} {
		t.Run(by, func(t *testing.T) {
			body := "tt.func public @k(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {\n" +
				offsetsText("o", []int{1024}, enc) +
				accessText("x", "o", "v", []int{1024}, "i32", enc, false) +
				fmt.Sprintf("%%w = \"tt.reduce\"(%%v) <{axis = 0 : i32}> ({\n^bb0(%%a: i32, %%b: i32):\n"+
					"%%c = arith.%s %%a, %%b : i32\n"+
					"tt.reduce.return %%c : i32\n}) : (tensor<1024xi32, %s>) -> i32\n"+
					"tt.store %%y, %%w : !tt.ptr<i32>\ntt.return\n}\n", by, enc)
			k, ptx := compile(t, parseIR(t, "reduce.ttgir", []byte(moduleText(4, body))), "k", 90)
			if !strings.Contains(string(ptx), "redux.sync") ||
				strings.Contains(string(ptx), "shfl.sync.bfly") {
				t.Errorf("not one instruction:\n%s", clip(ptx))
			}
			in := &buf{elem: ir.I32, n: 1024, fill: func(k int) float64 {
				return float64((k*7919+13)%100003 - 50000)
			}}
			l := launch{"k", [3]int{1, 1, 1}, []any{in, &buf{elem: ir.I32, n: 1, fill: func(int) float64 {
				return 0
			}}}}
			_, mem := l.memory(1)
			onSim(t, ptx, k.Shared, l, mem, false)
			want := int32(get(mem[0], 4))
			for i := 1; i < 1024; i++ {
				want = f(want, int32(get(mem[0][4*i:], 4)))
			}
			if got := int32(get(mem[1], 4)); got != want {
				t.Errorf("got %d, want %d", got, want)
			}
		})
	}
}

// TestReduceByLanes combines what warps have found, of many rows, in different lanes at once. Before, lanes
// share the rows out: 32 rows take 16+8+4+2+1 exchanges.
func TestReduceByLanes(t *testing.T) {
	for _, c := range []struct{ rows, warps, combined, sent int }{
		{8, 4, 4 + 2 + 1 + 2 + 2, 8}, {2, 4, 1 + 4 + 2*2, 0}, {32, 8, 31 + 8*3, 32},
	} {
		shape, rest := []int{c.rows, 128 * c.warps}, []int{c.rows}
		enc := fmt.Sprintf("#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], "+
			"warpsPerCTA = [1, %d], order = [1, 0]}>", c.warps)
		slice := "#ttg.slice<{dim = 1, parent = " + enc + "}>"
		body := "tt.func public @k(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {\n" + offsetsText("o", shape, enc) +
			accessText("x", "o", "v", shape, "i32", enc, false) +
			fmt.Sprintf(`%%w = "tt.reduce"(%%v) <{axis = 1 : i32}> ({
^bb0(%%a: i32, %%b: i32):
%%g = arith.cmpi sgt, %%a, %%b : i32
%%c = arith.select %%g, %%a, %%b : i32
%%d = arith.minsi %%a, %%b : i32
%%e = arith.muli %%d, %%d : i32
%%f = arith.andi %%e, %%d : i32
%%h = arith.subi %%f, %%f : i32
%%i = arith.addi %%c, %%h : i32
tt.reduce.return %%i : i32
}) : (tensor<%s, %s>) -> tensor<%s, %s>
`, shapeText(shape, "i32"), enc, shapeText(rest, "i32"), slice) +
			offsetsText("p", rest, slice) + accessText("y", "p", "w", rest, "i32", slice, true) +
			"tt.return\n}\n"
		text := moduleText(c.warps, body)
		l := launch{"k", [3]int{1, 1, 1}, []any{ints(ir.I32, size(shape), 9999), ints(ir.I32, c.rows, 2)}}
		ptx := string(runBothOn(t, 90, text, l, 0))
		combined, sent := strings.Count(ptx, "shfl.sync.bfly"), strings.Count(ptx, "shfl.sync.idx")
		if combined != c.combined || sent != c.sent {
			t.Errorf("%+v: %d and %d shuffles", c, combined, sent)
		}
	}
}
