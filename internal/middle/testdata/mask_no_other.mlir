// Without other, what the mask excludes is zero.
// ARG: f32[64] normal
// ARG: f32[64] one
// ARG: i32 37

// CHECK-LABEL: func.func @mask_no_other(
// CHECK: %[[Z:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: linalg.fill ins(%[[Z]] : f32)
tt.func public @mask_no_other(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %v = tt.load %p, %m : tensor<64x!tt.ptr<f32>>
  tt.store %q, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}
