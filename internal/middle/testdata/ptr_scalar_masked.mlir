// Scalar accesses under a condition.
// ARG: f32[8] normal
// ARG: f32[8] one
// ARG: i32 5
// ARG: i1 1
// ARG: i1 0

// CHECK-LABEL: func.func @ptr_scalar_masked(
// CHECK: %{{.*}} = scf.if %c -> (f32)
// CHECK: memref.load
// CHECK: } else {
// CHECK: scf.yield %{{.*}} : f32
// CHECK: scf.if %c {
// CHECK: memref.store
tt.func public @ptr_scalar_masked(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32, %c: i1, %d: i1) {
  %o = arith.constant 7.0 : f32
  %p = tt.addptr %x, %n : !tt.ptr<f32>, i32
  %v = tt.load %p, %c, %o : !tt.ptr<f32>
  %w = tt.load %p, %d, %o : !tt.ptr<f32>
  %s = arith.addf %v, %w : f32
  %q = tt.addptr %y, %n : !tt.ptr<f32>, i32
  tt.store %q, %s, %c : !tt.ptr<f32>
  tt.store %y, %s, %d : !tt.ptr<f32>
  tt.return
}
