package gpu_test

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/pass/passtest"
)

// TestMergeable: programs of cheap operations become one until a thread moves enough, those of functions that
// branch until it has a few elements of them.
func TestMergeable(t *testing.T) {
	const text = `tt.func @k(%p: !tt.ptr<f16>) {
  %n = arith.constant 256 : i32
  %id = tt.get_program_id x : i32
  %start = arith.muli %id, %n : i32
  %range = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %starts = tt.splat %start : i32 -> tensor<256xi32>
  %at = arith.addi %starts, %range : tensor<256xi32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>>
  %q = tt.addptr %ps, %at : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
  %x = tt.load %q : tensor<256x!tt.ptr<f16>>
  %w = arith.extf %x : tensor<256xf16> to tensor<256xf32>
  %y = OP %w : tensor<256xf32>
  %z = arith.truncf %y : tensor<256xf32> to tensor<256xf16>
  tt.store %q, %z : tensor<256x!tt.ptr<f16>>
  tt.return
}`
	for op, want := range map[string]int{"math.absf": 8, "math.exp2": 8, "math.erf": 4, "math.sin": 4} {
		m := passtest.Parse(t, "k.ttir", strings.Replace(text, "OP", op, 1))
		if got := gpu.Mergeable(m, gpu.Machine{NumWarps: 4, NumCTAs: 1}); got != want {
			t.Errorf("%s: %d programs become one, not %d", op, got, want)
		}
	}
}
