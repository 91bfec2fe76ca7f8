// Branches between blocks stay, calls hand on the place in the grid, and pointers stay where asked for.
// PASSES: triton-arith-to-linalg{keep-tensor-pointers=true}

// CHECK-LABEL: func.func private @inner(
// CHECK-SAME: %pid_z: i32) -> i32
// CHECK-LABEL: func.func @outer(
// CHECK: call @inner(%n, %num_programs_x, %num_programs_y, %num_programs_z, %pid_x, %pid_y, %pid_z)
// CHECK: cf.cond_br
// CHECK: tt.splat %x
// CHECK: tt.store %{{.*}}, %{{.*}} : tensor<4x!tt.ptr<i32>>
tt.func private @inner(%n: i32) -> i32 {
  %id = tt.get_program_id x : i32
  %s = arith.addi %id, %n : i32
  tt.return %s : i32
}
tt.func public @outer(%x: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %k = tt.call @inner(%n) : (i32) -> i32
  %is = arith.cmpi eq, %k, %zero : i32
  cf.cond_br %is, ^out, ^go
^out:
  tt.return
^go:
  %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %p = tt.addptr %xs, %r : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
  tt.store %p, %r : tensor<4x!tt.ptr<i32>>
  tt.return
}
