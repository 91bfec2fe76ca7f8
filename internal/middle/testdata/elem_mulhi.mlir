// The upper half of a product.
// ARG: i32[64] normal
// ARG: i32[64] zero

// CHECK-LABEL: func.func @elem_mulhi(
// CHECK: arith.mului_extended
tt.func public @elem_mulhi(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %p = tt.addptr %p_s, %pr : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %qr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %q = tt.addptr %q_s, %qr : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<i32>>
  %k = arith.constant dense<-845247145> : tensor<64xi32>
  %w = tt.mulhiui %v, %k : tensor<64xi32>
  tt.store %q, %w : tensor<64x!tt.ptr<i32>>
  tt.return
}
