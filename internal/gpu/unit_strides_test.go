package gpu_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/pass/passtest"
)

// TestStrides: a stride is an argument that multiplies the numbers of neighbours in an address, widened or
// not, unless it is known to be a multiple of 16. Strides of rows, sizes, and factors of the program's number
// or of a value are none.
func TestStrides(t *testing.T) {
	const text = `
tt.func public @k(%%p: !tt.ptr<f32>, %%s: i32%s, %%t: i64, %%n: i32, %%m: i32, %%f: i32, %%r: i32%s) {
  %%i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %%ss = tt.splat %%s : i32 -> tensor<64xi32>
  %%is = arith.muli %%i, %%ss : tensor<64xi32>
  %%os = arith.extsi %%is : tensor<64xi32> to tensor<64xi64>
  %%w = arith.extsi %%i : tensor<64xi32> to tensor<64xi64>
  %%ts = tt.splat %%t : i64 -> tensor<64xi64>
  %%it = arith.muli %%ts, %%w : tensor<64xi64>
  %%o = arith.addi %%it, %%os : tensor<64xi64>
  %%at = tt.splat %%p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %%q = tt.addptr %%at, %%o : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
  %%ns = tt.splat %%n : i32 -> tensor<64xi32>
  %%mask = arith.cmpi slt, %%i, %%ns : tensor<64xi32>
  %%id = tt.get_program_id x : i32
  %%row = arith.muli %%id, %%m : i32
  %%first = tt.splat %%row : i32 -> tensor<64xi32>
  %%fs = tt.splat %%f : i32 -> tensor<64xi32>
  %%if = arith.muli %%i, %%fs : tensor<64xi32>
  %%v = arith.addi %%first, %%if : tensor<64xi32>
  %%x = arith.sitofp %%v : tensor<64xi32> to tensor<64xf32>
  tt.store %%q, %%x, %%mask : tensor<64x!tt.ptr<f32>>
  %%rows = tt.expand_dims %%i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %%rs = tt.splat %%r : i32 -> tensor<64x1xi32>
  %%ro = arith.muli %%rows, %%rs : tensor<64x1xi32>
  %%ra = tt.splat %%p : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
  %%rq = tt.addptr %%ra, %%ro : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
  %%y = tt.load %%rq : tensor<64x1x!tt.ptr<f32>>
  tt.return
}`
	for _, test := range []struct {
		attr, more string
		want       []int
	}{
		{"", "", []int{1, 2}},
		{" {tt.divisibility = 16 : i32}", "", []int{2}},
		{"", ", %d: !tt.tensordesc<tensor<8x8xf32>>", nil}, // has several words
	} {
		m := passtest.Parse(t, "k.ttir", fmt.Sprintf(text, test.attr, test.more))
		if got := gpu.Strides(m); !slices.Equal(got, test.want) {
			t.Errorf("%q, %q: %v, want %v", test.attr, test.more, got, test.want)
		}
	}
}
