// A function that is not to be inlined, with an early return, called in a loop.
// ARG: i32[8] zero

// CHECK-LABEL: func.func @flow_call(
// CHECK-NOT: call
// CHECK: scf.for
// CHECK: memref.store
// CHECK-NOT: @pick
tt.func private @pick(%a: i32) -> i32 attributes {noinline = true} {
  %five = arith.constant 5 : i32
  %c = arith.cmpi slt, %a, %five : i32
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  tt.return %a : i32
^bb2:
  %b = arith.muli %a, %five : i32
  tt.return %b : i32
}
tt.func public @flow_call(%y: !tt.ptr<i32>) {
  %v0 = arith.constant 0 : i32
  %v1 = arith.constant 1 : i32
  %v8 = arith.constant 8 : i32
  scf.for %i = %v0 to %v8 step %v1 : i32 {
    %v = tt.call @pick(%i) : (i32) -> i32
    %q = tt.addptr %y, %i : !tt.ptr<i32>, i32
    tt.store %q, %v : !tt.ptr<i32>
  }
  tt.return
}
