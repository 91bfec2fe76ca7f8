// Bits.
// ARG: i32[128] normal
// ARG: i32[8] zero

// CHECK-LABEL: func.func @reduce_xor(
// CHECK: linalg.reduce { arith.xori }
tt.func public @reduce_xor(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
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
  %p_s = tt.splat %x : !tt.ptr<i32> -> tensor<8x16x!tt.ptr<i32>>
  %p = tt.addptr %p_s, %po : tensor<8x16x!tt.ptr<i32>>, tensor<8x16xi32>
  %v = tt.load %p : tensor<8x16x!tt.ptr<i32>>
  %s = "tt.reduce"(%v) <{axis = 1 : i32}> ({
    ^bb0(%l: i32, %h: i32):
    %t = arith.xori %l, %h : i32
    tt.reduce.return %t : i32
  }) : (tensor<8x16xi32>) -> tensor<8xi32>
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %q_s = tt.splat %y : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %q = tt.addptr %q_s, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %q, %s : tensor<8x!tt.ptr<i32>>
  tt.return
}
