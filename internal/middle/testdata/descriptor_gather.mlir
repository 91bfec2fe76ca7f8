// Rows picked by indices, columns in one piece.
// ARG: f32[600] normal
// ARG: i32[16] below 40
// ARG: f32[128] one
// ARG: i32 14

// CHECK-LABEL: func.func @descriptor_gather(
// CHECK: scf.for
// CHECK: tensor.extract
// CHECK: memref.reinterpret_cast %x to offset: [%{{.*}}], sizes: [8], strides: [1]
// CHECK: memref.copy
tt.func public @descriptor_gather(%x: !tt.ptr<f32>, %t: !tt.ptr<i32>, %y: !tt.ptr<f32>, %b: i32) {
  %m = arith.constant 30 : i32
  %n = arith.constant 20 : i32
  %nw = arith.constant 20 : i64
  %s1 = arith.constant 1 : i64
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %tp_s = tt.splat %t : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %tp = tt.addptr %tp_s, %r : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  %i = tt.load %tp : tensor<16x!tt.ptr<i32>>
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%nw, %s1] : !tt.ptr<f32>, !tt.tensordesc<tensor<1x8xf32>>
  %v = tt.descriptor_gather %d[%i, %b] : (!tt.tensordesc<tensor<1x8xf32>>, tensor<16xi32>, i32) -> tensor<16x8xf32>
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
