// The pointers of a block may be carried by a loop, and the block may have three dimensions.
// NORUN: launches pass no tensors of pointers

// CHECK-LABEL: func.func @ptr_arg_block_loop(
// CHECK-SAME: %p: memref<2x4x8xi32>,
// CHECK: %[[P:.*]] = memref.cast %p : memref<2x4x8xi32> to memref<*xi32>
// CHECK: scf.for
// CHECK: memref.reinterpret_cast %[[P]] to offset: [%{{.*}}], sizes: [2, 4, 8], strides: [32, 8, 1]
tt.func public @ptr_arg_block_loop(%p: tensor<2x4x8x!tt.ptr<i32>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %step = arith.constant dense<64> : tensor<2x4x8xi32>
  %end = scf.for %i = %c0 to %c4 step %c1 iter_args(%q = %p) -> (tensor<2x4x8x!tt.ptr<i32>>) : i32 {
    %v = tt.load %q : tensor<2x4x8x!tt.ptr<i32>>
    %w = arith.addi %v, %step : tensor<2x4x8xi32>
    tt.store %q, %w : tensor<2x4x8x!tt.ptr<i32>>
    %next = tt.addptr %q, %step : tensor<2x4x8x!tt.ptr<i32>>, tensor<2x4x8xi32>
    scf.yield %next : tensor<2x4x8x!tt.ptr<i32>>
  }
  tt.return
}
