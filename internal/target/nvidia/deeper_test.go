package nvidia

import (
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lower"
	"github.com/nereid-lang/nereid/internal/pass/passtest"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestDeeper compiles products for launches with few programs: pipelines fill the shared memory, and programs
// that fitted an SM together still do. Attention in one warp group has fewer stages if two programs then
// share an SM, but not in launches with one program for each.
func TestDeeper(t *testing.T) {
	c := Compiler{Capability: 90}
	for _, x := range []struct {
		name     string
		stages   int
		warps    int
		depths   []int
		programs [3]int // that an SM has memory for
	}{
		{"matmul_f16", 3, 8, []int{3, 4, 4, 3, 3, 3}, [3]int{1, 1, 1}},
		{"matmul_bf16_relu", 4, 4, []int{4, 8, 7, 4, 4, 4}, [3]int{3, 1, 2}},
		{"matmul_bf16_relu", 1, 4, nil, [3]int{13, 13, 13}},
		{"attention_d64", 3, 8, nil, [3]int{3, 3, 3}},
		{"attention_d128_causal", 3, 4, []int{2, 3, 2, 2, 2, 2}, [3]int{2, 1, 2}},
		{"attention_d128_causal", 2, 4, nil, [3]int{2, 2, 2}},
		{"matmul_bf16_relu", 2, 2, []int{2, 3, 3, 2, 2, 2}, [3]int{13, 6, 6}}, // products of single warps
	} {
		for blocks, programs := range x.programs {
			m := golden(t, x.name)
			in := &target.Input{Module: m, Way: device.Way{Fallback: true, BlocksPerSM: blocks},
				Options: target.Options{NumWarps: x.warps, NumStages: x.stages, NumCTAs: 1}}
			depths, err := c.ttgir(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := x.depths
			if gpu.Persistent(m) { // one program for each SM, in all launches
				want = nil
			}
			if !slices.Equal(depths, want) {
				t.Errorf("%s, blocks %d: depths %v, want %v", x.name, blocks, depths, want)
			}
			kernel := ""
			for name := range m.Symbols() {
				kernel = name
			}
			k, err := lower.Lower(m, kernel, c.lowerOptions(m))
			if err != nil {
				t.Fatal(err)
			}
			if n := c.chip().SharedPerSM / (k.Shared + 1<<10); n != programs {
				t.Errorf("%s, blocks %d: %d bytes, which %d programs have, want %d",
					x.name, blocks, k.Shared, n, programs)
			}
		}
	}
}

// TestBlocksPerSM divides grids among SMs.
func TestBlocksPerSM(t *testing.T) {
	c := Compiler{Capability: 90}
	for _, x := range []struct {
		grid [3]int
		want int
	}{
		{[3]int{132, 1, 1}, 1}, {[3]int{11, 6, 2}, 1}, {[3]int{133, 1, 1}, 2}, {[3]int{264, 1, 1}, 2},
		{[3]int{265, 1, 1}, 4}, {[3]int{528, 1, 1}, 4}, {[3]int{529, 1, 1}, 8}, {[3]int{2112, 1, 1}, 16},
		{[3]int{2113, 1, 1}, device.Many}, {[3]int{1, 1, 1}, 1}, {[3]int{0, 1, 1}, 0},
	} {
		if got := c.BlocksPerSM(x.grid, 132); got != x.want {
			t.Errorf("%v: %d, want %d", x.grid, got, x.want)
		}
	}
	if got := (Compiler{Capability: 80}).BlocksPerSM([3]int{1, 1, 1}, 132); got != 0 {
		t.Errorf("sm_80: %d", got)
	}
	t.Setenv("NEREID_DISABLE_DEEPER", "1")
	if got := c.BlocksPerSM([3]int{1, 1, 1}, 132); got != 0 {
		t.Errorf("disabled: %d", got)
	}
	if got := c.BlocksPerSM([3]int{133, 1, 1}, 132); got != device.Many {
		t.Errorf("disabled, many programs: %d", got)
	}
}

// TestWideTiles: loads of plain products, and stores of their results, go to the copy engine if the products
// have many sums.
func TestWideTiles(t *testing.T) {
	for name, want := range map[string]int{"matmul_f16": 3, "matmul_bf16_relu": 0} {
		m := golden(t, name)
		in := &target.Input{Module: m, Way: device.AnyLaunch,
			Options: target.Options{NumWarps: 8, NumStages: 3, NumCTAs: 1}}
		if _, err := (Compiler{Capability: 90}).ttgir(in, nil); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(target.Text(m)), "nereid.tile"); n != want {
			t.Errorf("%s: %d tiles, want %d", name, n, want)
		}
	}
}

// golden returns the TTIR of a sample kernel.
func golden(t *testing.T, name string) *ir.Module {
	t.Helper()
	text := txtest.Read(t, txtest.Path(t, "testdata/golden/cuda-90/"+name+".ttir"))
	m, err := ir.Parse(diag.NewFileSet(), name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestShares: the code of loops depends on the number of programs: with products on up to two, or on there
// being many; without products not on that.
func TestShares(t *testing.T) {
	product, rows, once := golden(t, "matmul_f16"), golden(t, "row_sum_f32"), golden(t, "add_f32")
	counts := passtest.Parse(t, "counts", `tt.func @counts(%n: i32) {
  %zero = arith.constant 0 : i32
  %r = scf.while (%i = %zero) : (i32) -> i32 {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %i : i32
  } do {
  ^bb0(%i: i32):
    scf.yield %n : i32
  }
  tt.return
}`)
	for _, x := range []struct {
		m            *ir.Module
		blocks, want int
	}{
		{product, 1, 1}, {product, 2, 2}, {product, 4, device.Many}, {product, device.Many, device.Many},
		{rows, 1, 1}, {rows, 8, 8}, {rows, device.Many, 0}, {once, 1, 0}, {counts, 1, 1}, {nil, 8, 8},
	} {
		if got := (Compiler{Capability: 90}).shares(x.m, x.blocks); got != x.want {
			t.Errorf("%d programs on an SM: %d, want %d", x.blocks, got, x.want)
		}
	}
}
