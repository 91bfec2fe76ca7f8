// Other is a range.
// ARG: i32[64] normal
// ARG: i32[64] one
// ARG: i32 37

// CHECK-LABEL: func.func @mask_other_counted(
// CHECK: linalg.generic
// CHECK: linalg.index 0
// CHECK: scf.if
// CHECK: bufferization.materialize_in_destination
tt.func public @mask_other_counted(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %v = tt.load %p, %m, %r : tensor<64x!tt.ptr<i32>>
  tt.store %q, %v : tensor<64x!tt.ptr<i32>>
  tt.return
}
