package cpu

import (
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/num"
)

// Every 8-bit format of MLIR's is converted to f32, from all 256 patterns, and back: infinities, NaN,
// subnormal numbers and negative zeros included.
func TestSmallFormats(t *testing.T) {
	d := testDevice(t)
	const text = `tt.func public @k(%%x: !tt.ptr<i8>, %%y: !tt.ptr<f32>, %%z: !tt.ptr<i8>) {
  %%o = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %%xp = tt.splat %%x : !tt.ptr<i8> -> tensor<256x!tt.ptr<i8>>
  %%xq = tt.addptr %%xp, %%o : tensor<256x!tt.ptr<i8>>, tensor<256xi32>
  %%v = tt.load %%xq : tensor<256x!tt.ptr<i8>>
  %%f = arith.bitcast %%v : tensor<256xi8> to tensor<256x%[1]s>
  %%w = arith.extf %%f : tensor<256x%[1]s> to tensor<256xf32>
  %%yp = tt.splat %%y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %%yq = tt.addptr %%yp, %%o : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %%yq, %%w : tensor<256x!tt.ptr<f32>>
  %%b = arith.truncf %%w : tensor<256xf32> to tensor<256x%[1]s>
  %%c = arith.bitcast %%b : tensor<256x%[1]s> to tensor<256xi8>
  %%zp = tt.splat %%z : !tt.ptr<i8> -> tensor<256x!tt.ptr<i8>>
  %%zq = tt.addptr %%zp, %%o : tensor<256x!tt.ptr<i8>>, tensor<256xi32>
  tt.store %%zq, %%c : tensor<256x!tt.ptr<i8>>
  tt.return
}`
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for _, f := range num.MLIR {
		if f.Bits != 8 {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			args := []arg{{elem: ir.I8, data: all}, {elem: ir.F32, data: make([]byte, 4*256)},
				{elem: ir.Float(f), data: make([]byte, 256)}}
			launch{fmt.Sprintf(text, f.Name), [3]int{1, 1, 1}, args}.check(t, d)
		})
	}
}
