// A range that is known to stay below the size does not wrap.
// ARG: f32[64] normal
// ARG: f32[32] zero

// CHECK-LABEL: func.func @wrap_never(
// CHECK-NOT: scf.for
// CHECK: memref.reinterpret_cast %x to offset: [0], sizes: [32], strides: [1]
tt.func public @wrap_never(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %n = arith.constant dense<64> : tensor<32xi32>
  %w = arith.remsi %r, %n : tensor<32xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %w : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %v = tt.load %p : tensor<32x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %q, %v : tensor<32x!tt.ptr<f32>>
  tt.return
}
