// Operands that are one number for all stay scalars.
// ARG: f32[64] normal
// ARG: f32[64] zero
// ARG: f32 0.75

// CHECK-LABEL: func.func @elem_scalars(
// CHECK-NOT: linalg.fill
// CHECK: arith.mulf %{{.*}}, %a : f32
// CHECK: arith.addf %{{.*}}, %cst : f32
tt.func public @elem_scalars(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %a: f32) {
  %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %pr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %qr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %qr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %as = tt.splat %a : f32 -> tensor<64xf32>
  %k = arith.constant dense<2.0> : tensor<64xf32>
  %m = arith.mulf %v, %as : tensor<64xf32>
  %w = arith.addf %m, %k : tensor<64xf32>
  tt.store %q, %w : tensor<64x!tt.ptr<f32>>
  tt.return
}
