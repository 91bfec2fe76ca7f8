// A checked store.
// ARG: f32[128] normal
// ARG: f32[300] one
// ARG: i32 10

// CHECK-LABEL: func.func @block_store(
// CHECK: tensor.extract_slice
// CHECK: bufferization.materialize_in_destination
tt.func public @block_store(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %a: i32) {
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
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %o : tensor<16x8x!tt.ptr<f32>>, tensor<16x8xi32>
  %v = tt.load %p : tensor<16x8x!tt.ptr<f32>>
  %m = arith.constant 20 : i64
  %n = arith.constant 15 : i64
  %s1 = arith.constant 1 : i64
  %q = tt.make_tensor_ptr %y, [%m, %n], [%n, %s1], [%a, %a] {order = array<i32: 1, 0>} : <tensor<16x8xf32>>
  tt.store %q, %v {boundaryCheck = array<i32: 0, 1>} : !tt.ptr<tensor<16x8xf32>>
  tt.return
}
