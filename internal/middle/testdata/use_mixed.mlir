// Offsets that are stored, too.
// ARG: f32[256] normal
// ARG: f32[64] zero
// ARG: i32[64] zero
// ARG: i32 3

// CHECK-LABEL: func.func @use_mixed(
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<64xi32>)
// CHECK: linalg.index 0
// CHECK-NOT: linalg.generic
// CHECK: memref.reinterpret_cast %x to offset: [%{{.*}}], sizes: [64], strides: [2]
tt.func public @use_mixed(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<i32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %k = arith.constant dense<2> : tensor<64xi32>
  %a = arith.muli %r, %k : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %b = arith.addi %a, %ns : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %b : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %v : tensor<64x!tt.ptr<f32>>
  %s_s = tt.splat %z : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %s = tt.addptr %s_s, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %s, %b : tensor<64x!tt.ptr<i32>>
  tt.return
}
