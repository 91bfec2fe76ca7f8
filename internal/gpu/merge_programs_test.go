package gpu_test

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/pass/passtest"
)

// TestMergeable: programs of cheap operations become one until a thread moves enough, those of functions that
// branch until it has a few elements of them, and those that divide integers, or move memory for elements
// that lie apart, for longer than the next one takes to start not at all.
func TestMergeable(t *testing.T) {
	const text = `tt.func @k(%p: !tt.ptr<f16>, %d: i64) {
  %n = arith.constant 256 : i32
  %id = tt.get_program_id x : i32
  %start = arith.muli %id, %n : i32
  %range = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %starts = tt.splat %start : i32 -> tensor<256xi32>
  %at = arith.addi %starts, %range : tensor<256xi32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>>
  %q = tt.addptr %ps, %at : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
  %at64 = arith.extsi %at : tensor<256xi32> to tensor<256xi64>
  %by = tt.splat %d : i64 -> tensor<256xi64>
  %c7 = arith.constant dense<7> : tensor<256xi64>
  DIVISION
  %x = tt.load %q : tensor<256x!tt.ptr<f16>>
  %w = arith.extf %x : tensor<256xf16> to tensor<256xf32>
  %y = OP %w : tensor<256xf32>
  %z = arith.truncf %y : tensor<256xf32> to tensor<256xf16>
  tt.store %q, %z : tensor<256x!tt.ptr<f16>>
  tt.return
}`
	merged := func(op, division string) int {
		m := passtest.Parse(t, "k.ttir", strings.NewReplacer("OP", op, "DIVISION", division).Replace(text))
		return gpu.Mergeable(m, gpu.Machine{NumWarps: 4, NumCTAs: 1})
	}
	for op, want := range map[string]int{"math.absf": 8, "math.exp2": 8, "math.erf": 4, "math.sin": 4} {
		if got := merged(op, ""); got != want {
			t.Errorf("%s: %d programs become one, not %d", op, got, want)
		}
	}
	if got := merged("math.absf", "%step = arith.constant dense<32> : tensor<256xi32>\n"+
		"%far = arith.muli %at, %step : tensor<256xi32>\n"+
		"%column = tt.addptr %ps, %far : tensor<256x!tt.ptr<f16>>, tensor<256xi32>\n"+
		"%c = tt.load %column : tensor<256x!tt.ptr<f16>>"); got != 1 {
		t.Errorf("elements that lie apart: %d programs become one", got)
	}
	for division, want := range map[string]int{
		"%r = arith.remsi %at64, %c7 : tensor<256xi64>":                                                8,
		"%r = arith.remsi %at, %at : tensor<256xi32>":                                                  8,
		"%r = arith.remsi %at64, %by : tensor<256xi64>":                                                8,
		"%r = arith.remsi %at64, %by : tensor<256xi64>\n%s = arith.divsi %at64, %by : tensor<256xi64>": 1,
	} {
		if got := merged("math.absf", division); got != want {
			t.Errorf("%s: %d programs become one, not %d", division, got, want)
		}
	}
}

// TestMayMerge: assembly that reads special registers may ask for the block's number, which is another one in
// merged programs.
func TestMayMerge(t *testing.T) {
	const text = `tt.func @k(%p: !tt.ptr<i32>) {
  %id = tt.get_program_id x : i32
  %q = tt.addptr %p, %id : !tt.ptr<i32>, i32
  %x = tt.load %q : !tt.ptr<i32>
  %y = tt.elementwise_inline_asm "ASM" {
    constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  tt.store %q, %y : !tt.ptr<i32>
  tt.return
}`
	for asm, want := range map[string]bool{"abs.s32 $0, $1;": true, "add.s32 $0, $1, %ctaid.x;": false} {
		m := passtest.Parse(t, "k.ttir", strings.Replace(text, "ASM", asm, 1))
		if got := gpu.MayMerge(m, gpu.Machine{NumWarps: 4, NumCTAs: 1}); got != want {
			t.Errorf("%s: %v", asm, got)
		}
	}
}
