// A sum of all elements.
// ARG: f32[64] normal
// ARG: f32[1] zero

// CHECK-LABEL: func.func @reduce_scalar(
// CHECK: linalg.reduce
// CHECK: %[[S:.*]] = tensor.extract %{{.*}}[] : tensor<f32>
// CHECK: memref.store %[[S]]
tt.func public @reduce_scalar(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%l: f32, %h: f32):
    %t = arith.addf %l, %h : f32
    tt.reduce.return %t : f32
  }) : (tensor<64xf32>) -> f32
  tt.store %y, %s : !tt.ptr<f32>
  tt.return
}
