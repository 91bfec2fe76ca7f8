// Rows stored to places that were loaded, the last columns left out.
// ARG: f32[128] normal
// ARG: i32[16] iota
// ARG: f32[300] zero
// ARG: i32 6

// CHECK-LABEL: func.func @scatter_rows(
// CHECK: scf.for
// CHECK: tensor.extract
// CHECK: tensor.extract_slice %{{.*}}[%{{.*}}, 0] [1, %{{.*}}] [1, 1] : tensor<16x8xf32> to tensor<?xf32>
// CHECK: bufferization.materialize_in_destination
tt.func public @scatter_rows(%x: !tt.ptr<f32>, %t: !tt.ptr<i32>, %y: !tt.ptr<f32>, %b: i32) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %c = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %tp_s = tt.splat %t : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %tp = tt.addptr %tp_s, %r : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  %i = tt.load %tp : tensor<16x!tt.ptr<i32>>
  %two = arith.constant dense<2> : tensor<16xi32>
  %j = arith.muli %i, %two : tensor<16xi32>
  %e = arith.constant 8 : i32
  %u_r = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %u_c = tt.expand_dims %c {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %u_st = tt.splat %e : i32 -> tensor<16x1xi32>
  %u_m = arith.muli %u_r, %u_st : tensor<16x1xi32>
  %u_rb = tt.broadcast %u_m : tensor<16x1xi32> -> tensor<16x8xi32>
  %u_cb = tt.broadcast %u_c : tensor<1x8xi32> -> tensor<16x8xi32>
  %u = arith.addi %u_rb, %u_cb : tensor<16x8xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %u : tensor<16x8x!tt.ptr<f32>>, tensor<16x8xi32>
  %v = tt.load %p : tensor<16x8x!tt.ptr<f32>>
  %o_r = tt.expand_dims %j {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %o_c = tt.expand_dims %c {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %o_st = tt.splat %e : i32 -> tensor<16x1xi32>
  %o_m = arith.muli %o_r, %o_st : tensor<16x1xi32>
  %o_rb = tt.broadcast %o_m : tensor<16x1xi32> -> tensor<16x8xi32>
  %o_cb = tt.broadcast %o_c : tensor<1x8xi32> -> tensor<16x8xi32>
  %o = arith.addi %o_rb, %o_cb : tensor<16x8xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %o : tensor<16x8x!tt.ptr<f32>>, tensor<16x8xi32>
  %ce = tt.expand_dims %c {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %bs = tt.splat %b : i32 -> tensor<1x8xi32>
  %cb = arith.cmpi slt, %ce, %bs : tensor<1x8xi32>
  %m = tt.broadcast %cb : tensor<1x8xi1> -> tensor<16x8xi1>
  tt.store %q, %v, %m : tensor<16x8x!tt.ptr<f32>>
  tt.return
}
