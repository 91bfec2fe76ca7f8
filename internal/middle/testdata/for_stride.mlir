// The step between elements changes in the loop, and is carried.
// ARG: f32[400] normal
// ARG: f32[32] zero

// CHECK-LABEL: func.func @for_stride(
// CHECK: scf.for %{{.*}} iter_args(%[[S:.*]] = %c1, %{{.*}}) -> (index, tensor<32xf32>)
// CHECK: memref.reinterpret_cast %x to offset: [0], sizes: [32], strides: [%[[S]]]
// CHECK: arith.addi %[[S]], %c1
tt.func public @for_stride(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %z = arith.constant dense<0.0> : tensor<32xf32>
  %v0 = arith.constant 0 : i32
  %v1 = arith.constant 1 : i32
  %v4 = arith.constant 4 : i32
  %a:2 = scf.for %i = %v0 to %v4 step %v1 iter_args(%o = %r, %acc = %z) -> (tensor<32xi32>, tensor<32xf32>) : i32 {
    %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %p = tt.addptr %p_s, %o : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %v = tt.load %p : tensor<32x!tt.ptr<f32>>
    %s = arith.addf %acc, %v : tensor<32xf32>
    %on = arith.addi %o, %r : tensor<32xi32>
    scf.yield %on, %s : tensor<32xi32>, tensor<32xf32>
  }
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %q, %a#1 : tensor<32x!tt.ptr<f32>>
  tt.return
}
