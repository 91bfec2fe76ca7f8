// Pointers are transposed, not values.
// ARG: f32[64] normal
// ARG: f32[64] zero

// CHECK-LABEL: func.func @ptr_transposed(
// CHECK-NOT: linalg.transpose
// CHECK: memref.reinterpret_cast %x to offset: [0], sizes: [8, 8], strides: [1, 8]
tt.func public @ptr_transposed(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %e = arith.constant 8 : i32
  %o_r = tt.expand_dims %r {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %o_c = tt.expand_dims %r {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %o_st = tt.splat %e : i32 -> tensor<8x1xi32>
  %o_m = arith.muli %o_r, %o_st : tensor<8x1xi32>
  %o_rb = tt.broadcast %o_m : tensor<8x1xi32> -> tensor<8x8xi32>
  %o_cb = tt.broadcast %o_c : tensor<1x8xi32> -> tensor<8x8xi32>
  %o = arith.addi %o_rb, %o_cb : tensor<8x8xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %o : tensor<8x8x!tt.ptr<f32>>, tensor<8x8xi32>
  %t = tt.trans %p {order = array<i32: 1, 0>} : tensor<8x8x!tt.ptr<f32>> -> tensor<8x8x!tt.ptr<f32>>
  %v = tt.load %t : tensor<8x8x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %o : tensor<8x8x!tt.ptr<f32>>, tensor<8x8xi32>
  tt.store %q, %v : tensor<8x8x!tt.ptr<f32>>
  tt.return
}
