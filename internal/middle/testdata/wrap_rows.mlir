// Rows modulo a size: pieces one above the other.
// ARG: f32[160] normal
// ARG: f32[128] zero
// ARG: i32 11
// ARG: i32 7

// CHECK-LABEL: func.func @wrap_rows(
// CHECK-NOT: tensor<16xi32>
// CHECK: arith.divsi
// CHECK: arith.divsi
// CHECK: scf.for
// CHECK: memref.reinterpret_cast %x to offset: [%{{.*}}], sizes: [16, 8], strides: [8, 1]
// CHECK: memref.subview %{{.*}}[%{{.*}}, 0] [%{{.*}}, 8] [1, 1]
// CHECK: memref.copy
// CHECK: bufferization.to_tensor
tt.func public @wrap_rows(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32, %b: i32) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %c = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %bs = tt.splat %b : i32 -> tensor<16xi32>
  %i = arith.addi %r, %bs : tensor<16xi32>
  %ns = tt.splat %n : i32 -> tensor<16xi32>
  %w = arith.remsi %i, %ns : tensor<16xi32>
  %e = arith.constant 8 : i32
  %o_r = tt.expand_dims %w {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %o_c = tt.expand_dims %c {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %o_st = tt.splat %e : i32 -> tensor<16x1xi32>
  %o_m = arith.muli %o_r, %o_st : tensor<16x1xi32>
  %o_rb = tt.broadcast %o_m : tensor<16x1xi32> -> tensor<16x8xi32>
  %o_cb = tt.broadcast %o_c : tensor<1x8xi32> -> tensor<16x8xi32>
  %o = arith.addi %o_rb, %o_cb : tensor<16x8xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %o : tensor<16x8x!tt.ptr<f32>>, tensor<16x8xi32>
  %v = tt.load %p : tensor<16x8x!tt.ptr<f32>>
  %u_r = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %u_c = tt.expand_dims %c {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %u_st = tt.splat %e : i32 -> tensor<16x1xi32>
  %u_m = arith.muli %u_r, %u_st : tensor<16x1xi32>
  %u_rb = tt.broadcast %u_m : tensor<16x1xi32> -> tensor<16x8xi32>
  %u_cb = tt.broadcast %u_c : tensor<1x8xi32> -> tensor<16x8xi32>
  %u = arith.addi %u_rb, %u_cb : tensor<16x8xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %u : tensor<16x8x!tt.ptr<f32>>, tensor<16x8xi32>
  tt.store %q, %v : tensor<16x8x!tt.ptr<f32>>
  tt.return
}
