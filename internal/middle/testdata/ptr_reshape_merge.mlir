// Two dimensions that are even become one.
// ARG: f32[128] normal
// ARG: f32[64] zero

// CHECK-LABEL: func.func @ptr_reshape_merge(
// CHECK: memref.reinterpret_cast %x to offset: [0], sizes: [64], strides: [2]
tt.func public @ptr_reshape_merge(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %e = arith.constant 16 : i32
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %es = tt.splat %e : i32 -> tensor<8x1xi32>
  %m = arith.muli %re, %es : tensor<8x1xi32>
  %ce = tt.expand_dims %r {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %two = arith.constant dense<2> : tensor<1x8xi32>
  %v2 = arith.muli %ce, %two : tensor<1x8xi32>
  %mb = tt.broadcast %m : tensor<8x1xi32> -> tensor<8x8xi32>
  %cb = tt.broadcast %v2 : tensor<1x8xi32> -> tensor<8x8xi32>
  %o = arith.addi %mb, %cb : tensor<8x8xi32>
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
