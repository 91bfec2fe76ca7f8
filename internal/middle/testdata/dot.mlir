// A product of f16, summed in f32.
// ARG: f16[512] normal
// ARG: f16[512] normal
// ARG: f32[256] one

// CHECK-LABEL: func.func @dot(
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<16x32xf16>, tensor<32x16xf16>) outs(%{{.*}} : tensor<16x16xf32>) -> tensor<16x16xf32>
tt.func public @dot(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %y: !tt.ptr<f32>) {
  %par = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %pac = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %pae = arith.constant 32 : i32
  %pao_r = tt.expand_dims %par {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %pao_c = tt.expand_dims %pac {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %pao_st = tt.splat %pae : i32 -> tensor<16x1xi32>
  %pao_m = arith.muli %pao_r, %pao_st : tensor<16x1xi32>
  %pao_rb = tt.broadcast %pao_m : tensor<16x1xi32> -> tensor<16x32xi32>
  %pao_cb = tt.broadcast %pao_c : tensor<1x32xi32> -> tensor<16x32xi32>
  %pao = arith.addi %pao_rb, %pao_cb : tensor<16x32xi32>
  %pa_s = tt.splat %a : !tt.ptr<f16> -> tensor<16x32x!tt.ptr<f16>>
  %pa = tt.addptr %pa_s, %pao : tensor<16x32x!tt.ptr<f16>>, tensor<16x32xi32>
  %pbr = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %pbc = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %pbe = arith.constant 16 : i32
  %pbo_r = tt.expand_dims %pbr {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %pbo_c = tt.expand_dims %pbc {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %pbo_st = tt.splat %pbe : i32 -> tensor<32x1xi32>
  %pbo_m = arith.muli %pbo_r, %pbo_st : tensor<32x1xi32>
  %pbo_rb = tt.broadcast %pbo_m : tensor<32x1xi32> -> tensor<32x16xi32>
  %pbo_cb = tt.broadcast %pbo_c : tensor<1x16xi32> -> tensor<32x16xi32>
  %pbo = arith.addi %pbo_rb, %pbo_cb : tensor<32x16xi32>
  %pb_s = tt.splat %b : !tt.ptr<f16> -> tensor<32x16x!tt.ptr<f16>>
  %pb = tt.addptr %pb_s, %pbo : tensor<32x16x!tt.ptr<f16>>, tensor<32x16xi32>
  %pcr = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %pcc = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %pce = arith.constant 16 : i32
  %pco_r = tt.expand_dims %pcr {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %pco_c = tt.expand_dims %pcc {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %pco_st = tt.splat %pce : i32 -> tensor<16x1xi32>
  %pco_m = arith.muli %pco_r, %pco_st : tensor<16x1xi32>
  %pco_rb = tt.broadcast %pco_m : tensor<16x1xi32> -> tensor<16x16xi32>
  %pco_cb = tt.broadcast %pco_c : tensor<1x16xi32> -> tensor<16x16xi32>
  %pco = arith.addi %pco_rb, %pco_cb : tensor<16x16xi32>
  %pc_s = tt.splat %y : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %pc = tt.addptr %pc_s, %pco : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  %va = tt.load %pa : tensor<16x32x!tt.ptr<f16>>
  %vb = tt.load %pb : tensor<32x16x!tt.ptr<f16>>
  %vc = tt.load %pc : tensor<16x16x!tt.ptr<f32>>
  %d = tt.dot %va, %vb, %vc : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
  tt.store %pc, %d : tensor<16x16x!tt.ptr<f32>>
  tt.return
}
