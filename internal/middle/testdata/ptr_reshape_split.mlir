// A range in two dimensions.
// ARG: f32[64] normal
// ARG: f32[64] zero

// CHECK-LABEL: func.func @ptr_reshape_split(
// CHECK: memref.reinterpret_cast %x to offset: [0], sizes: [8, 8], strides: [8, 1]
// CHECK: linalg.transpose ins(%{{.*}} : tensor<8x8xf32>) outs(%{{.*}} : tensor<8x8xf32>) permutation = [1, 0]
tt.func public @ptr_reshape_split(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %k = arith.constant dense<2> : tensor<64xi32>
  %o = tt.reshape %r : tensor<64xi32> -> tensor<8x8xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %o : tensor<8x8x!tt.ptr<f32>>, tensor<8x8xi32>
  %v = tt.load %p : tensor<8x8x!tt.ptr<f32>>
  %w = tt.trans %v {order = array<i32: 1, 0>} : tensor<8x8xf32> -> tensor<8x8xf32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %o : tensor<8x8x!tt.ptr<f32>>, tensor<8x8xi32>
  tt.store %q, %w : tensor<8x8x!tt.ptr<f32>>
  tt.return
}
