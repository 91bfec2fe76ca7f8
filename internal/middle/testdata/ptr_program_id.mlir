// The program id moves the block.
// GRID: 4
// ARG: f32[256] normal
// ARG: f32[256] zero

// CHECK-LABEL: func.func @ptr_program_id(
// CHECK-SAME: %num_programs_x: i32, %num_programs_y: i32, %num_programs_z: i32, %pid_x: i32, %pid_y: i32, %pid_z: i32)
// CHECK-NOT: tensor<64xi32>
// CHECK: %[[O:.*]] = arith.muli %pid_x
// CHECK: %[[I:.*]] = arith.index_cast %[[O]] : i32 to index
// CHECK: memref.reinterpret_cast %x to offset: [%[[I]]], sizes: [64], strides: [1]
tt.func public @ptr_program_id(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %pid = tt.get_program_id x : i32
  %c = arith.constant 64 : i32
  %o = arith.muli %pid, %c : i32
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %os = tt.splat %o : i32 -> tensor<64xi32>
  %i = arith.addi %os, %r : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}
