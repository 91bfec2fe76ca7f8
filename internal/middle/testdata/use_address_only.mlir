// Arithmetic that only makes addresses leaves no trace but scalars.
// ARG: f32[300] normal
// ARG: f32[64] zero
// ARG: i32 3

// CHECK-LABEL: func.func @use_address_only(
// CHECK-NOT: linalg.generic
// CHECK-NOT: tensor<64xi32>
// CHECK: sizes: [64], strides: [4]
tt.func public @use_address_only(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %k = arith.constant dense<2> : tensor<64xi32>
  %a = arith.muli %r, %k : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %b = arith.addi %a, %ns : tensor<64xi32>
  %d = arith.muli %b, %k : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %d : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}
