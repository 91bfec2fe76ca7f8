// Loops and branches of scalars alone.
// ARG: i64[1] zero
// ARG: i32 7

// CHECK-LABEL: func.func @flow_scalars(
// CHECK: scf.for
// CHECK: arith.muli
// CHECK: memref.store
tt.func public @flow_scalars(%y: !tt.ptr<i64>, %n: i32) {
  %z = arith.constant 0 : i32
  %o = arith.constant 1 : i32
  %s0 = arith.constant 1 : i64
  %s = scf.for %i = %z to %n step %o iter_args(%a = %s0) -> (i64) : i32 {
    %w = arith.extsi %i : i32 to i64
    %t = arith.addi %a, %w : i64
    %k = arith.constant 3 : i32
    %c = arith.cmpi slt, %i, %k : i32
    %u = scf.if %c -> (i64) {
      %d = arith.muli %t, %t : i64
      scf.yield %d : i64
    } else {
      scf.yield %t : i64
    }
    scf.yield %u : i64
  }
  tt.store %y, %s : !tt.ptr<i64>
  tt.return
}
