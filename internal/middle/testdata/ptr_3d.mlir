// Three dimensions.
// ARG: f32[64] normal
// ARG: f32[64] zero

// CHECK-LABEL: func.func @ptr_3d(
// CHECK: memref.reinterpret_cast %x to offset: [0], sizes: [4, 2, 8], strides: [16, 8, 1]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]
// CHECK: arith.addf
tt.func public @ptr_3d(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %a = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %b = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %c = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %a1 = tt.expand_dims %a {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %a2 = tt.expand_dims %a1 {axis = 2 : i32} : tensor<4x1xi32> -> tensor<4x1x1xi32>
  %b1 = tt.expand_dims %b {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
  %b2 = tt.expand_dims %b1 {axis = 2 : i32} : tensor<1x2xi32> -> tensor<1x2x1xi32>
  %v1 = tt.expand_dims %c {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %v2 = tt.expand_dims %v1 {axis = 0 : i32} : tensor<1x8xi32> -> tensor<1x1x8xi32>
  %k16 = arith.constant dense<16> : tensor<4x1x1xi32>
  %k8 = arith.constant dense<8> : tensor<1x2x1xi32>
  %am = arith.muli %a2, %k16 : tensor<4x1x1xi32>
  %bm = arith.muli %b2, %k8 : tensor<1x2x1xi32>
  %ab = tt.broadcast %am : tensor<4x1x1xi32> -> tensor<4x2x8xi32>
  %bb = tt.broadcast %bm : tensor<1x2x1xi32> -> tensor<4x2x8xi32>
  %cb = tt.broadcast %v2 : tensor<1x1x8xi32> -> tensor<4x2x8xi32>
  %s = arith.addi %ab, %bb : tensor<4x2x8xi32>
  %o = arith.addi %s, %cb : tensor<4x2x8xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<4x2x8x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %o : tensor<4x2x8x!tt.ptr<f32>>, tensor<4x2x8xi32>
  %v = tt.load %p : tensor<4x2x8x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<4x2x8x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %o : tensor<4x2x8x!tt.ptr<f32>>, tensor<4x2x8xi32>
  %w = arith.addf %v, %v : tensor<4x2x8xf32>
  tt.store %q, %w : tensor<4x2x8x!tt.ptr<f32>>
  tt.return
}
