// All rows are one row of memory: it is loaded once and repeated.
// ARG: f32[32] normal
// ARG: f32[256] zero

// CHECK-LABEL: func.func @ptr_repeated_rows(
// CHECK: memref.reinterpret_cast %x to offset: [0], sizes: [32], strides: [1]
// CHECK: memref.copy
// CHECK: linalg.broadcast ins(%{{.*}} : tensor<32xf32>) outs(%{{.*}} : tensor<8x32xf32>) dimensions = [0]
tt.func public @ptr_repeated_rows(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ce = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %p1_s = tt.splat %x : !tt.ptr<f32> -> tensor<1x32x!tt.ptr<f32>>
  %p1 = tt.addptr %p1_s, %ce : tensor<1x32x!tt.ptr<f32>>, tensor<1x32xi32>
  %p = tt.broadcast %p1 : tensor<1x32x!tt.ptr<f32>> -> tensor<8x32x!tt.ptr<f32>>
  %v = tt.load %p : tensor<8x32x!tt.ptr<f32>>
  %e = arith.constant 32 : i32
  %u_r = tt.expand_dims %r {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %u_c = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %u_st = tt.splat %e : i32 -> tensor<8x1xi32>
  %u_m = arith.muli %u_r, %u_st : tensor<8x1xi32>
  %u_rb = tt.broadcast %u_m : tensor<8x1xi32> -> tensor<8x32xi32>
  %u_cb = tt.broadcast %u_c : tensor<1x32xi32> -> tensor<8x32xi32>
  %u = arith.addi %u_rb, %u_cb : tensor<8x32xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<8x32x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %u : tensor<8x32x!tt.ptr<f32>>, tensor<8x32xi32>
  tt.store %q, %v : tensor<8x32x!tt.ptr<f32>>
  tt.return
}
