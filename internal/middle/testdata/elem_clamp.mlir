// Limits, with and without NaN.
// ARG: f32[64] normal
// ARG: f32[64] zero

// CHECK-LABEL: func.func @elem_clamp(
// CHECK: arith.maxnumf
// CHECK: arith.minnumf
// CHECK: arith.maximumf
// CHECK: arith.minimumf
tt.func public @elem_clamp(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %pr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %qr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %qr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %l = arith.constant dense<-1.0> : tensor<64xf32>
  %h = arith.constant dense<1.5> : tensor<64xf32>
  %a = tt.clampf %v, %l, %h, propagateNan = none : tensor<64xf32>
  %b = tt.clampf %v, %l, %h, propagateNan = all : tensor<64xf32>
  %w = arith.addf %a, %b : tensor<64xf32>
  tt.store %q, %w : tensor<64x!tt.ptr<f32>>
  tt.return
}
