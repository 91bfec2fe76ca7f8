// A scalar chooses between two bases.
// ARG: f32[64] normal
// ARG: f32[64] normal
// ARG: f32[32] zero
// ARG: i1 1

// CHECK-LABEL: func.func @ptr_select(
// CHECK: %[[M:.*]] = arith.select %c, %y, %x : memref<*xf32>
// CHECK: %[[O:.*]] = arith.select %c, %c9, %c0 : index
// CHECK: memref.reinterpret_cast %[[M]] to offset: [%[[O]]], sizes: [32], strides: [1]
tt.func public @ptr_select(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %c: i1) {
  %k = arith.constant 9 : i32
  %y9 = tt.addptr %y, %k : !tt.ptr<f32>, i32
  %b = arith.select %c, %y9, %x : !tt.ptr<f32>
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %p_s = tt.splat %b : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %v = tt.load %p : tensor<32x!tt.ptr<f32>>
  %q_s = tt.splat %z : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %q, %v : tensor<32x!tt.ptr<f32>>
  tt.return
}
