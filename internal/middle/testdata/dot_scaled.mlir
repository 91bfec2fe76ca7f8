// Microscaled formats: two elements in a byte, times powers of two.
// ARG: i8[512] below 128
// ARG: i8[32] below 128
// ARG: bf16[1024] normal
// ARG: f32[256] zero

// CHECK-LABEL: func.func @dot_scaled(
// CHECK: linalg.generic
// CHECK: tensor.extract
// CHECK: arith.bitcast %{{.*}} : i32 to f32
// CHECK: linalg.matmul
tt.func public @dot_scaled(%a: !tt.ptr<i8>, %as: !tt.ptr<i8>, %b: !tt.ptr<bf16>, %y: !tt.ptr<f32>) {
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
  %pa_s = tt.splat %a : !tt.ptr<i8> -> tensor<16x32x!tt.ptr<i8>>
  %pa = tt.addptr %pa_s, %pao : tensor<16x32x!tt.ptr<i8>>, tensor<16x32xi32>
  %psr = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %psc = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %pse = arith.constant 2 : i32
  %pso_r = tt.expand_dims %psr {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %pso_c = tt.expand_dims %psc {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
  %pso_st = tt.splat %pse : i32 -> tensor<16x1xi32>
  %pso_m = arith.muli %pso_r, %pso_st : tensor<16x1xi32>
  %pso_rb = tt.broadcast %pso_m : tensor<16x1xi32> -> tensor<16x2xi32>
  %pso_cb = tt.broadcast %pso_c : tensor<1x2xi32> -> tensor<16x2xi32>
  %pso = arith.addi %pso_rb, %pso_cb : tensor<16x2xi32>
  %ps_s = tt.splat %as : !tt.ptr<i8> -> tensor<16x2x!tt.ptr<i8>>
  %ps = tt.addptr %ps_s, %pso : tensor<16x2x!tt.ptr<i8>>, tensor<16x2xi32>
  %pbr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %pbc = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %pbe = arith.constant 16 : i32
  %pbo_r = tt.expand_dims %pbr {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %pbo_c = tt.expand_dims %pbc {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %pbo_st = tt.splat %pbe : i32 -> tensor<64x1xi32>
  %pbo_m = arith.muli %pbo_r, %pbo_st : tensor<64x1xi32>
  %pbo_rb = tt.broadcast %pbo_m : tensor<64x1xi32> -> tensor<64x16xi32>
  %pbo_cb = tt.broadcast %pbo_c : tensor<1x16xi32> -> tensor<64x16xi32>
  %pbo = arith.addi %pbo_rb, %pbo_cb : tensor<64x16xi32>
  %pb_s = tt.splat %b : !tt.ptr<bf16> -> tensor<64x16x!tt.ptr<bf16>>
  %pb = tt.addptr %pb_s, %pbo : tensor<64x16x!tt.ptr<bf16>>, tensor<64x16xi32>
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
  %va = tt.load %pa : tensor<16x32x!tt.ptr<i8>>
  %vs = tt.load %ps : tensor<16x2x!tt.ptr<i8>>
  %vb = tt.load %pb : tensor<64x16x!tt.ptr<bf16>>
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot_scaled %va scale %vs, %vb, %z lhs = e2m1 rhs = bf16 {fastMath = false} : tensor<16x32xi8>, tensor<16x2xi8> * tensor<64x16xbf16> -> tensor<16x16xf32>
  tt.store %pc, %d : tensor<16x16x!tt.ptr<f32>>
  tt.return
}
