// Offsets of 64 bits, widened after they were computed.
// ARG: f16[300] normal
// ARG: f16[64] zero
// ARG: i32 100

// CHECK-LABEL: func.func @ptr_wide_offsets(
// CHECK-NOT: tensor<64xi
// CHECK: memref.reinterpret_cast %x to offset: [%{{.*}}], sizes: [64], strides: [1]
tt.func public @ptr_wide_offsets(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %i = arith.addi %r, %ns : tensor<64xi32>
  %w = arith.extsi %i : tensor<64xi32> to tensor<64xi64>
  %p_s = tt.splat %x : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %p = tt.addptr %p_s, %w : tensor<64x!tt.ptr<f16>>, tensor<64xi64>
  %v = tt.load %p : tensor<64x!tt.ptr<f16>>
  %q_s = tt.splat %y : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  tt.store %q, %v : tensor<64x!tt.ptr<f16>>
  tt.return
}
