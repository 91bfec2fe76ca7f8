// A base and a range: one strided view, copied, and nothing else.
// ARG: f32[64] normal
// ARG: f32[64] zero

// CHECK-LABEL: func.func @ptr_1d(
// CHECK-NOT: linalg.generic
// CHECK: %[[M:.*]] = memref.reinterpret_cast %x to offset: [0], sizes: [64], strides: [1] : memref<*xf32> to memref<64xf32, strided<[1]>>
// CHECK: memref.copy %[[M]], %[[B:.*]] : memref<64xf32, strided<[1]>> to memref<64xf32>
// CHECK: bufferization.to_tensor %[[B]] restrict writable
// CHECK: bufferization.materialize_in_destination %{{.*}} in writable
// CHECK: return
tt.func public @ptr_1d(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}
