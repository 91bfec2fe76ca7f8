// The inner loop goes on where it stopped.
// ARG: f32[512] normal
// ARG: f32[32] zero

// CHECK-LABEL: func.func @for_nested(
// CHECK: scf.for %{{.*}} iter_args(%[[O:.*]] = %c0, %{{.*}}) -> (index, tensor<32xf32>)
// CHECK: %[[I:.*]]:2 = scf.for %{{.*}} iter_args(%[[P:.*]] = %[[O]], %{{.*}}) -> (index, tensor<32xf32>)
// CHECK: memref.reinterpret_cast %x to offset: [%[[P]]]
// CHECK: arith.addi %[[P]], %c32
// CHECK: }
// CHECK: arith.addi %[[I]]#0, %c5
tt.func public @for_nested(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %k = arith.constant dense<32> : tensor<32xi32>
  %k5 = arith.constant dense<5> : tensor<32xi32>
  %z = arith.constant dense<0.0> : tensor<32xf32>
  %v0 = arith.constant 0 : i32
  %v1 = arith.constant 1 : i32
  %v3 = arith.constant 3 : i32
  %a:2 = scf.for %i = %v0 to %v3 step %v1 iter_args(%pp = %p, %acc = %z) -> (tensor<32x!tt.ptr<f32>>, tensor<32xf32>) : i32 {
    %b:2 = scf.for %j = %v0 to %v3 step %v1 iter_args(%pi = %pp, %ai = %acc) -> (tensor<32x!tt.ptr<f32>>, tensor<32xf32>) : i32 {
      %v = tt.load %pi : tensor<32x!tt.ptr<f32>>
      %s = arith.addf %ai, %v : tensor<32xf32>
      %pn = tt.addptr %pi, %k : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
      scf.yield %pn, %s : tensor<32x!tt.ptr<f32>>, tensor<32xf32>
    }
    %po = tt.addptr %b#0, %k5 : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    scf.yield %po, %b#1 : tensor<32x!tt.ptr<f32>>, tensor<32xf32>
  }
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %q, %a#1 : tensor<32x!tt.ptr<f32>>
  tt.return
}
