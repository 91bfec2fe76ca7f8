// Rows with a gap do not make one even dimension: elements are fetched one by one.
// ARG: f32[128] normal
// ARG: f32[64] zero

// CHECK-LABEL: func.func @ptr_reshape_uneven(
// CHECK: tensor.collapse_shape
// CHECK: scf.for
// CHECK: tensor.extract
// CHECK: memref.load
// CHECK: memref.store
tt.func public @ptr_reshape_uneven(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %e = arith.constant 11 : i32
  %o_r = tt.expand_dims %r {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %o_c = tt.expand_dims %r {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %o_st = tt.splat %e : i32 -> tensor<8x1xi32>
  %o_m = arith.muli %o_r, %o_st : tensor<8x1xi32>
  %o_rb = tt.broadcast %o_m : tensor<8x1xi32> -> tensor<8x8xi32>
  %o_cb = tt.broadcast %o_c : tensor<1x8xi32> -> tensor<8x8xi32>
  %o = arith.addi %o_rb, %o_cb : tensor<8x8xi32>
  %f = tt.reshape %o : tensor<8x8xi32> -> tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %f : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %rr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %rr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}
