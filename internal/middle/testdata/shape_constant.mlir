// A tensor of constants that differ.
// ARG: i32[4] zero

// CHECK-LABEL: func.func @shape_constant(
// CHECK: arith.constant dense<[3, 1, 4, 1]> : tensor<4xi32>
tt.func public @shape_constant(%y: !tt.ptr<i32>) {
  %k = arith.constant dense<[3, 1, 4, 1]> : tensor<4xi32>
  %qr = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %q_s = tt.splat %y : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %q = tt.addptr %q_s, %qr : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
  tt.store %q, %k : tensor<4x!tt.ptr<i32>>
  tt.return
}
