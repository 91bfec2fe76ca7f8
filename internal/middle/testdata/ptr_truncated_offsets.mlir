// Narrowed offsets: what lies above 32 bits is gone.
// ARG: f32[300] normal
// ARG: f32[64] zero
// ARG: i64 12884901897

// CHECK-LABEL: func.func @ptr_truncated_offsets(
// CHECK: %[[N:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK: memref.reinterpret_cast %x to offset: [%[[N]]], sizes: [64], strides: [1]
tt.func public @ptr_truncated_offsets(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i64) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %w = arith.extsi %r : tensor<64xi32> to tensor<64xi64>
  %ns = tt.splat %n : i64 -> tensor<64xi64>
  %i = arith.addi %w, %ns : tensor<64xi64>
  %t = arith.trunci %i : tensor<64xi64> to tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %t : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}
