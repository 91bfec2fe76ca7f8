// A scalar pointer that advances.
// ARG: f32[16] normal
// ARG: f32[1] zero

// CHECK-LABEL: func.func @for_scalar(
// CHECK: scf.for %{{.*}} iter_args(%[[O:.*]] = %c0, %{{.*}}) -> (index, f32)
// CHECK: memref.reinterpret_cast %x to offset: [%[[O]]], sizes: [1], strides: [1]
// CHECK: memref.load
// CHECK: arith.addi %[[O]], %c1
tt.func public @for_scalar(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %z = arith.constant 0.0 : f32
  %v0 = arith.constant 0 : i32
  %v1 = arith.constant 1 : i32
  %v16 = arith.constant 16 : i32
  %a:2 = scf.for %i = %v0 to %v16 step %v1 iter_args(%pp = %x, %acc = %z) -> (!tt.ptr<f32>, f32) : i32 {
    %v = tt.load %pp : !tt.ptr<f32>
    %s = arith.addf %acc, %v : f32
    %pn = tt.addptr %pp, %v1 : !tt.ptr<f32>, i32
    scf.yield %pn, %s : !tt.ptr<f32>, f32
  }
  tt.store %y, %a#1 : !tt.ptr<f32>
  tt.return
}
