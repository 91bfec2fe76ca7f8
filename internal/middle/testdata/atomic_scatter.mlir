// Additions to places that were loaded, many to one.
// ARG: i32[64] below 8
// ARG: i32[8] zero

// CHECK-LABEL: func.func @atomic_scatter(
// CHECK: scf.for
// CHECK: tensor.extract
// CHECK: memref.atomic_rmw addi
tt.func public @atomic_scatter(%t: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %t : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %p = tt.addptr %p_s, %pr : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %i = tt.load %p : tensor<64x!tt.ptr<i32>>
  %o = arith.constant dense<1> : tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %q = tt.addptr %q_s, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %m = arith.constant dense<true> : tensor<64xi1>
  %r = tt.atomic_rmw add, relaxed, gpu, %q, %o, %m : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xi32>
  tt.return
}
