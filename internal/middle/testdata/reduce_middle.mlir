// The middle of three dimensions.
// ARG: f32[64] normal
// ARG: f32[16] zero

// CHECK-LABEL: func.func @reduce_middle(
// CHECK: linalg.reduce { arith.mulf } ins(%{{.*}} : tensor<2x4x8xf32>) outs(%{{.*}} : tensor<2x8xf32>) dimensions = [1]
tt.func public @reduce_middle(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %o = tt.reshape %r : tensor<64xi32> -> tensor<2x4x8xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<2x4x8x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %o : tensor<2x4x8x!tt.ptr<f32>>, tensor<2x4x8xi32>
  %v = tt.load %p : tensor<2x4x8x!tt.ptr<f32>>
  %s = "tt.reduce"(%v) <{axis = 1 : i32}> ({
    ^bb0(%l: f32, %h: f32):
    %t = arith.mulf %l, %h : f32
    tt.reduce.return %t : f32
  }) : (tensor<2x4x8xf32>) -> tensor<2x8xf32>
  %r2 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %o2 = tt.reshape %r2 : tensor<16xi32> -> tensor<2x8xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<2x8x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %o2 : tensor<2x8x!tt.ptr<f32>>, tensor<2x8xi32>
  tt.store %q, %s : tensor<2x8x!tt.ptr<f32>>
  tt.return
}
