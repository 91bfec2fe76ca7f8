// Assertions, of a scalar and of each element.
// ARG: i32[64] below 9
// ARG: i32 5

// CHECK-LABEL: func.func @flow_assert(
// CHECK: scf.for
// CHECK: cf.assert %{{.*}}, "large"
// CHECK: cf.assert %{{.*}}, "n"
tt.func public @flow_assert(%x: !tt.ptr<i32>, %n: i32) {
  %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %p = tt.addptr %p_s, %pr : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<i32>>
  %k = arith.constant dense<9> : tensor<64xi32>
  %m = arith.cmpi slt, %v, %k : tensor<64xi32>
  tt.assert %m, "large" : tensor<64xi1>
  %z = arith.constant 0 : i32
  %c = arith.cmpi sgt, %n, %z : i32
  tt.assert %c, "n" : i1
  tt.return
}
