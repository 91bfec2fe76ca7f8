// Exchange, and other integer operations.
// ARG: i32[4] below 100
// ARG: i32[4] zero

// CHECK-LABEL: func.func @atomic_exchange(
// CHECK: memref.atomic_rmw assign
// CHECK: memref.atomic_rmw andi
// CHECK: memref.atomic_rmw minu
// CHECK: memref.atomic_rmw xori
tt.func public @atomic_exchange(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %t = arith.constant true
  %k = arith.constant 21 : i32
  %i0 = arith.constant 0 : i32
  %p0 = tt.addptr %x, %i0 : !tt.ptr<i32>, i32
  %q0 = tt.addptr %y, %i0 : !tt.ptr<i32>, i32
  %r0 = tt.atomic_rmw exch, relaxed, cta, %p0, %k, %t : (!tt.ptr<i32>, i32, i1) -> i32
  tt.store %q0, %r0 : !tt.ptr<i32>
  %i1 = arith.constant 1 : i32
  %p1 = tt.addptr %x, %i1 : !tt.ptr<i32>, i32
  %q1 = tt.addptr %y, %i1 : !tt.ptr<i32>, i32
  %r1 = tt.atomic_rmw and, relaxed, cta, %p1, %k, %t : (!tt.ptr<i32>, i32, i1) -> i32
  tt.store %q1, %r1 : !tt.ptr<i32>
  %i2 = arith.constant 2 : i32
  %p2 = tt.addptr %x, %i2 : !tt.ptr<i32>, i32
  %q2 = tt.addptr %y, %i2 : !tt.ptr<i32>, i32
  %r2 = tt.atomic_rmw umin, relaxed, cta, %p2, %k, %t : (!tt.ptr<i32>, i32, i1) -> i32
  tt.store %q2, %r2 : !tt.ptr<i32>
  %i3 = arith.constant 3 : i32
  %p3 = tt.addptr %x, %i3 : !tt.ptr<i32>, i32
  %q3 = tt.addptr %y, %i3 : !tt.ptr<i32>, i32
  %r3 = tt.atomic_rmw xor, relaxed, cta, %p3, %k, %t : (!tt.ptr<i32>, i32, i1) -> i32
  tt.store %q3, %r3 : !tt.ptr<i32>
  tt.return
}
