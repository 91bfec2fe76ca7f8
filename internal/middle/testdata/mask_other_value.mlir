// Other is computed, one for all.
// ARG: f32[64] normal
// ARG: f32[64] one
// ARG: i32 37
// ARG: f32 1.5

// CHECK-LABEL: func.func @mask_other_value(
// CHECK: %[[B:.*]] = arith.mulf %a, %a
// CHECK: linalg.fill ins(%[[B]] : f32)
tt.func public @mask_other_value(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32, %a: f32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %b = arith.mulf %a, %a : f32
  %bs = tt.splat %b : f32 -> tensor<64xf32>
  %v = tt.load %p, %m, %bs : tensor<64x!tt.ptr<f32>>
  tt.store %q, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}
