// All three ids and numbers of programs.
// GRID: 2, 3, 4
// ARG: i32[24] zero

// CHECK-LABEL: func.func @ptr_grid(
// CHECK: arith.muli %pid_z, %num_programs_y : i32
// CHECK: arith.addi %{{.*}}, %num_programs_z : i32
// CHECK: memref.store
tt.func public @ptr_grid(%y: !tt.ptr<i32>) {
  %x = tt.get_program_id x : i32
  %yy = tt.get_program_id y : i32
  %z = tt.get_program_id z : i32
  %nx = tt.get_num_programs x : i32
  %ny = tt.get_num_programs y : i32
  %nz = tt.get_num_programs z : i32
  %a = arith.muli %z, %ny : i32
  %b = arith.addi %a, %yy : i32
  %c = arith.muli %b, %nx : i32
  %d = arith.addi %c, %x : i32
  %p = tt.addptr %y, %d : !tt.ptr<i32>, i32
  %v = arith.addi %d, %nz : i32
  tt.store %p, %v : !tt.ptr<i32>
  tt.return
}
