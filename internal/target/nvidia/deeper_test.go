package nvidia

import (
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lower"
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
		{"matmul_f16", 3, 8, []int{3, 4, 4}, [3]int{1, 1, 1}},
		{"matmul_bf16_relu", 4, 4, []int{4, 8, 7}, [3]int{3, 1, 2}},
		{"matmul_bf16_relu", 1, 4, nil, [3]int{13, 13, 13}},
		{"attention_d64", 3, 8, nil, [3]int{3, 3, 3}},
		{"attention_d128_causal", 3, 4, []int{2, 3, 2}, [3]int{2, 1, 2}},
		{"attention_d128_causal", 2, 4, nil, [3]int{2, 2, 2}},
		{"matmul_bf16_relu", 2, 2, []int{2, 3, 3}, [3]int{13, 6, 6}}, // products of single warps
	} {
		for sharing, programs := range x.programs {
			m := golden(t, x.name)
			in := &target.Input{Module: m, Fallback: true, Sharing: sharing,
				Options: target.Options{NumWarps: x.warps, NumStages: x.stages, NumCTAs: 1}}
			depths, err := c.ttgir(in)
			if err != nil {
				t.Fatal(err)
			}
			want := x.depths
			if gpu.Persistent(m) { // one program for each SM, in all launches
				want = nil
			}
			if !slices.Equal(depths, want) {
				t.Errorf("%s, sharing %d: depths %v, want %v", x.name, sharing, depths, want)
			}
			kernel := ""
			for name := range m.Symbols() {
				kernel = name
			}
			k, err := lower.Lower(m, kernel, c.lowerOptions(m))
			if err != nil {
				t.Fatal(err)
			}
			if n := sms[90].shared / (k.Shared + 1<<10); n != programs {
				t.Errorf("%s, sharing %d: %d bytes, which %d programs have, want %d",
					x.name, sharing, k.Shared, n, programs)
			}
		}
	}
}

// TestSharing divides grids among SMs.
func TestSharing(t *testing.T) {
	c := Compiler{Capability: 90}
	for _, x := range []struct {
		grid [3]int
		want int
	}{
		{[3]int{132, 1, 1}, 1}, {[3]int{11, 6, 2}, 1}, {[3]int{133, 1, 1}, 2}, {[3]int{264, 1, 1}, 2},
		{[3]int{265, 1, 1}, target.Many}, {[3]int{1, 1, 1}, 1}, {[3]int{0, 1, 1}, 0},
	} {
		if got := c.Sharing(x.grid, 132); got != x.want {
			t.Errorf("%v: %d, want %d", x.grid, got, x.want)
		}
	}
	if got := (Compiler{Capability: 80}).Sharing([3]int{1, 1, 1}, 132); got != 0 {
		t.Errorf("sm_80: %d", got)
	}
	t.Setenv("NEREID_DISABLE_DEEPER", "1")
	if got := c.Sharing([3]int{1, 1, 1}, 132); got != 0 {
		t.Errorf("disabled: %d", got)
	}
	if got := c.Sharing([3]int{133, 1, 1}, 132); got != target.Many {
		t.Errorf("disabled, many programs: %d", got)
	}
}

// TestOtherDepth: code for few programs is not run by launches of many, nor that of programs that stay by
// launches with one for each SM.
func TestOtherDepth(t *testing.T) {
	few, many, deep := [3]int{132, 1, 1}, [3]int{999, 1, 1}, []int{3, 5, 4}
	never, always := tt.TileGuard{tt.GuardNumber, -1}, tt.TileGuard{tt.GuardNumber, 0}
	long := &Code{Persistent: true, Short: never, guards: &guardTable{}}
	short := &Code{Persistent: true, Short: always, guards: &guardTable{}}
	forFew, stays := &Code{Depths: deep, Sharing: 1}, &Code{Persistent: true}
	for _, x := range []struct {
		code *Code
		grid [3]int
		want int
	}{
		{&Code{}, few, -1}, {&Code{Depths: deep}, few, 1}, {forFew, few, -1}, {forFew, [3]int{0, 1, 1}, -1},
		{forFew, many, 0}, {stays, few, 1}, {stays, [3]int{133, 1, 1}, -1}, {stays, many, -1},
		{stays, [3]int{0, 1, 1}, -1}, {long, many, 0}, {long, few, 1}, {short, many, -1}, {short, few, 1},
	} {
		if got := x.code.OtherDepth(x.grid, nil, 132); got != x.want {
			t.Errorf("%+v, grid %v: %d, want %d", x.code, x.grid, got, x.want)
		}
	}
}

// TestWideTiles: loads of plain products, and stores of their results, go to the copy engine if the products
// have many sums.
func TestWideTiles(t *testing.T) {
	for name, want := range map[string]int{"matmul_f16": 3, "matmul_bf16_relu": 0} {
		m := golden(t, name)
		in := &target.Input{Module: m, Fallback: true,
			Options: target.Options{NumWarps: 8, NumStages: 3, NumCTAs: 1}}
		if _, err := (Compiler{Capability: 90}).ttgir(in); err != nil {
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
