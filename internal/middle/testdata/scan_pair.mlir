// Two values at once: a linear recurrence along the columns.
// ARG: f32[64] normal
// ARG: f32[64] normal
// ARG: f32[64] zero

// CHECK-LABEL: func.func @scan_pair(
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (f32, f32)
// CHECK: arith.mulf
// CHECK: arith.addf
tt.func public @scan_pair(%x: !tt.ptr<f32>, %z: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %pr = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %pc = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %pe = arith.constant 4 : i32
  %po_r = tt.expand_dims %pr {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %po_c = tt.expand_dims %pc {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %po_st = tt.splat %pe : i32 -> tensor<16x1xi32>
  %po_m = arith.muli %po_r, %po_st : tensor<16x1xi32>
  %po_rb = tt.broadcast %po_m : tensor<16x1xi32> -> tensor<16x4xi32>
  %po_cb = tt.broadcast %po_c : tensor<1x4xi32> -> tensor<16x4xi32>
  %po = arith.addi %po_rb, %po_cb : tensor<16x4xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<16x4x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %po : tensor<16x4x!tt.ptr<f32>>, tensor<16x4xi32>
  %wr = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %wc = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %we = arith.constant 4 : i32
  %wo_r = tt.expand_dims %wr {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %wo_c = tt.expand_dims %wc {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %wo_st = tt.splat %we : i32 -> tensor<16x1xi32>
  %wo_m = arith.muli %wo_r, %wo_st : tensor<16x1xi32>
  %wo_rb = tt.broadcast %wo_m : tensor<16x1xi32> -> tensor<16x4xi32>
  %wo_cb = tt.broadcast %wo_c : tensor<1x4xi32> -> tensor<16x4xi32>
  %wo = arith.addi %wo_rb, %wo_cb : tensor<16x4xi32>
  %w_s = tt.splat %z : !tt.ptr<f32> -> tensor<16x4x!tt.ptr<f32>>
  %w = tt.addptr %w_s, %wo : tensor<16x4x!tt.ptr<f32>>, tensor<16x4xi32>
  %qr = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %qc = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %qe = arith.constant 4 : i32
  %qo_r = tt.expand_dims %qr {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %qo_c = tt.expand_dims %qc {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %qo_st = tt.splat %qe : i32 -> tensor<16x1xi32>
  %qo_m = arith.muli %qo_r, %qo_st : tensor<16x1xi32>
  %qo_rb = tt.broadcast %qo_m : tensor<16x1xi32> -> tensor<16x4xi32>
  %qo_cb = tt.broadcast %qo_c : tensor<1x4xi32> -> tensor<16x4xi32>
  %qo = arith.addi %qo_rb, %qo_cb : tensor<16x4xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<16x4x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %qo : tensor<16x4x!tt.ptr<f32>>, tensor<16x4xi32>
  %v = tt.load %p : tensor<16x4x!tt.ptr<f32>>
  %u = tt.load %w : tensor<16x4x!tt.ptr<f32>>
  %h = arith.constant dense<0.25> : tensor<16x4xf32>
  %vh = arith.mulf %v, %h : tensor<16x4xf32>
  %s:2 = "tt.scan"(%vh, %u) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %ac = arith.mulf %a, %c : f32
    %bc = arith.mulf %b, %c : f32
    %e = arith.addf %bc, %d : f32
    tt.scan.return %ac, %e : f32, f32
  }) : (tensor<16x4xf32>, tensor<16x4xf32>) -> (tensor<16x4xf32>, tensor<16x4xf32>)
  tt.store %q, %s#1 : tensor<16x4x!tt.ptr<f32>>
  tt.return
}
