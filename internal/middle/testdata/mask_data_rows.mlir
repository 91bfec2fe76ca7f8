// A mask of rows that was loaded, and a bound of columns: rows are visited one by one, each in one piece.
// ARG: f32[128] normal
// ARG: f32[128] one
// ARG: i32[16] below 2
// ARG: i32 5

// CHECK-LABEL: func.func @mask_data_rows(
// CHECK: scf.for %[[I:.*]] = %c0 to %c16
// CHECK: %[[K:.*]] = tensor.extract %{{.*}}[%[[I]]] : tensor<16xi1>
// CHECK: scf.if %[[K]] {
// CHECK: memref.subview %{{.*}}[%[[I]], 0] [1, %{{.*}}] [1, 1]
// CHECK: memref.copy
tt.func public @mask_data_rows(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %f: !tt.ptr<i32>, %b: i32) {
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
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %o : tensor<16x8x!tt.ptr<f32>>, tensor<16x8xi32>
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %ce = tt.expand_dims %c {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %fp_s = tt.splat %f : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %fp = tt.addptr %fp_s, %r : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  %fl = tt.load %fp : tensor<16x!tt.ptr<i32>>
  %z = arith.constant dense<0> : tensor<16xi32>
  %rm = arith.cmpi ne, %fl, %z : tensor<16xi32>
  %rme = tt.expand_dims %rm {axis = 1 : i32} : tensor<16xi1> -> tensor<16x1xi1>
  %rb = tt.broadcast %rme : tensor<16x1xi1> -> tensor<16x8xi1>
  %bs = tt.splat %b : i32 -> tensor<1x8xi32>
  %cb = arith.cmpi slt, %ce, %bs : tensor<1x8xi32>
  %cc = tt.broadcast %cb : tensor<1x8xi1> -> tensor<16x8xi1>
  %m = arith.andi %rb, %cc : tensor<16x8xi1>
  %ov = arith.constant dense<-1.0> : tensor<16x8xf32>
  %v = tt.load %p, %m, %ov : tensor<16x8x!tt.ptr<f32>>
  %w = arith.addf %v, %v : tensor<16x8xf32>
  tt.store %q, %w, %m : tensor<16x8x!tt.ptr<f32>>
  tt.return
}
