// A count of numbers, some masked.
// ARG: i32[64] below 20
// ARG: i32[16] zero

// CHECK-LABEL: func.func @pick_histogram(
// CHECK: linalg.fill
// CHECK: scf.for
// CHECK: scf.if
// CHECK: memref.load
// CHECK: arith.addi
// CHECK: memref.store
tt.func public @pick_histogram(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %p = tt.addptr %p_s, %pr : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<i32>>
  %k = arith.constant dense<16> : tensor<64xi32>
  %m = arith.cmpi slt, %v, %k : tensor<64xi32>
  %h = tt.histogram %v, %m : tensor<64xi32> -> tensor<16xi32>
  %qr = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %q_s = tt.splat %y : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %q = tt.addptr %q_s, %qr : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  tt.store %q, %h : tensor<16x!tt.ptr<i32>>
  tt.return
}
