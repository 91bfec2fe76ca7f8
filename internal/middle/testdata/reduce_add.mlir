// A sum along rows.
// ARG: f32[128] normal
// ARG: f32[8] zero

// CHECK-LABEL: func.func @reduce_add(
// CHECK: %[[Z:.*]] = arith.constant -0.000000e+00 : f32
// CHECK: linalg.fill ins(%[[Z]] : f32) outs(%{{.*}} : tensor<8xf32>)
// CHECK: linalg.reduce { arith.addf } ins(%{{.*}} : tensor<8x16xf32>) outs(%{{.*}} : tensor<8xf32>) dimensions = [1]
tt.func public @reduce_add(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
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
  %s = "tt.reduce"(%v) <{axis = 1 : i32}> ({
    ^bb0(%l: f32, %h: f32):
    %t = arith.addf %l, %h : f32
    tt.reduce.return %t : f32
  }) : (tensor<8x16xf32>) -> tensor<8xf32>
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %q, %s : tensor<8x!tt.ptr<f32>>
  tt.return
}
