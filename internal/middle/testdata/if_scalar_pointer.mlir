// A branch chooses the place of one element, in a loop. The branch does nothing else.
// ARG: f32[128] normal
// ARG: f32[32] zero
// ARG: i32 20

// CHECK-LABEL: func.func @if_scalar_pointer(
// CHECK: scf.for
// CHECK: %[[O:.*]] = scf.if {{.*}} -> (index)
// CHECK: memref.reinterpret_cast %x to offset: [%[[O]]], sizes: [1], strides: [1]
tt.func public @if_scalar_pointer(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %c = arith.cmpi eq, %i, %c7 : i32
    %q = scf.if %c -> (!tt.ptr<f32>) {
      %a = arith.addi %n, %c7 : i32
      %s = tt.addptr %x, %a : !tt.ptr<f32>, i32
      scf.yield %s : !tt.ptr<f32>
    } else {
      %a = arith.addi %i, %c1 : i32
      %s = tt.addptr %x, %a : !tt.ptr<f32>, i32
      scf.yield %s : !tt.ptr<f32>
    }
    %v = tt.load %q : !tt.ptr<f32>
    %o = tt.addptr %y, %i : !tt.ptr<f32>, i32
    tt.store %o, %v : !tt.ptr<f32>
  }
  tt.return
}
