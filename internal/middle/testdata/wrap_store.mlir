// A store that wraps around.
// ARG: f32[32] normal
// ARG: f32[40] zero
// ARG: i32 40
// ARG: i32 30

// CHECK-LABEL: func.func @wrap_store(
// CHECK: scf.for
// CHECK: tensor.extract_slice
// CHECK: bufferization.materialize_in_destination
tt.func public @wrap_store(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32, %b: i32) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %v = tt.load %p : tensor<32x!tt.ptr<f32>>
  %bs = tt.splat %b : i32 -> tensor<32xi32>
  %i = arith.addi %r, %bs : tensor<32xi32>
  %ns = tt.splat %n : i32 -> tensor<32xi32>
  %w = arith.remsi %i, %ns : tensor<32xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %w : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %q, %v : tensor<32x!tt.ptr<f32>>
  tt.return
}
