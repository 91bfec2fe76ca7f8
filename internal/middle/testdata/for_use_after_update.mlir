// The pointer is used after it was advanced, too.
// ARG: f32[400] normal
// ARG: f32[64] zero
// ARG: i32 3

// CHECK-LABEL: func.func @for_use_after_update(
// CHECK: %[[F:.*]]:2 = scf.for %{{.*}} iter_args(%[[O:.*]] = %c0
// CHECK: memref.reinterpret_cast %x to offset: [%[[O]]]
// CHECK: %[[N:.*]] = arith.addi %[[O]], %c64
// CHECK: memref.reinterpret_cast %x to offset: [%[[N]]]
// CHECK: }
// CHECK: memref.reinterpret_cast %x to offset: [%[[F]]#0]
tt.func public @for_use_after_update(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %k = arith.constant dense<64> : tensor<64xi32>
  %z = arith.constant dense<0.0> : tensor<64xf32>
  %v0 = arith.constant 0 : i32
  %v1 = arith.constant 1 : i32
  %a:2 = scf.for %i = %v0 to %n step %v1 iter_args(%pp = %p, %acc = %z) -> (tensor<64x!tt.ptr<f32>>, tensor<64xf32>) : i32 {
    %v = tt.load %pp : tensor<64x!tt.ptr<f32>>
    %pn = tt.addptr %pp, %k : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %w = tt.load %pn : tensor<64x!tt.ptr<f32>>
    %t = arith.mulf %v, %w : tensor<64xf32>
    %s = arith.addf %acc, %t : tensor<64xf32>
    scf.yield %pn, %s : tensor<64x!tt.ptr<f32>>, tensor<64xf32>
  }
  %l = tt.load %a#0 : tensor<64x!tt.ptr<f32>>
  %o = arith.addf %a#1, %l : tensor<64xf32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %o : tensor<64x!tt.ptr<f32>>
  tt.return
}
