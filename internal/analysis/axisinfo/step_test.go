package axisinfo

import "testing"

// TestStep: indices that wrap around or are divided step as most of their neighbours do, and each dimension
// has its own step.
func TestStep(t *testing.T) {
	const text = `tt.func public @k(%n: i32, %p: !tt.ptr<f32>) {
    %x = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
    %xs = tt.expand_dims %x {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %rs = tt.expand_dims %r {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
    %c49 = arith.constant dense<49> : tensor<128x1xi32>
    %c196 = arith.constant dense<196> : tensor<128x1xi32>
    %r49 = arith.constant dense<49> : tensor<1x4xi32>
    %ns = tt.splat %n : i32 -> tensor<128x1xi32>
    %in = arith.remsi %xs, %c49 : tensor<128x1xi32>
    %out = arith.divsi %xs, %c49 : tensor<128x1xi32>
    %far = arith.muli %out, %c196 : tensor<128x1xi32>
    %unknown = arith.muli %xs, %ns : tensor<128x1xi32>
    %at = arith.addi %in, %far : tensor<128x1xi32>
    %columns = arith.muli %rs, %r49 : tensor<1x4xi32>
    %wide = tt.broadcast %at : tensor<128x1xi32> -> tensor<128x4xi32>
    %deep = tt.broadcast %columns : tensor<1x4xi32> -> tensor<128x4xi32>
    %both = arith.addi %wide, %deep : tensor<128x4xi32>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<128x4x!tt.ptr<f32>>
    %pointers = tt.addptr %ps, %both : tensor<128x4x!tt.ptr<f32>>, tensor<128x4xi32>
    tt.return
  }`
	const unknown = -999
	want := map[string][]int64{"in": {1, 0}, "out": {0, 0}, "far": {0, 0}, "unknown": {unknown, 0},
		"columns": {0, 49}, "both": {1, 49}, "pointers": {1, 49}}
	m := parse(t, text)
	a := Module(m)
	for op := range m.Ops() {
		for _, r := range op.Results() {
			for dim, n := range want[r.Name] {
				got, known := a.Step(r, dim)
				if !known {
					got = unknown
				}
				if got != n {
					t.Errorf("%s: steps of %d along dimension %d, not %d", r.Name, got, dim, n)
				}
			}
			delete(want, r.Name)
		}
	}
	if len(want) > 0 {
		t.Errorf("not found: %v", want)
	}
}
