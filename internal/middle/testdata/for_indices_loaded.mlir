// Indices that are loaded anew in each turn are carried as data.
// ARG: i32[64] below 64
// ARG: i32[32] zero

// CHECK-LABEL: func.func @for_indices_loaded(
// CHECK: scf.for %{{.*}} iter_args(%[[V:.*]] = %{{.*}}) -> (tensor<32xi32>)
// CHECK: scf.for
// CHECK: tensor.extract %[[V]]
// CHECK: memref.load
tt.func public @for_indices_loaded(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %v0 = arith.constant 0 : i32
  %v1 = arith.constant 1 : i32
  %v4 = arith.constant 4 : i32
  %a = scf.for %i = %v0 to %v4 step %v1 iter_args(%o = %r) -> (tensor<32xi32>) : i32 {
    %p_s = tt.splat %x : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
    %p = tt.addptr %p_s, %o : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
    %v = tt.load %p : tensor<32x!tt.ptr<i32>>
    scf.yield %v : tensor<32xi32>
  }
  %q_s = tt.splat %y : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %q = tt.addptr %q_s, %r : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  tt.store %q, %a : tensor<32x!tt.ptr<i32>>
  tt.return
}
