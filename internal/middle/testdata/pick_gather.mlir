// Elements picked along an axis.
// ARG: f32[128] normal
// ARG: i32[32] below 8
// ARG: f32[32] zero

// CHECK-LABEL: func.func @pick_gather(
// CHECK: linalg.generic
// CHECK: linalg.index 1
// CHECK: tensor.extract %{{.*}} : tensor<8x16xf32>
tt.func public @pick_gather(%x: !tt.ptr<f32>, %t: !tt.ptr<i32>, %y: !tt.ptr<f32>) {
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
  %v = tt.load %p : tensor<8x16x!tt.ptr<f32>>
  %tpr = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %tpc = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %tpe = arith.constant 16 : i32
  %tpo_r = tt.expand_dims %tpr {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
  %tpo_c = tt.expand_dims %tpc {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %tpo_st = tt.splat %tpe : i32 -> tensor<2x1xi32>
  %tpo_m = arith.muli %tpo_r, %tpo_st : tensor<2x1xi32>
  %tpo_rb = tt.broadcast %tpo_m : tensor<2x1xi32> -> tensor<2x16xi32>
  %tpo_cb = tt.broadcast %tpo_c : tensor<1x16xi32> -> tensor<2x16xi32>
  %tpo = arith.addi %tpo_rb, %tpo_cb : tensor<2x16xi32>
  %tp_s = tt.splat %t : !tt.ptr<i32> -> tensor<2x16x!tt.ptr<i32>>
  %tp = tt.addptr %tp_s, %tpo : tensor<2x16x!tt.ptr<i32>>, tensor<2x16xi32>
  %i = tt.load %tp : tensor<2x16x!tt.ptr<i32>>
  %g = tt.gather %v[%i] {axis = 0 : i32} : (tensor<8x16xf32>, tensor<2x16xi32>) -> tensor<2x16xf32>
  %qr = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %qc = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %qe = arith.constant 16 : i32
  %qo_r = tt.expand_dims %qr {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
  %qo_c = tt.expand_dims %qc {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %qo_st = tt.splat %qe : i32 -> tensor<2x1xi32>
  %qo_m = arith.muli %qo_r, %qo_st : tensor<2x1xi32>
  %qo_rb = tt.broadcast %qo_m : tensor<2x1xi32> -> tensor<2x16xi32>
  %qo_cb = tt.broadcast %qo_c : tensor<1x16xi32> -> tensor<2x16xi32>
  %qo = arith.addi %qo_rb, %qo_cb : tensor<2x16xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<2x16x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %qo : tensor<2x16x!tt.ptr<f32>>, tensor<2x16xi32>
  tt.store %q, %g : tensor<2x16x!tt.ptr<f32>>
  tt.return
}
