package cpu

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
)

// TestSigmoid: the operations that a sigmoid is written with come within 2 ulp of its true value together,
// down to the least number.
func TestSigmoid(t *testing.T) {
	const n = 1 << 14
	const text = `tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {start = 0 : i32, end = 16384 : i32} : tensor<16384xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16384x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<16384x!tt.ptr<f32>>, tensor<16384xi32>
  %v = tt.load %xp : tensor<16384x!tt.ptr<f32>>
  %zero = arith.constant dense<0.0> : tensor<16384xf32>
  %one = arith.constant dense<1.0> : tensor<16384xf32>
  %m = arith.subf %zero, %v : tensor<16384xf32>
  %e = math.exp %m : tensor<16384xf32>
  %d = arith.addf %one, %e : tensor<16384xf32>
  %s = arith.divf %one, %d : tensor<16384xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<16384x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<16384x!tt.ptr<f32>>, tensor<16384xi32>
  tt.store %yp, %s : tensor<16384x!tt.ptr<f32>>
  tt.return
}`
	in, r := make([]byte, 4*n), rand.New(rand.NewPCG(1, 2))
	for i := range n {
		x := 20*r.Float64() - 18 // where each rounding shows
		if i%4 == 0 {
			x = 210*r.Float64() - 105
		}
		binary.LittleEndian.PutUint32(in[4*i:], math.Float32bits(float32(x)))
	}
	l := launch{text, [3]int{1, 1, 1}, []arg{{elem: ir.F32, data: in},
		{elem: ir.F32, data: make([]byte, 4*n)}}}
	out := l.onCPU(t, testDevice(t))
	at := func(b []byte, i int) float64 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	}
	for i := range n {
		x, got := at(in, i), at(out[1], i)
		want := 1 / (1 + math.Exp(-x))
		_, e := math.Frexp(want)
		if ulps := math.Abs(got-want) / math.Ldexp(1, max(e-24, -149)); !(ulps <= 2) {
			t.Fatalf("sigmoid(%v) = %v, want %v: %.3g ulp", x, got, want, ulps)
		}
	}
}
