// Scalar pointers.
// ARG: f32[8] normal
// ARG: f32[8] zero
// ARG: i32 5

// CHECK-LABEL: func.func @ptr_scalar(
// CHECK: %[[N:.*]] = arith.index_cast %n
// CHECK: %[[M:.*]] = memref.reinterpret_cast %x to offset: [%[[N]]], sizes: [1], strides: [1]
// CHECK: %[[V:.*]] = memref.load %[[M]][%c0]
// CHECK: %[[W:.*]] = arith.mulf %[[V]], %[[V]] : f32
// CHECK: memref.store %[[W]]
tt.func public @ptr_scalar(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %p = tt.addptr %x, %n : !tt.ptr<f32>, i32
  %v = tt.load %p : !tt.ptr<f32>
  %w = arith.mulf %v, %v : f32
  %q = tt.addptr %y, %n : !tt.ptr<f32>, i32
  tt.store %q, %w : !tt.ptr<f32>
  tt.return
}
