// Compare and swap of floats compares bits.
// ARG: f32[64] below 3
// ARG: f32[64] zero

// CHECK-LABEL: func.func @atomic_cas_float(
// CHECK: call @memory_at_i32
// CHECK: arith.bitcast %{{.*}} : f32 to i32
// CHECK: memref.generic_atomic_rmw
// CHECK: arith.cmpi eq, %{{.*}} : i32
tt.func public @atomic_cas_float(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %pr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %qr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %qr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %k = arith.constant dense<70.0> : tensor<64xf32>
  %r = tt.atomic_cas acq_rel, gpu, %p, %one, %k : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  tt.store %q, %r : tensor<64x!tt.ptr<f32>>
  tt.return
}
