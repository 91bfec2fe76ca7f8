// Widened as unsigned numbers: a start that is not below zero is taken for what its bits say.
// GRID: 4, 1, 1
// ARG: f32[300] normal
// ARG: f32[256] zero

// CHECK-LABEL: func.func @ptr_unsigned_offsets(
// CHECK: arith.andi %{{.*}}, %c4294967295 : index
// CHECK: memref.reinterpret_cast %x
tt.func public @ptr_unsigned_offsets(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %pid = tt.get_program_id x : i32
  %c64 = arith.constant 64 : i32
  %n = arith.muli %pid, %c64 : i32
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %i = arith.addi %r, %ns : tensor<64xi32>
  %w = arith.extui %i : tensor<64xi32> to tensor<64xi64>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %w : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %w : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
  tt.store %q, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}
