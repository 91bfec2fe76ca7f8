// All elements are one place: a scalar, spread.
// ARG: f32[4] normal
// ARG: f32[32] zero

// CHECK-LABEL: func.func @ptr_one_place(
// CHECK: %[[V:.*]] = memref.load %{{.*}}[%c0] : memref<1xf32, strided<[1], offset: 3>>
// CHECK: linalg.fill ins(%[[V]] : f32) outs(%{{.*}} : tensor<32xf32>)
tt.func public @ptr_one_place(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %k = arith.constant 3 : i32
  %b = tt.addptr %x, %k : !tt.ptr<f32>, i32
  %p = tt.splat %b : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %v = tt.load %p : tensor<32x!tt.ptr<f32>>
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %q, %v : tensor<32x!tt.ptr<f32>>
  tt.return
}
