// Strides along both dimensions, and starts.
// ARG: f32[600] normal
// ARG: f32[32] zero
// ARG: i32 40
// ARG: i32 3

// CHECK-LABEL: func.func @ptr_2d_both_strides(
// CHECK-DAG: %[[S:.*]] = arith.index_cast %s
// CHECK-DAG: %[[T:.*]] = arith.index_cast %t
// CHECK-DAG: arith.muli %[[S]], %c2
// CHECK-DAG: arith.muli %[[T]], %c5
// CHECK: memref.reinterpret_cast %x to offset: [%{{.*}}], sizes: [4, 8], strides: [%[[S]], %[[T]]]
tt.func public @ptr_2d_both_strides(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %s: i32, %t: i32) {
  %r = tt.make_range {end = 6 : i32, start = 2 : i32} : tensor<4xi32>
  %c = tt.make_range {end = 13 : i32, start = 5 : i32} : tensor<8xi32>
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %ce = tt.expand_dims %c {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %ss = tt.splat %s : i32 -> tensor<4x1xi32>
  %ts = tt.splat %t : i32 -> tensor<1x8xi32>
  %a = arith.muli %re, %ss : tensor<4x1xi32>
  %b = arith.muli %ce, %ts : tensor<1x8xi32>
  %ab = tt.broadcast %a : tensor<4x1xi32> -> tensor<4x8xi32>
  %bb = tt.broadcast %b : tensor<1x8xi32> -> tensor<4x8xi32>
  %o = arith.addi %ab, %bb : tensor<4x8xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<4x8x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %o : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi32>
  %v = tt.load %p : tensor<4x8x!tt.ptr<f32>>
  %e = arith.constant 8 : i32
  %r0 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %v0 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %u_r = tt.expand_dims %r0 {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %u_c = tt.expand_dims %v0 {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %u_st = tt.splat %e : i32 -> tensor<4x1xi32>
  %u_m = arith.muli %u_r, %u_st : tensor<4x1xi32>
  %u_rb = tt.broadcast %u_m : tensor<4x1xi32> -> tensor<4x8xi32>
  %u_cb = tt.broadcast %u_c : tensor<1x8xi32> -> tensor<4x8xi32>
  %u = arith.addi %u_rb, %u_cb : tensor<4x8xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<4x8x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %u : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi32>
  tt.store %q, %v : tensor<4x8x!tt.ptr<f32>>
  tt.return
}
