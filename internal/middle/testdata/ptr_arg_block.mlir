// An argument that is a tensor of pointers is a block of memory in row-major order, as triton-shared has it.
// NORUN: launches pass no tensors of pointers

// CHECK-LABEL: func.func @ptr_arg_block(
// CHECK-SAME: %in: memref<4x8xf32>, %n: i32, %out: memref<32xf32>,
// CHECK-DAG: %[[IN:.*]] = memref.cast %in : memref<4x8xf32> to memref<*xf32>
// CHECK-DAG: %[[OUT:.*]] = memref.cast %out : memref<32xf32> to memref<*xf32>
// CHECK: memref.reinterpret_cast %[[IN]] to offset: [%{{.*}}], sizes: [4, 8], strides: [8, 1]
// CHECK: memref.reinterpret_cast %[[OUT]] to offset: [0], sizes: [32], strides: [1]
tt.func public @ptr_arg_block(%in: tensor<4x8x!tt.ptr<f32>>, %n: i32, %out: tensor<32x!tt.ptr<f32>>) {
  %step = tt.splat %n : i32 -> tensor<4x8xi32>
  %next = tt.addptr %in, %step : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi32>
  %v = tt.load %next : tensor<4x8x!tt.ptr<f32>>
  %w = tt.reshape %v : tensor<4x8xf32> -> tensor<32xf32>
  tt.store %out, %w : tensor<32x!tt.ptr<f32>>
  tt.return
}
