// The size is smaller than the block, so it wraps around many times.
// ARG: f32[16] normal
// ARG: f32[64] zero
// ARG: i32 5
// ARG: i32 13

// CHECK-LABEL: func.func @wrap_many(
// CHECK: scf.for
// CHECK: memref.copy
tt.func public @wrap_many(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32, %b: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %bs = tt.splat %b : i32 -> tensor<64xi32>
  %i = arith.addi %r, %bs : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %w = arith.remsi %i, %ns : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %w : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}
