// Compare and swap.
// ARG: i32[64] below 3
// ARG: i32[64] zero

// CHECK-LABEL: func.func @atomic_cas(
// CHECK: memref.generic_atomic_rmw
// CHECK: arith.cmpi eq
// CHECK: arith.select
// CHECK: memref.atomic_yield
tt.func public @atomic_cas(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %p = tt.addptr %p_s, %pr : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %qr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %q = tt.addptr %q_s, %qr : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %one = arith.constant dense<1> : tensor<64xi32>
  %k = arith.constant dense<70> : tensor<64xi32>
  %r = tt.atomic_cas acq_rel, gpu, %p, %one, %k : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
  tt.store %q, %r : tensor<64x!tt.ptr<i32>>
  tt.return
}
