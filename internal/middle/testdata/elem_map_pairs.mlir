// A function of two neighbours at once.
// ARG: i32[64] normal
// ARG: i32[64] zero

// CHECK-LABEL: func.func @elem_map_pairs(
// CHECK: tensor.expand_shape %{{.*}} : tensor<64xi32> into tensor<32x2xi32>
// CHECK: scf.for
// CHECK: tensor.extract
// CHECK: tensor.extract
// CHECK: arith.addi
// CHECK: arith.subi
// CHECK: memref.store
tt.func public @elem_map_pairs(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %p = tt.addptr %p_s, %pr : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %qr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %q = tt.addptr %q_s, %qr : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<i32>>
  %w = "tt.map_elementwise"(%v) <{pack = 2 : i32}> ({
    ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    %d = arith.subi %a, %b : i32
    tt.map_elementwise.return %s, %d : i32, i32
  }) : (tensor<64xi32>) -> tensor<64xi32>
  tt.store %q, %w : tensor<64x!tt.ptr<i32>>
  tt.return
}
