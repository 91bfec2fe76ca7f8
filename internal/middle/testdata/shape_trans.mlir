// A transposition of values.
// ARG: f32[128] normal
// ARG: f32[128] zero

// CHECK-LABEL: func.func @shape_trans(
// CHECK: linalg.transpose ins(%{{.*}} : tensor<8x16xf32>) outs(%{{.*}} : tensor<16x8xf32>) permutation = [1, 0]
tt.func public @shape_trans(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
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
  %qr = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %qc = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %qe = arith.constant 8 : i32
  %qo_r = tt.expand_dims %qr {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %qo_c = tt.expand_dims %qc {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %qo_st = tt.splat %qe : i32 -> tensor<16x1xi32>
  %qo_m = arith.muli %qo_r, %qo_st : tensor<16x1xi32>
  %qo_rb = tt.broadcast %qo_m : tensor<16x1xi32> -> tensor<16x8xi32>
  %qo_cb = tt.broadcast %qo_c : tensor<1x8xi32> -> tensor<16x8xi32>
  %qo = arith.addi %qo_rb, %qo_cb : tensor<16x8xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %qo : tensor<16x8x!tt.ptr<f32>>, tensor<16x8xi32>
  %v = tt.load %p : tensor<8x16x!tt.ptr<f32>>
  %w = tt.trans %v {order = array<i32: 1, 0>} : tensor<8x16xf32> -> tensor<16x8xf32>
  tt.store %q, %w : tensor<16x8x!tt.ptr<f32>>
  tt.return
}
