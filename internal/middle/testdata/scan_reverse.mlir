// From the end.
// ARG: i32[64] normal
// ARG: i32[64] zero

// CHECK-LABEL: func.func @scan_reverse(
// CHECK: arith.subi %c15
// CHECK: arith.addi
tt.func public @scan_reverse(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %pr = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %pc = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %pe = arith.constant 16 : i32
  %po_r = tt.expand_dims %pr {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %po_c = tt.expand_dims %pc {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %po_st = tt.splat %pe : i32 -> tensor<4x1xi32>
  %po_m = arith.muli %po_r, %po_st : tensor<4x1xi32>
  %po_rb = tt.broadcast %po_m : tensor<4x1xi32> -> tensor<4x16xi32>
  %po_cb = tt.broadcast %po_c : tensor<1x16xi32> -> tensor<4x16xi32>
  %po = arith.addi %po_rb, %po_cb : tensor<4x16xi32>
  %p_s = tt.splat %x : !tt.ptr<i32> -> tensor<4x16x!tt.ptr<i32>>
  %p = tt.addptr %p_s, %po : tensor<4x16x!tt.ptr<i32>>, tensor<4x16xi32>
  %qr = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %qc = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %qe = arith.constant 16 : i32
  %qo_r = tt.expand_dims %qr {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %qo_c = tt.expand_dims %qc {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %qo_st = tt.splat %qe : i32 -> tensor<4x1xi32>
  %qo_m = arith.muli %qo_r, %qo_st : tensor<4x1xi32>
  %qo_rb = tt.broadcast %qo_m : tensor<4x1xi32> -> tensor<4x16xi32>
  %qo_cb = tt.broadcast %qo_c : tensor<1x16xi32> -> tensor<4x16xi32>
  %qo = arith.addi %qo_rb, %qo_cb : tensor<4x16xi32>
  %q_s = tt.splat %y : !tt.ptr<i32> -> tensor<4x16x!tt.ptr<i32>>
  %q = tt.addptr %q_s, %qo : tensor<4x16x!tt.ptr<i32>>, tensor<4x16xi32>
  %v = tt.load %p : tensor<4x16x!tt.ptr<i32>>
  %s = "tt.scan"(%v) <{axis = 1 : i32, reverse = true}> ({
    ^bb0(%l: i32, %h: i32):
    %t = arith.addi %l, %h : i32
    tt.scan.return %t : i32
  }) : (tensor<4x16xi32>) -> tensor<4x16xi32>
  tt.store %q, %s : tensor<4x16x!tt.ptr<i32>>
  tt.return
}
