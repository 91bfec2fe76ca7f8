// Conversions to eight bits do not overflow.
// NORUN: MLIR does not lower conversions to eight bits

// CHECK-LABEL: func.func @elem_fp8(
// CHECK: arith.minimumf
// CHECK: arith.maximumf
// CHECK: arith.truncf %{{.*}} : f32 to f8E4M3FN
tt.func public @elem_fp8(%x: !tt.ptr<f32>, %y: !tt.ptr<f8E4M3FN>) {
  %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %pr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %qr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f8E4M3FN> -> tensor<64x!tt.ptr<f8E4M3FN>>
  %q = tt.addptr %q_s, %qr : tensor<64x!tt.ptr<f8E4M3FN>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %w = tt.fp_to_fp %v, rounding = rtne : tensor<64xf32> -> tensor<64xf8E4M3FN>
  tt.store %q, %w : tensor<64x!tt.ptr<f8E4M3FN>>
  tt.return
}
