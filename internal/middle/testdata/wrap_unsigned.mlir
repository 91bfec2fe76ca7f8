// An unsigned remainder.
// ARG: f32[20] normal
// ARG: f32[32] zero
// ARG: i32 20

// CHECK-LABEL: func.func @wrap_unsigned(
// CHECK: arith.divsi
// CHECK: scf.for
// CHECK: memref.copy
tt.func public @wrap_unsigned(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ns = tt.splat %n : i32 -> tensor<32xi32>
  %w = arith.remui %r, %ns : tensor<32xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %w : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %v = tt.load %p : tensor<32x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %q, %v : tensor<32x!tt.ptr<f32>>
  tt.return
}
