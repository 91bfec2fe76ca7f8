package ttg

import (
	"reflect"
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

var (
	testBlocked = Blocked{SizePerThread: []int64{1, 4}, ThreadsPerWarp: []int64{4, 8},
		WarpsPerCTA: []int64{4, 1}, Order: []int64{1, 0}}
	testMma = NvidiaMma{VersionMajor: 3, WarpsPerCTA: []int64{4, 1}, InstrShape: []int64{16, 64, 16}}
)

// layouts are one of each kind, with the text that Triton gives it and the rank.
var layouts = []struct {
	layout Layout
	text   string
	rank   int
}{
	{testBlocked, "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], " +
		"order = [1, 0]}>", 2},
	{Blocked{SizePerThread: []int64{1}, ThreadsPerWarp: []int64{32}, WarpsPerCTA: []int64{4},
		Order: []int64{0}, CGALayout: [][]int64{{1}, {0}}},
		"#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], " +
			"CGALayout = [[1], [0]]}>", 1},
	{Slice{1, testBlocked.Attr()}, "#ttg.slice<{dim = 1, parent = " + blockedText + "}>", 1},
	{DotOp{0, testBlocked.Attr(), 0}, "#ttg.dot_op<{opIdx = 0, parent = " + blockedText + "}>", 2},
	{DotOp{1, testMma.Attr(), 2}, "#ttg.dot_op<{opIdx = 1, parent = " + mmaText + ", kWidth = 2}>", 2},
	{testMma, mmaText, 2},
	{AMDMfma{Version: 3, WarpsPerCTA: []int64{2, 2}, InstrShape: []int64{32, 32, 8}, IsTransposed: true,
		TilesPerWarp: []int64{1, 1, 1}, ElementBitWidth: 32},
		"#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>",
		2},
	{AMDWmma{Version: 1, WarpsPerCTA: []int64{2, 2}, TilesPerWarp: []int64{1, 1, 1},
		InstrShape: []int64{16, 16, 16}},
		"#ttg.amd_wmma<{version = 1, isTranspose = false, warpsPerCTA = [2, 2]}>", 2},
	{Linear{Register: [][]int64{{0, 1}}, Lane: [][]int64{{1, 0}}, Warp: [][]int64{}, Block: [][]int64{}},
		"#ttg.linear<{register = [[0, 1]], lane = [[1, 0]], warp = [], block = []}>", 2},
	{Swizzled{Vec: 8, PerPhase: 1, MaxPhase: 8, Order: []int64{1, 0}},
		"#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>", 2},
	{Rotating{Vec: 4, PerPhase: 1, MaxPhase: 16, Order: []int64{0, 1}},
		"#ttg.amd_rotating_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [0, 1]}>", 2},
	{NVMMAShared{SwizzlingByteWidth: 128, ElementBitWidth: 16, Dims: 2},
		"#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>", 2},
	{NVMMAShared{SwizzlingByteWidth: 64, Transposed: true, ElementBitWidth: 8, Fp4Padded: true, Dims: 3},
		"#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8, fp4Padded = " +
			"true, rank = 3}>", 3},
	{PaddedIdentity([]int64{32}, []int64{4}, []int64{1, 0}, []int64{2, 4}),
		"#ttg.padded_shared<[32:+4] {order = [1, 0], shape = [2, 4]}>", 2},
	{Padded{Intervals: []int64{32, 64}, Paddings: []int64{4, 8}, Dims: 2,
		Offset: [][]int64{{1, 0}, {0, 1}, {2, 0}}, Block: [][]int64{}},
		"#ttg.padded_shared<[32:+4, 64:+8] {offset = [[1, 0], [0, 1], [2, 0]], block = []}>", 2},
	{SharedLinear{Offset: [][]int64{{1}, {2}}, Alignment: 16},
		"#ttg.shared_linear<{offset = [[1], [2]]}, alignment = 16>", 1},
}

const (
	blockedText = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], " +
		"order = [1, 0]}>"
	mmaText = "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = " +
		"[16, 64, 16]}>"
)

// TestLayouts: struct to attribute to text and all the way back.
func TestLayouts(t *testing.T) {
	kinds := map[reflect.Type]bool{}
	for _, c := range layouts {
		kinds[reflect.TypeOf(c.layout)] = true
		a := c.layout.Attr()
		if got := a.String(); got != c.text {
			t.Errorf("prints %s, want %s", got, c.text)
		}
		back, err := ir.ParseAttr(c.text)
		if err != nil {
			t.Error(err)
			continue
		}
		if back != a {
			t.Errorf("%s reads back as another attribute, %s", c.text, back)
		}
		if l := Decode(back); l.Attr() != a || reflect.TypeOf(l) != reflect.TypeOf(c.layout) {
			t.Errorf("%s decodes to %#v", c.text, l)
		}
		if c.layout.Rank() != c.rank || c.layout.check() != nil {
			t.Errorf("%s has rank %d, check says %v", c.text, c.layout.Rank(), c.layout.check())
		}
	}
	if len(kinds) != len(decoders) {
		t.Errorf("%d kinds of layout tried, there are %d", len(kinds), len(decoders))
	}
}

func TestAs(t *testing.T) {
	b, ok := As[Blocked](testBlocked.Attr())
	if !ok || !reflect.DeepEqual(b.Order, testBlocked.Order) {
		t.Errorf("got %v, %v", b, ok)
	}
	if _, ok := As[Slice](testBlocked.Attr()); ok {
		t.Error("a blocked layout is no slice")
	}
	if Decode(nil) != nil || Decode(SharedMemory) != nil || Decode(ir.Unit) != nil {
		t.Error("what is no layout decodes to nil")
	}
	if IsShared(testBlocked.Attr()) || !IsDistributed(testBlocked.Attr()) || !IsMma(testMma.Attr()) ||
		IsDistributed(nil) {
		t.Error("wrong kind")
	}
}

func TestMemDesc(t *testing.T) {
	enc := Swizzled{Vec: 1, PerPhase: 1, MaxPhase: 1, Order: []int64{1, 0}}.Attr()
	m := MemDesc{Shape: []int64{16, 8}, Elem: ir.F16, Encoding: enc, Space: SharedMemory, Mutable: true,
		AllocShape: []int64{16, 32}}
	want := "!ttg.memdesc<16x8xf16, " + enc.String() + ", #ttg.shared_memory, mutable, 16x32>"
	if got := m.Type().String(); got != want {
		t.Errorf("prints %s, want %s", got, want)
	}
	back, err := ir.ParseType(want)
	if err != nil || back != ir.Type(m.Type()) {
		t.Errorf("reads back as %s, %v", back, err)
	}
	if got, ok := MemDescOf(back); !ok || !reflect.DeepEqual(got, m) {
		t.Errorf("taken apart: %v", got)
	}
	m.AllocShape = m.Shape
	if got, _ := MemDescOf(m.Type()); got.AllocShape != nil || !reflect.DeepEqual(got.Alloc(), m.Shape) {
		t.Errorf("an allocation of the same shape goes without saying: %v", got)
	}
}

// TestInferTrans: dimension i of the result is dimension order[i] of the operand, and no element moves.
func TestInferTrans(t *testing.T) {
	b := Blocked{SizePerThread: []int64{1, 2, 4}, ThreadsPerWarp: []int64{2, 4, 4},
		WarpsPerCTA: []int64{4, 1, 1}, Order: []int64{2, 1, 0}, CGALayout: [][]int64{{1, 0, 0}}}
	want := Blocked{SizePerThread: []int64{4, 1, 2}, ThreadsPerWarp: []int64{4, 2, 4},
		WarpsPerCTA: []int64{1, 4, 1}, Order: []int64{0, 2, 1}, CGALayout: [][]int64{{0, 1, 0}}}
	got, err := InferTrans(b.Attr(), []int64{16, 16, 16}, []int64{2, 0, 1})
	if err != nil || got != want.Attr() {
		t.Errorf("got %s, %v, want %s", got, err, want.Attr())
	}
	back, err := InferTrans(got, []int64{16, 16, 16}, []int64{1, 2, 0})
	if err != nil || back != b.Attr() {
		t.Errorf("the inverse gives %s, %v", back, err)
	}
	if _, err := InferTrans(b.Attr(), []int64{16, 16}, []int64{1, 0}); err == nil {
		t.Error("ranks differ")
	}
}

func TestNumWarps(t *testing.T) {
	m := ir.NewModule(nil)
	m.Op.SetAttr(NumWarpsAttr, ir.I32Attr(8))
	m.Op.SetAttr(ThreadsPerWarpAttr, ir.I32Attr(64))
	m.Op.SetAttr(TargetAttr, ir.Str("hip:gfx942"))
	b := ir.NewBuilder(m.Block())
	op := b.Op(LocalBarrier, nil, nil)
	if NumWarps(op) != 8 || ThreadsPerWarp(op) != 64 || NumCTAs(op) != 1 || Target(op) != "hip:gfx942" {
		t.Errorf("%d warps of %d threads, %d CTAs, %s", NumWarps(op), ThreadsPerWarp(op), NumCTAs(op),
			Target(op))
	}
	body := ir.NewBlock()
	parts := ir.NewOp(ir.State{Def: WarpSpecializePartitions,
		Regions: []*ir.Region{ir.NewRegion(ir.NewBlock()), ir.NewRegion(body)}})
	holder := ir.NewBlock()
	holder.Append(parts)
	b.Create(ir.State{
		Def:     WarpSpecialize,
		Attrs:   []ir.NamedAttr{ir.A("partitionNumWarps", ir.I32Array(4, 2))},
		Regions: []*ir.Region{ir.NewRegion(ir.NewBlock()), ir.NewRegion(holder)},
	})
	if n := NumWarps(ir.NewBuilder(body).Op(LocalBarrier, nil, nil)); n != 2 {
		t.Errorf("a partition of 2 warps has %d", n)
	}
}

func TestAllocEffects(t *testing.T) {
	enc := Swizzled{Vec: 1, PerPhase: 1, MaxPhase: 1, Order: []int64{0}}.Attr()
	m := MemDesc{Shape: []int64{16}, Elem: ir.F32, Encoding: enc, Space: SharedMemory}
	src := ir.NewBlock(ir.Tensor([]int64{16}, ir.F32, nil)).Arg(0)
	op := ir.NewOp(ir.State{Def: LocalAlloc, Operands: []*ir.Value{src}, Results: []ir.Type{m.Type()}})
	if e := op.Effects(); e != 0 {
		t.Errorf("an immutable buffer is a value, effects %b", e)
	}
	op.SetAttr("allocation.offset", ir.I32Attr(0))
	if e := op.Effects(); e != ir.EffAlloc|ir.EffWrite {
		t.Errorf("a buffer with a place is memory, effects %b", e)
	}
}

// TestLayoutRules: the tt dialect knows the rules of these layouts.
func TestLayoutRules(t *testing.T) {
	enc := testBlocked.Attr()
	reduced, err := tt.Layouts.Reduce(enc, 1)
	if err != nil || reduced != (Slice{1, enc}).Attr() {
		t.Errorf("reduce: %s, %v", reduced, err)
	}
	if back, err := tt.Layouts.ExpandDims(reduced, 1); err != nil || back != enc {
		t.Errorf("expand_dims: %s, %v", back, err)
	}
	joined, _ := tt.Layouts.Join(enc, []int64{16, 32})
	if back, err := tt.Layouts.Split(joined, []int64{16, 32, 2}); err != nil || back != enc {
		t.Errorf("split: %s, %v", back, err)
	}
}
