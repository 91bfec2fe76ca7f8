// Columns that were loaded.
// ARG: f32[320] normal
// ARG: i32[8] below 20
// ARG: f32[128] zero

// CHECK-LABEL: func.func @gather_columns(
// CHECK: scf.for %[[I:.*]] = %c0 to %c8
// CHECK: memref.reinterpret_cast %x to offset: [%{{.*}}], sizes: [16], strides: [20]
// CHECK: memref.copy
tt.func public @gather_columns(%x: !tt.ptr<f32>, %t: !tt.ptr<i32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %c = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %tp_s = tt.splat %t : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %tp = tt.addptr %tp_s, %c : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %i = tt.load %tp : tensor<8x!tt.ptr<i32>>
  %w = arith.constant 20 : i32
  %o_r = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %o_c = tt.expand_dims %i {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %o_st = tt.splat %w : i32 -> tensor<16x1xi32>
  %o_m = arith.muli %o_r, %o_st : tensor<16x1xi32>
  %o_rb = tt.broadcast %o_m : tensor<16x1xi32> -> tensor<16x8xi32>
  %o_cb = tt.broadcast %o_c : tensor<1x8xi32> -> tensor<16x8xi32>
  %o = arith.addi %o_rb, %o_cb : tensor<16x8xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %o : tensor<16x8x!tt.ptr<f32>>, tensor<16x8xi32>
  %v = tt.load %p : tensor<16x8x!tt.ptr<f32>>
  %e = arith.constant 8 : i32
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
