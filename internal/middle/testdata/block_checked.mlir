// All boundaries checked, zeros outside.
// ARG: f32[600] normal
// ARG: f32[128] one
// ARG: i32 20
// ARG: i32 -3

// CHECK-LABEL: func.func @block_checked(
// CHECK-NOT: tensor<16x8xi1>
// CHECK: linalg.fill
// CHECK: memref.reinterpret_cast %x to offset: [%{{.*}}], sizes: [16, 8], strides: [20, 1]
// CHECK: memref.subview %{{.*}}[%{{.*}}, %{{.*}}] [%{{.*}}, %{{.*}}] [1, 1]
// CHECK: memref.copy
tt.func public @block_checked(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %a: i32, %b: i32) {
  %m = arith.constant 30 : i64
  %n = arith.constant 20 : i64
  %s1 = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %x, [%m, %n], [%n, %s1], [%a, %b] {order = array<i32: 1, 0>} : <tensor<16x8xf32>>
  %v = tt.load %p {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<16x8xf32>>
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %c = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %e = arith.constant 8 : i32
  %o_r = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %o_c = tt.expand_dims %c {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %o_st = tt.splat %e : i32 -> tensor<16x1xi32>
  %o_m = arith.muli %o_r, %o_st : tensor<16x1xi32>
  %o_rb = tt.broadcast %o_m : tensor<16x1xi32> -> tensor<16x8xi32>
  %o_cb = tt.broadcast %o_c : tensor<1x8xi32> -> tensor<16x8xi32>
  %o = arith.addi %o_rb, %o_cb : tensor<16x8xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %o : tensor<16x8x!tt.ptr<f32>>, tensor<16x8xi32>
  tt.store %q, %v : tensor<16x8x!tt.ptr<f32>>
  tt.return
}
