// An operation on numbers that are one for all is done once.
// ARG: f32[64] normal
// ARG: f32[64] zero
// ARG: f32 0.75

// CHECK-LABEL: func.func @elem_uniform(
// CHECK: %[[Q:.*]] = arith.divf %a, %cst : f32
// CHECK: linalg.fill ins(%[[Q]] : f32)
tt.func public @elem_uniform(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %a: f32) {
  %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %pr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %qr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %qr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %as = tt.splat %a : f32 -> tensor<64xf32>
  %k = arith.constant dense<2.0> : tensor<64xf32>
  %m = arith.divf %as, %k : tensor<64xf32>
  %w = arith.addf %m, %v : tensor<64xf32>
  tt.store %q, %w : tensor<64x!tt.ptr<f32>>
  tt.return
}
