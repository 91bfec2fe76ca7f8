// Widened as unsigned numbers: the start is taken for what its bits say.
// ARG: f32[300] normal
// ARG: f32[64] zero
// ARG: i32 200

// CHECK-LABEL: func.func @ptr_unsigned_offsets(
// CHECK: arith.andi %{{.*}}, %c4294967295 : index
// CHECK: memref.reinterpret_cast %x
tt.func public @ptr_unsigned_offsets(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %i = arith.addi %r, %ns : tensor<64xi32>
  %w = arith.extui %i : tensor<64xi32> to tensor<64xi64>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %w : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}
