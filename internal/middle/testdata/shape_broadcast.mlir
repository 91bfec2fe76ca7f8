// Values of a column, repeated along rows.
// ARG: f32[128] normal
// ARG: f32[8] normal

// CHECK-LABEL: func.func @shape_broadcast(
// CHECK: linalg.broadcast ins(%{{.*}} : tensor<8xf32>) outs(%{{.*}} : tensor<8x16xf32>) dimensions = [1]
// CHECK: arith.mulf
tt.func public @shape_broadcast(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %pr = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %pc = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %pe = arith.constant 16 : i32
  %po_r = tt.expand_dims %pr {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %po_c = tt.expand_dims %pc {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %po_st = tt.splat %pe : i32 -> tensor<8x1xi32>
  %po_m = arith.muli %po_r, %po_st : tensor<8x1xi32>
  %po_rb = tt.broadcast %po_m : tensor<8x1xi32> -> tensor<8x16xi32>
  %po_cb = tt.broadcast %po_c : tensor<1x16xi32> -> tensor<8x16xi32>
  %po = arith.addi %po_rb, %po_cb : tensor<8x16xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<8x16x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %po : tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>
  %qr = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %qr : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %v = tt.load %p : tensor<8x16x!tt.ptr<f32>>
  %b = tt.load %q : tensor<8x!tt.ptr<f32>>
  %be = tt.expand_dims %b {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  %bb = tt.broadcast %be : tensor<8x1xf32> -> tensor<8x16xf32>
  %w = arith.mulf %v, %bb : tensor<8x16xf32>
  tt.store %p, %w : tensor<8x16x!tt.ptr<f32>>
  tt.return
}
