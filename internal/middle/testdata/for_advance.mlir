// A pointer that advances: the loop carries its distance.
// ARG: f32[256] normal
// ARG: f32[64] zero

// CHECK-LABEL: func.func @for_advance(
// CHECK: scf.for %{{.*}} iter_args(%[[O:.*]] = %c0, %{{.*}} = %{{.*}}) -> (index, tensor<64xf32>)
// CHECK: memref.reinterpret_cast %x to offset: [%[[O]]], sizes: [64], strides: [1]
// CHECK: %[[N:.*]] = arith.addi %[[O]], %c64 : index
// CHECK: scf.yield %[[N]]
tt.func public @for_advance(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %k = arith.constant dense<64> : tensor<64xi32>
  %z = arith.constant dense<0.0> : tensor<64xf32>
  %v0 = arith.constant 0 : i32
  %v1 = arith.constant 1 : i32
  %v4 = arith.constant 4 : i32
  %a:2 = scf.for %i = %v0 to %v4 step %v1 iter_args(%pp = %p, %acc = %z) -> (tensor<64x!tt.ptr<f32>>, tensor<64xf32>) : i32 {
    %v = tt.load %pp : tensor<64x!tt.ptr<f32>>
    %s = arith.addf %acc, %v : tensor<64xf32>
    %pn = tt.addptr %pp, %k : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %pn, %s : tensor<64x!tt.ptr<f32>>, tensor<64xf32>
  }
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %a#1 : tensor<64x!tt.ptr<f32>>
  tt.return
}
