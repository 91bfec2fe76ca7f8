// Places that are data along both dimensions.
// ARG: f32[400] normal
// ARG: i32[128] below 400
// ARG: f32[128] zero

// CHECK-LABEL: func.func @gather_2d(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tensor.extract %{{.*}} : tensor<16x8xi64>
// CHECK: memref.load
tt.func public @gather_2d(%x: !tt.ptr<f32>, %t: !tt.ptr<i32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %c = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %e = arith.constant 8 : i32
  %u_r = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %u_c = tt.expand_dims %c {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %u_st = tt.splat %e : i32 -> tensor<16x1xi32>
  %u_m = arith.muli %u_r, %u_st : tensor<16x1xi32>
  %u_rb = tt.broadcast %u_m : tensor<16x1xi32> -> tensor<16x8xi32>
  %u_cb = tt.broadcast %u_c : tensor<1x8xi32> -> tensor<16x8xi32>
  %u = arith.addi %u_rb, %u_cb : tensor<16x8xi32>
  %tp_s = tt.splat %t : !tt.ptr<i32> -> tensor<16x8x!tt.ptr<i32>>
  %tp = tt.addptr %tp_s, %u : tensor<16x8x!tt.ptr<i32>>, tensor<16x8xi32>
  %i = tt.load %tp : tensor<16x8x!tt.ptr<i32>>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %i : tensor<16x8x!tt.ptr<f32>>, tensor<16x8xi32>
  %v = tt.load %p : tensor<16x8x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %u : tensor<16x8x!tt.ptr<f32>>, tensor<16x8xi32>
  tt.store %q, %v : tensor<16x8x!tt.ptr<f32>>
  tt.return
}
