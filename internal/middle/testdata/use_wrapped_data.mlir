// A remainder that is address and data.
// ARG: f32[64] normal
// ARG: f32[64] zero
// ARG: i32[64] zero
// ARG: i32 20

// CHECK-LABEL: func.func @use_wrapped_data(
// CHECK-DAG: linalg.generic
// CHECK-DAG: arith.remsi %{{.*}} : i32
// CHECK: scf.for
// CHECK: memref.copy
tt.func public @use_wrapped_data(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<i32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %w = arith.remsi %r, %ns : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %w : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %v : tensor<64x!tt.ptr<f32>>
  %s_s = tt.splat %z : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %s = tt.addptr %s_s, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %s, %w : tensor<64x!tt.ptr<i32>>
  tt.return
}
