// A function of scalars.
// ARG: i32[64] normal
// ARG: i32[64] zero

// CHECK-LABEL: func.func @elem_map(
// CHECK: linalg.generic
// CHECK: arith.muli
// CHECK: arith.addi
tt.func public @elem_map(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %p = tt.addptr %p_s, %pr : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %qr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %q = tt.addptr %q_s, %qr : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<i32>>
  %w = "tt.map_elementwise"(%v) <{pack = 1 : i32}> ({
    ^bb0(%a: i32):
    %b = arith.muli %a, %a : i32
    %z = arith.constant 3 : i32
    %d = arith.addi %b, %z : i32
    tt.map_elementwise.return %d : i32
  }) : (tensor<64xi32>) -> tensor<64xi32>
  tt.store %q, %w : tensor<64x!tt.ptr<i32>>
  tt.return
}
