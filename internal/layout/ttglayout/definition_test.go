package ttglayout

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

func parse(t testing.TB, text string) ir.Attr {
	t.Helper()
	enc, err := ir.ParseAttr(text)
	if err != nil {
		t.Fatal(err)
	}
	return enc
}

func mustFor(t testing.TB, enc ir.Attr, shape ...int64) layout.Layout {
	t.Helper()
	l, err := For(enc, shape)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestBlockedDefinition: element (i, j) belongs to the thread that its block of sizePerThread falls to,
// when threads and then warps are laid out over the tensor and start over at its end; for all layouts of a
// small machine on all small shapes.
func TestBlockedDefinition(t *testing.T) {
	pairs := func(product int64) (out [][]int64) {
		for a := int64(1); a <= product; a *= 2 {
			out = append(out, []int64{a, product / a})
		}
		return out
	}
	checked := 0
	for _, size := range [][]int64{{1, 1}, {1, 2}, {2, 1}, {2, 2}, {4, 1}} {
		for _, threads := range pairs(8) {
			for _, warps := range pairs(4) {
				for _, order := range [][]int64{{0, 1}, {1, 0}} {
					enc := ttg.Blocked{SizePerThread: size, ThreadsPerWarp: threads, WarpsPerCTA: warps,
						Order: order}
					for _, shape := range [][]int64{{1, 1}, {4, 8}, {16, 2}, {16, 16}, {32, 64}} {
						checkBlocked(t, enc, shape)
						checked++
					}
				}
			}
		}
	}
	if checked != 5*4*3*2*5 {
		t.Errorf("%d layouts", checked)
	}
}

func checkBlocked(t *testing.T, b ttg.Blocked, shape []int64) {
	t.Helper()
	l := mustFor(t, b.Attr(), shape...)
	f, s := b.Order[0], b.Order[1] // the fast and the slow dimension
	owners := map[string]bool{}
	for reg := range l.InSize(layout.Register) {
		for lane := range l.InSize(layout.Lane) {
			for warp := range l.InSize(layout.Warp) {
				at := l.Apply(reg, lane, warp, 0)
				owners[fmt.Sprint(at, lane, warp)] = true
			}
		}
	}
	for i := range shape[0] {
		for j := range shape[1] {
			at := [2]int64{i, j}
			thread, warp := [2]int64{}, [2]int64{}
			for d := range 2 {
				block := at[d] / b.SizePerThread[d]
				thread[d] = block % b.ThreadsPerWarp[d]
				warp[d] = block / b.ThreadsPerWarp[d] % b.WarpsPerCTA[d]
			}
			lane := thread[f] + thread[s]*b.ThreadsPerWarp[f]
			w := warp[f] + warp[s]*b.WarpsPerCTA[f]
			if !owners[fmt.Sprint([]int{int(i), int(j)}, lane, w)] {
				t.Fatalf("%s on %v: element (%d, %d) is not with lane %d of warp %d", b.Attr(), shape,
					i, j, lane, w)
			}
		}
	}
}

// TestSliceDefinition: a thread holds element i of a slice exactly when it holds some element of the parent
// with that index.
func TestSliceDefinition(t *testing.T) {
	for _, parent := range []string{
		"#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, 2], order = " +
			"[1, 0]}>",
		"#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>",
	} {
		p := parse(t, parent)
		for dim := range int64(2) {
			whole := mustFor(t, p, 32, 32)
			sliced := mustFor(t, ttg.Slice{Dim: dim, Parent: p}.Attr(), 32)
			for lane := range 32 {
				for warp := range 4 {
					want, got := map[int]bool{}, map[int]bool{}
					for r := range whole.InSize(layout.Register) {
						want[whole.Apply(r, lane, warp, 0)[1-dim]] = true
					}
					for r := range sliced.InSize(layout.Register) {
						i := sliced.Apply(r, lane, warp, 0)[0]
						if got[i] {
							t.Errorf("%s, dim %d: lane %d of warp %d holds %d twice", parent, dim,
								lane, warp, i)
						}
						got[i] = true
					}
					if fmt.Sprint(got) != fmt.Sprint(want) {
						t.Fatalf("%s, dim %d: lane %d of warp %d holds %v, want %v", parent, dim, lane,
							warp, got, want)
					}
				}
			}
		}
	}
}

// TestMmaFragments compares the fragments of one warp with the PTX manual (mma.m16n8k16 and .m16n8k8,
// wgmma.m64nNk16).
func TestMmaFragments(t *testing.T) {
	acc := parse(t, "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], "+
		"instrShape = [16, 8]}>")
	operand := func(i, k int64) ir.Attr { return ttg.DotOp{OpIdx: i, Parent: acc, KWidth: k}.Attr() }
	wgmma := parse(t, "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], "+
		"instrShape = [16, 16, 16]}>")
	tests := []struct {
		name  string
		enc   ir.Attr
		shape []int64
		at    func(reg, lane, warp int) (row, col int)
	}{
		{"accumulator", acc, []int64{16, 8}, func(r, lane, _ int) (int, int) {
			return lane/4 + 8*(r/2), lane%4*2 + r%2
		}},
		{"A of m16n8k16", operand(0, 2), []int64{16, 16}, func(r, lane, _ int) (int, int) {
			return lane/4 + 8*(r/2%2), lane%4*2 + r%2 + 8*(r/4)
		}},
		{"B of m16n8k16", operand(1, 2), []int64{16, 8}, func(r, lane, _ int) (int, int) {
			return lane%4*2 + r%2 + 8*(r/2), lane / 4
		}},
		{"A of m16n8k8 in tf32", operand(0, 1), []int64{16, 8}, func(r, lane, _ int) (int, int) {
			return lane/4 + 8*(r%2), lane%4 + 4*(r/2)
		}},
		{"B of m16n8k8 in tf32", operand(1, 1), []int64{8, 8}, func(r, lane, _ int) (int, int) {
			return lane%4 + 4*r, lane / 4
		}},
		{"accumulator of wgmma.m64n16", wgmma, []int64{64, 16}, func(r, lane, warp int) (int, int) {
			return 16*warp + lane/4 + 8*(r/2%2), lane%4*2 + r%2 + 8*(r/4)
		}},
	}
	for _, tt := range tests {
		l := mustFor(t, tt.enc, tt.shape...)
		for reg := range l.InSize(layout.Register) {
			for lane := range 32 {
				for warp := range l.InSize(layout.Warp) {
					row, col := tt.at(reg, lane, warp)
					if got := l.Apply(reg, lane, warp, 0); got[0] != row || got[1] != col {
						t.Fatalf("%s: register %d of lane %d of warp %d is %v, the manual says (%d, %d)",
							tt.name, reg, lane, warp, got, row, col)
					}
				}
			}
		}
	}
}

// TestFmaOperand: each thread finds, for all elements of the result that it holds, the whole row and column
// it needs.
func TestFmaOperand(t *testing.T) {
	enc := parse(t, "#ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 2], "+
		"order = [0, 1]}>")
	const m, n, k = 16, 32, 8
	c := mustFor(t, enc, m, n)
	a, b := mustFor(t, ttg.DotOp{OpIdx: 0, Parent: enc}.Attr(), m, k),
		mustFor(t, ttg.DotOp{OpIdx: 1, Parent: enc}.Attr(), k, n)
	holds := func(l layout.Layout, lane, warp int) map[string]bool {
		set := map[string]bool{}
		for r := range l.InSize(layout.Register) {
			set[fmt.Sprint(l.Apply(r, lane, warp, 0))] = true
		}
		return set
	}
	for lane := range 32 {
		for warp := range 2 {
			as, bs := holds(a, lane, warp), holds(b, lane, warp)
			for r := range c.InSize(layout.Register) {
				at := c.Apply(r, lane, warp, 0)
				for i := range k {
					if !as[fmt.Sprint([]int{at[0], i})] || !bs[fmt.Sprint([]int{i, at[1]})] {
						t.Fatalf("lane %d of warp %d lacks an operand of %v", lane, warp, at)
					}
				}
			}
		}
	}
}

// TestSwizzledDefinition: element (row, col) lies in its row, in the vector whose number is the column's
// xor the phase.
func TestSwizzledDefinition(t *testing.T) {
	for _, vec := range []int64{1, 2, 4} {
		for _, per := range []int64{1, 2} {
			for _, phases := range []int64{1, 2, 8} {
				enc := ttg.Swizzled{Vec: vec, PerPhase: per, MaxPhase: phases, Order: []int64{1, 0}}
				l := mustFor(t, enc.Attr(), 16, 32)
				inv := l.PseudoInvert()
				for row := range int64(16) {
					for col := range int64(32) {
						phase := row / per % phases
						want := row*32 + (col/vec^phase)*vec%32 + col%vec
						if got := inv.Apply(int(row), int(col))[0]; got != int(want) {
							t.Fatalf("%s: (%d, %d) is at %d, want %d", enc.Attr(), row, col, got, want)
						}
					}
				}
			}
		}
	}
}

func TestPadded(t *testing.T) {
	l := ttg.PaddedIdentity([]int64{8, 32}, []int64{1, 4}, []int64{1, 0}, []int64{8, 8})
	order := mustFor(t, l.Attr(), 8, 8)
	for i := range 64 {
		if at := order.Apply(i, 0); at[0] != i/8 || at[1] != i%8 {
			t.Fatalf("element %d is %v", i, at)
		}
	}
	for i, want := range map[int]int{0: 0, 7: 7, 8: 9, 16: 18, 31: 34, 32: 40, 63: 63 + 7 + 4} {
		if got := PaddedOffset(l, i); got != want {
			t.Errorf("element %d is at %d, want %d", i, got, want)
		}
	}
	if got, want := PaddedSize(l, 64), PaddedOffset(l, 63)+1; got != want {
		t.Errorf("size %d, want %d", got, want)
	}
}

func TestOfMemDesc(t *testing.T) {
	enc := ttg.Swizzled{Vec: 8, PerPhase: 1, MaxPhase: 4, Order: []int64{1, 0}}.Attr()
	view := ttg.MemDesc{Shape: []int64{16, 32}, Elem: ir.F16, Encoding: enc, Space: ttg.SharedMemory,
		AllocShape: []int64{3, 64, 32}}.Type()
	if got := MustOf(view); !got.Equal(mustFor(t, enc, 64, 32)) {
		t.Errorf("a view has the layout of its allocation, not%s", got)
	}
	if _, err := Of(ir.F32); err == nil {
		t.Error("a scalar has no layout")
	}
}

func TestCluster(t *testing.T) {
	blocked := parse(t, "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, "+
		"2], order = [1, 0], CGALayout = [[1, 0], [0, 1]]}>")
	tests := []struct {
		enc  ir.Attr
		want []int64
	}{
		{blocked, []int64{32, 16}},
		{ttg.DotOp{OpIdx: 0, Parent: blocked}.Attr(), []int64{32, 32}},
		{ttg.DotOp{OpIdx: 1, Parent: blocked}.Attr(), []int64{64, 16}},
		{parse(t, "#ttg.linear<{register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], "+
			"warp = [[0, 2]], block = [[32, 0]]}>"), []int64{32, 32}},
	}
	for _, tt := range tests {
		if got, err := ShapePerCTA(tt.enc, []int64{64, 32}); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v %v, want %v", tt.enc, got, err, tt.want)
		}
	}
	if got, err := ShapePerCTA(ttg.Slice{Dim: 0, Parent: blocked}.Attr(), []int64{32}); err != nil ||
		got[0] != 16 {
		t.Errorf("slice: %v %v", got, err)
	}
	if NumCTAs(blocked) != 4 || NumCTAs(ttg.Slice{Dim: 0, Parent: blocked}.Attr()) != 4 {
		t.Error("number of CTAs")
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		enc   string
		shape []int64
		want  string
	}{
		{"#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>",
			[]int64{3}, "no power of two"},
		{"#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>",
			[]int64{4, 4}, "rank"},
		{"#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>",
			[]int64{1 << 41}, "too large"},
		{"#ttg.nvidia_mma<{versionMajor = 1, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>",
			[]int64{16, 16}, "version 1"},
		{"#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 4]}>",
			[]int64{16, 16}, "no fragment"},
		{"#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>",
			[]int64{64, 32}, "too few"},
		{"#ttg.shared_linear<{offset = [[0, 1], [1, 0]]}, alignment = 16>", []int64{4, 4}, "size 2"},
		{"dense<0> : tensor<1xi32>", []int64{1}, "no linear layout"},
		{"#ttg.dot_op<{opIdx = 1, parent = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, " +
			"warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>, kWidth = 2}>", []int64{64, 64},
			"shared memory"},
		{"#ttg.dot_op<{opIdx = 0, parent = #ttg.amd_wmma<{version = 1, isTranspose = true, " +
			"warpsPerCTA = [2, 2]}>, kWidth = 0}>", []int64{32, 32}, "kWidth 0 of an operand"},
		{"#ttg.dot_op<{opIdx = 1, parent = #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], " +
			"instrShape = [32, 32, 8], isTransposed = true}>, kWidth = 3}>", []int64{32, 32},
			"kWidth 3 of an operand"},
	}
	for _, tt := range tests {
		if _, err := For(parse(t, tt.enc), tt.shape); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s on %v: %v, want %q", tt.enc, tt.shape, err, tt.want)
		}
	}
	if _, err := For(nil, []int64{1}); err == nil {
		t.Error("no encoding, no error")
	}
}

// FuzzFor feeds encodings with any parameters: an error, never a panic.
func FuzzFor(f *testing.F) {
	for i, c := range tritonCases(f) {
		if i%50 == 0 {
			f.Add(c.Enc, int64(16), int64(32))
		}
	}
	f.Fuzz(func(t *testing.T, text string, m, n int64) {
		enc, err := ir.ParseAttr(text)
		if err != nil {
			return
		}
		for _, shape := range [][]int64{{m}, {m, n}, {m, n, 2}} {
			if l, err := For(enc, shape); err == nil && !l.IsSurjective() {
				t.Errorf("%s on %v is not onto:%s", text, shape, l)
			}
		}
	})
}
