// A bound along one of two dimensions.
// ARG: f32[128] normal
// ARG: f32[128] one
// ARG: i32 5

// CHECK-LABEL: func.func @mask_2d_one(
// CHECK: memref.subview %{{.*}}[0, 0] [16, %{{.*}}] [1, 1]
// CHECK: memref.copy
tt.func public @mask_2d_one(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %b: i32) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %c = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %e = arith.constant 8 : i32
  %o_r = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %o_c = tt.expand_dims %c {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %o_st = tt.splat %e : i32 -> tensor<16x1xi32>
  %o_m = arith.muli %o_r, %o_st : tensor<16x1xi32>
  %o_rb = tt.broadcast %o_m : tensor<16x1xi32> -> tensor<16x8xi32>
  %o_cb = tt.broadcast %o_c : tensor<1x8xi32> -> tensor<16x8xi32>
  %o = arith.addi %o_rb, %o_cb : tensor<16x8xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %o : tensor<16x8x!tt.ptr<f32>>, tensor<16x8xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %o : tensor<16x8x!tt.ptr<f32>>, tensor<16x8xi32>
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %ce = tt.expand_dims %c {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %bs = tt.splat %b : i32 -> tensor<1x8xi32>
  %cb = arith.cmpi slt, %ce, %bs : tensor<1x8xi32>
  %m = tt.broadcast %cb : tensor<1x8xi1> -> tensor<16x8xi1>
  %ov = arith.constant dense<-1.0> : tensor<16x8xf32>
  %v = tt.load %p, %m, %ov : tensor<16x8x!tt.ptr<f32>>
  %w = arith.addf %v, %v : tensor<16x8xf32>
  tt.store %q, %w, %m : tensor<16x8x!tt.ptr<f32>>
  tt.return
}
