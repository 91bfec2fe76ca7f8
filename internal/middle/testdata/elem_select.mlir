// Comparison and choice.
// ARG: f32[64] normal
// ARG: f32[64] zero

// CHECK-LABEL: func.func @elem_select(
// CHECK: arith.cmpf ogt
// CHECK: arith.select
tt.func public @elem_select(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %pr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %qr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %qr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %z = arith.constant dense<0.0> : tensor<64xf32>
  %c = arith.cmpf ogt, %v, %z : tensor<64xf32>
  %k = arith.constant dense<0.125> : tensor<64xf32>
  %m = arith.mulf %v, %k : tensor<64xf32>
  %w = arith.select %c, %v, %m : tensor<64xi1>, tensor<64xf32>
  tt.store %q, %w : tensor<64x!tt.ptr<f32>>
  tt.return
}
