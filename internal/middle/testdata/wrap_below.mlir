// Rows below zero: a remainder has the sign of its dividend. Both a distance of several turns and one of less
// than a turn, and a divisor below zero.
// ARG: f32[40] normal
// ARG: f32[96] zero
// ARG: i32 -19
// ARG: i32 -3
// ARG: i32 -7

// CHECK-LABEL: func.func @wrap_below(
// CHECK: arith.divsi
// CHECK: scf.for
// CHECK: memref.copy
tt.func public @wrap_below(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %a: i32, %b: i32, %n: i32) {
  %middle = arith.constant 20 : i32
  %origin = tt.addptr %x, %middle : !tt.ptr<f32>, i32
  %p_s = tt.splat %origin : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %c32 = arith.constant dense<32> : tensor<32xi32>
  %r1 = arith.addi %r, %c32 : tensor<32xi32>
  %r2 = arith.addi %r1, %c32 : tensor<32xi32>
  %as = tt.splat %a : i32 -> tensor<32xi32>
  %bs = tt.splat %b : i32 -> tensor<32xi32>
  %ns = tt.splat %n : i32 -> tensor<32xi32>
  %c8 = arith.constant dense<8> : tensor<32xi32>
  %i0 = arith.addi %r, %as : tensor<32xi32>
  %w0 = arith.remsi %i0, %c8 : tensor<32xi32>
  %p0 = tt.addptr %p_s, %w0 : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %v0 = tt.load %p0 : tensor<32x!tt.ptr<f32>>
  %q0 = tt.addptr %q_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %q0, %v0 : tensor<32x!tt.ptr<f32>>
  %i1 = arith.addi %r, %bs : tensor<32xi32>
  %w1 = arith.remsi %i1, %ns : tensor<32xi32>
  %p1 = tt.addptr %p_s, %w1 : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %v1 = tt.load %p1 : tensor<32x!tt.ptr<f32>>
  %q1 = tt.addptr %q_s, %r1 : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %q1, %v1 : tensor<32x!tt.ptr<f32>>
  %w2 = arith.remui %i0, %c8 : tensor<32xi32>
  %p2 = tt.addptr %p_s, %w2 : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %v2 = tt.load %p2 : tensor<32x!tt.ptr<f32>>
  %q2 = tt.addptr %q_s, %r2 : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %q2, %v2 : tensor<32x!tt.ptr<f32>>
  tt.return
}
