// A stack of products.
// ARG: f32[512] normal
// ARG: f32[512] zero

// CHECK-LABEL: func.func @dot_batch(
// CHECK: linalg.batch_matmul
tt.func public @dot_batch(%a: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  %o = tt.reshape %r : tensor<512xi32> -> tensor<2x16x16xi32>
  %p_s = tt.splat %a : !tt.ptr<f32> -> tensor<2x16x16x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %o : tensor<2x16x16x!tt.ptr<f32>>, tensor<2x16x16xi32>
  %v = tt.load %p : tensor<2x16x16x!tt.ptr<f32>>
  %z = arith.constant dense<0.0> : tensor<2x16x16xf32>
  %d = tt.dot %v, %v, %z : tensor<2x16x16xf32> * tensor<2x16x16xf32> -> tensor<2x16x16xf32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<2x16x16x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %o : tensor<2x16x16x!tt.ptr<f32>>, tensor<2x16x16xi32>
  tt.store %q, %d : tensor<2x16x16x!tt.ptr<f32>>
  tt.return
}
