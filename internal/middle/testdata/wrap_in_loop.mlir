// Pointers that wrap around along one dimension advance along the other, as in a matrix product.
// ARG: f32[176] normal
// ARG: f32[64] zero
// ARG: i32 11

// CHECK-LABEL: func.func @wrap_in_loop(
// CHECK: scf.for %{{.*}} iter_args(%[[O:.*]] = %c0, %{{.*}} = %{{.*}}) -> (index, tensor<16x4xf32>)
// CHECK: scf.for
// CHECK: arith.subi %[[O]]
// CHECK: memref.reinterpret_cast %x to offset: [%{{.*}}], sizes: [16, 4], strides: [16, 1]
// CHECK: arith.addi %[[O]], %c4 : index
tt.func public @wrap_in_loop(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %c = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %ns = tt.splat %n : i32 -> tensor<16xi32>
  %w = arith.remsi %r, %ns : tensor<16xi32>
  %s = arith.constant 16 : i32
  %o_r = tt.expand_dims %w {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %o_c = tt.expand_dims %c {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %o_st = tt.splat %s : i32 -> tensor<16x1xi32>
  %o_m = arith.muli %o_r, %o_st : tensor<16x1xi32>
  %o_rb = tt.broadcast %o_m : tensor<16x1xi32> -> tensor<16x4xi32>
  %o_cb = tt.broadcast %o_c : tensor<1x4xi32> -> tensor<16x4xi32>
  %o = arith.addi %o_rb, %o_cb : tensor<16x4xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<16x4x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %o : tensor<16x4x!tt.ptr<f32>>, tensor<16x4xi32>
  %k4 = arith.constant dense<4> : tensor<16x4xi32>
  %z = arith.constant dense<0.0> : tensor<16x4xf32>
  %v0 = arith.constant 0 : i32
  %v1 = arith.constant 1 : i32
  %v4 = arith.constant 4 : i32
  %a:2 = scf.for %i = %v0 to %v4 step %v1 iter_args(%pp = %p, %acc = %z) -> (tensor<16x4x!tt.ptr<f32>>, tensor<16x4xf32>) : i32 {
    %v = tt.load %pp : tensor<16x4x!tt.ptr<f32>>
    %s2 = arith.addf %acc, %v : tensor<16x4xf32>
    %pn = tt.addptr %pp, %k4 : tensor<16x4x!tt.ptr<f32>>, tensor<16x4xi32>
    scf.yield %pn, %s2 : tensor<16x4x!tt.ptr<f32>>, tensor<16x4xf32>
  }
  %e = arith.constant 4 : i32
  %u_r = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %u_c = tt.expand_dims %c {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %u_st = tt.splat %e : i32 -> tensor<16x1xi32>
  %u_m = arith.muli %u_r, %u_st : tensor<16x1xi32>
  %u_rb = tt.broadcast %u_m : tensor<16x1xi32> -> tensor<16x4xi32>
  %u_cb = tt.broadcast %u_c : tensor<1x4xi32> -> tensor<16x4xi32>
  %u = arith.addi %u_rb, %u_cb : tensor<16x4xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<16x4x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %u : tensor<16x4x!tt.ptr<f32>>, tensor<16x4xi32>
  tt.store %q, %a#1 : tensor<16x4x!tt.ptr<f32>>
  tt.return
}
