// A block pointer that advances in a loop: its offset is carried.
// ARG: f32[1000] normal
// ARG: f32[128] zero
// ARG: i32 40

// CHECK-LABEL: func.func @block_advance(
// CHECK-NOT: tensor<16x8xi
// CHECK: scf.for %{{.*}} iter_args(%[[O:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) -> (i64, tensor<16x8xf32>)
// CHECK: memref.reinterpret_cast %x
// CHECK: memref.subview %{{.*}} [16, %{{.*}}] [1, 1]
// CHECK: memref.copy
// CHECK: arith.addi %[[O]]
tt.func public @block_advance(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %m = arith.constant 16 : i64
  %nw = arith.extsi %n : i32 to i64
  %s1 = arith.constant 1 : i64
  %z0 = arith.constant 0 : i32
  %z8 = arith.constant 8 : i32
  %z = arith.constant dense<0.0> : tensor<16x8xf32>
  %p = tt.make_tensor_ptr %x, [%m, %nw], [%nw, %s1], [%z0, %z0] {order = array<i32: 1, 0>} : <tensor<16x8xf32>>
  %a:2 = scf.for %i = %z0 to %n step %z8 iter_args(%pp = %p, %acc = %z) -> (!tt.ptr<tensor<16x8xf32>>, tensor<16x8xf32>) : i32 {
    %v = tt.load %pp {boundaryCheck = array<i32: 1>, padding = 1 : i32} : !tt.ptr<tensor<16x8xf32>>
    %t = arith.addf %acc, %v : tensor<16x8xf32>
    %pn = tt.advance %pp, [%z0, %z8] : <tensor<16x8xf32>>
    scf.yield %pn, %t : !tt.ptr<tensor<16x8xf32>>, tensor<16x8xf32>
  }
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
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %o : tensor<16x8x!tt.ptr<f32>>, tensor<16x8xi32>
  tt.store %q, %a#1 : tensor<16x8x!tt.ptr<f32>>
  tt.return
}
