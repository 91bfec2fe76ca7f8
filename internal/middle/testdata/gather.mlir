// Indices that were loaded.
// ARG: f32[100] normal
// ARG: i32[64] below 100
// ARG: f32[64] zero

// CHECK-LABEL: func.func @gather(
// CHECK: scf.for %[[I:.*]] = %c0 to %c64
// CHECK: %[[J:.*]] = tensor.extract %{{.*}}[%[[I]]] : tensor<64xi32>
// CHECK: %[[K:.*]] = arith.index_cast %[[J]]
// CHECK: memref.reinterpret_cast %x to offset: [%[[K]]], sizes: [1], strides: [1]
// CHECK: %[[V:.*]] = memref.load
// CHECK: memref.store %[[V]], %{{.*}}[%[[I]]]
tt.func public @gather(%x: !tt.ptr<f32>, %t: !tt.ptr<i32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %tp_s = tt.splat %t : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %tp = tt.addptr %tp_s, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %i = tt.load %tp : tensor<64x!tt.ptr<i32>>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}
