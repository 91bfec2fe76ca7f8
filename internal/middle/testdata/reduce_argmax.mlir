// The place of the largest: two values at once, from the first elements on.
// ARG: f32[128] normal
// ARG: i32[8] zero

// CHECK-LABEL: func.func @reduce_argmax(
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [8, 1] [1, 1] : tensor<8x16xf32> to tensor<8xf32>
// CHECK: tensor.extract_slice %{{.*}}[0, 1] [8, 15] [1, 1]
// CHECK: linalg.reduce ins(%{{.*}}, %{{.*}} : tensor<8x15xf32>, tensor<8x15xi32>) outs(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xi32>) dimensions = [1]
// CHECK: arith.cmpf ogt
tt.func public @reduce_argmax(%x: !tt.ptr<f32>, %y: !tt.ptr<i32>) {
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
  %ce = tt.expand_dims %pc {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %cb = tt.broadcast %ce : tensor<1x16xi32> -> tensor<8x16xi32>
  %s:2 = "tt.reduce"(%v, %cb) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %gt = arith.cmpf ogt, %a, %b : f32
    %eq = arith.cmpf oeq, %a, %b : f32
    %lt = arith.cmpi slt, %i, %j : i32
    %tie = arith.andi %eq, %lt : i1
    %k = arith.ori %gt, %tie : i1
    %m = arith.select %k, %a, %b : f32
    %n = arith.select %k, %i, %j : i32
    tt.reduce.return %m, %n : f32, i32
  }) : (tensor<8x16xf32>, tensor<8x16xi32>) -> (tensor<8xf32>, tensor<8xi32>)
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %q_s = tt.splat %y : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %q = tt.addptr %q_s, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %q, %s#1 : tensor<8x!tt.ptr<i32>>
  tt.return
}
