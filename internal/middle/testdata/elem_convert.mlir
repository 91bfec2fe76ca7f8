// Between formats of which neither holds the other.
// ARG: f16[64] normal
// ARG: bf16[64] zero

// CHECK-LABEL: func.func @elem_convert(
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
tt.func public @elem_convert(%x: !tt.ptr<f16>, %y: !tt.ptr<bf16>) {
  %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %p = tt.addptr %p_s, %pr : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  %qr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<bf16> -> tensor<64x!tt.ptr<bf16>>
  %q = tt.addptr %q_s, %qr : tensor<64x!tt.ptr<bf16>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f16>>
  %w = tt.fp_to_fp %v, rounding = rtne : tensor<64xf16> -> tensor<64xbf16>
  tt.store %q, %w : tensor<64x!tt.ptr<bf16>>
  tt.return
}
