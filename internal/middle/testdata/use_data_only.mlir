// A range that is only data.
// ARG: f32[64] zero

// CHECK-LABEL: func.func @use_data_only(
// CHECK-NOT: tensor<64xi32>
// CHECK: linalg.generic
// CHECK: linalg.index 0
// CHECK: arith.sitofp
tt.func public @use_data_only(%y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %f = arith.sitofp %r : tensor<64xi32> to tensor<64xf32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %f : tensor<64x!tt.ptr<f32>>
  tt.return
}
