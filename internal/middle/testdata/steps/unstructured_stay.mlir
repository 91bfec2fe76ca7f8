// Pointers into two buffers have no one base: they stay.
// PASSES: triton-to-unstructured

// CHECK-LABEL: tt.func public @both(
// CHECK: arith.select
// CHECK: tt.load %{{.*}} : tensor<8x!tt.ptr<f32>>
// CHECK: tts.scatter
tt.func public @both(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %m: tensor<8xi1>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %s = arith.select %m, %xs, %ys : tensor<8xi1>, tensor<8x!tt.ptr<f32>>
  %p = tt.addptr %s, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %v = tt.load %p : tensor<8x!tt.ptr<f32>>
  %q = tt.addptr %ys, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %q, %v : tensor<8x!tt.ptr<f32>>
  tt.return
}
