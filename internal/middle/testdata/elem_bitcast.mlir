// Bits as they are.
// ARG: f32[64] normal
// ARG: i32[64] zero

// CHECK-LABEL: func.func @elem_bitcast(
// CHECK: arith.bitcast %{{.*}} : f32 to i32
tt.func public @elem_bitcast(%x: !tt.ptr<f32>, %y: !tt.ptr<i32>) {
  %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %pr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %qr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %q = tt.addptr %q_s, %qr : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %w = tt.bitcast %v : tensor<64xf32> -> tensor<64xi32>
  tt.store %q, %w : tensor<64x!tt.ptr<i32>>
  tt.return
}
