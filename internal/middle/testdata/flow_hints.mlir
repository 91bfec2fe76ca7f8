// Hints and barriers are nothing to a program that is one thread.
// ARG: i32[1] zero
// ARG: i32 5

// CHECK-LABEL: func.func @flow_hints(
// CHECK-NOT: assume
// CHECK-NOT: barrier
// CHECK: memref.store
tt.func public @flow_hints(%y: !tt.ptr<i32>, %n: i32) {
  %z = arith.constant 0 : i32
  %c = arith.cmpi sgt, %n, %z : i32
  llvm.intr.assume %c : i1
  gpu.barrier
  tt.store %y, %n : !tt.ptr<i32>
  tt.return
}
