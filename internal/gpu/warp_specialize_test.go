package gpu_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/pass/passtest"
)

// A program of one warp group gets a second one if a thread cannot hold the sums of a loop, and with
// tl.range(warp_specialize=True) if they leave little room.
func TestSpecializedWarps(t *testing.T) {
	const loop = `
module {
  tt.func @f(%n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = arith.constant dense<0.000000e+00> : A
    %b = arith.constant dense<0.000000e+00> : B
    %zero = arith.constant dense<0.000000e+00> : C
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero, %y = %zero) -> (C, C) : i32 {
      %d = tt.dot %a, %b, %x : A * B -> C
      %e = tt.dot %a, %b, %y : A * B -> C
      scf.yield %d, %e : C, C
    } HINT
    tt.return
  }
}`
	const asked = "{tt.warp_specialize}"
	for _, c := range []struct {
		rows, columns int
		attr          string
		warps, want   int
	}{
		{128, 64, "", 4, 4},    // 128 registers
		{128, 64, asked, 4, 4}, //
		{128, 128, "", 4, 8},   // 256 registers
		{128, 128, "", 8, 8},   // two groups already
		{64, 256, "", 4, 4},    // 256 registers, but rows for one group
		{256, 64, asked, 4, 8},
	} {
		text := strings.NewReplacer("A", fmt.Sprintf("tensor<%dx64xf16>", c.rows),
			"B", fmt.Sprintf("tensor<64x%dxf16>", c.columns),
			"C", fmt.Sprintf("tensor<%dx%dxf32>", c.rows, c.columns), "HINT", c.attr).Replace(loop)
		m := passtest.Parse(t, "loop.mlir", text)
		if got := gpu.SpecializedWarps(m, c.warps); got != c.want {
			t.Errorf("%d×%d%s with %d warps: %d, want %d", c.rows, c.columns, c.attr, c.warps, got, c.want)
		}
	}
}
