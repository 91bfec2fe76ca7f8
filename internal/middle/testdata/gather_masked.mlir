// Indices and a mask, both data, and other.
// ARG: f32[100] normal
// ARG: i32[64] below 130
// ARG: f32[64] zero

// CHECK-LABEL: func.func @gather_masked(
// CHECK: linalg.fill
// CHECK: scf.for
// CHECK: scf.if
// CHECK: memref.load
tt.func public @gather_masked(%x: !tt.ptr<f32>, %t: !tt.ptr<i32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %tp_s = tt.splat %t : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %tp = tt.addptr %tp_s, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %i = tt.load %tp : tensor<64x!tt.ptr<i32>>
  %k = arith.constant dense<100> : tensor<64xi32>
  %m = arith.cmpi slt, %i, %k : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %o = arith.constant dense<-1.0> : tensor<64xf32>
  %v = tt.load %p, %m, %o : tensor<64x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}
