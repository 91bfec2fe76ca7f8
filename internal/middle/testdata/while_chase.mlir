// A while that follows indices in memory.
// ARG: i32[16] below 15
// ARG: i32[1] zero

// CHECK-LABEL: func.func @while_chase(
// CHECK: scf.while
// CHECK: memref.load
// CHECK: memref.store
tt.func public @while_chase(%t: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %v0 = arith.constant 0 : i32
  %v1 = arith.constant 1 : i32
  %v9 = arith.constant 9 : i32
  %a:2 = scf.while (%i = %v0, %n = %v0) : (i32, i32) -> (i32, i32) {
    %c = arith.cmpi slt, %n, %v9 : i32
    scf.condition(%c) %i, %n : i32, i32
  } do {
    ^bb0(%i2: i32, %n2: i32):
    %p = tt.addptr %t, %i2 : !tt.ptr<i32>, i32
    %v = tt.load %p : !tt.ptr<i32>
    %m = arith.addi %n2, %v1 : i32
    scf.yield %v, %m : i32, i32
  }
  tt.store %y, %a#0 : !tt.ptr<i32>
  tt.return
}
