// A return in one of the branches that come together: a flag tells.
// GRID: 4
// ARG: i32[4] zero
// ARG: i32 2

// CHECK-LABEL: func.func @flow_maybe_return(
// CHECK-NOT: cf.
// CHECK: scf.if
// CHECK: memref.store
// CHECK: arith.addi
// CHECK: memref.store
tt.func public @flow_maybe_return(%y: !tt.ptr<i32>, %n: i32) {
  %pid = tt.get_program_id x : i32
  %z = arith.constant 1 : i32
  %five = arith.constant 5 : i32
  %seven = arith.constant 7 : i32
  %q = tt.addptr %y, %pid : !tt.ptr<i32>, i32
  %c = arith.cmpi sge, %pid, %n : i32
  cf.cond_br %c, ^bb1, ^bb3(%five : i32)
  ^bb1:
  %d = arith.cmpi sgt, %pid, %n : i32
  cf.cond_br %d, ^bb2, ^bb3(%seven : i32)
  ^bb2:
  tt.store %q, %z : !tt.ptr<i32>
  tt.return
  ^bb3(%v: i32):
  %w = arith.addi %v, %pid : i32
  tt.store %q, %w : !tt.ptr<i32>
  tt.return
}
