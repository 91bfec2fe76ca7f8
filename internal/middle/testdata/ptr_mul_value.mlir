// Steps times a value; the product is no constant.
// ARG: f32[400] normal
// ARG: f32[32] zero
// ARG: i32 3
// ARG: i32 4

// CHECK-LABEL: func.func @ptr_mul_value(
// CHECK-NOT: linalg.generic
// CHECK: %[[P:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// CHECK: memref.reinterpret_cast %x to offset: [0], sizes: [32], strides: [%[[P]]]
tt.func public @ptr_mul_value(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %a: i32, %b: i32) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %as = tt.splat %a : i32 -> tensor<32xi32>
  %bs = tt.splat %b : i32 -> tensor<32xi32>
  %m = arith.muli %r, %as : tensor<32xi32>
  %k = arith.muli %m, %bs : tensor<32xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %k : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %v = tt.load %p : tensor<32x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %q, %v : tensor<32x!tt.ptr<f32>>
  tt.return
}
