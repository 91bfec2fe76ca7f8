// A mask that was loaded.
// ARG: f32[64] normal
// ARG: f32[64] one
// ARG: i32[64] below 2

// CHECK-LABEL: func.func @mask_data(
// CHECK: scf.for
// CHECK: tensor.extract
// CHECK: scf.if
// CHECK: memref.load
// CHECK: scf.for
// CHECK: tensor.extract
// CHECK: scf.if
// CHECK: memref.store
tt.func public @mask_data(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %f: !tt.ptr<i32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %fp_s = tt.splat %f : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %fp = tt.addptr %fp_s, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %fl = tt.load %fp : tensor<64x!tt.ptr<i32>>
  %z = arith.constant dense<0> : tensor<64xi32>
  %m = arith.cmpi ne, %fl, %z : tensor<64xi32>
  %o = arith.constant dense<-3.0> : tensor<64xf32>
  %v = tt.load %p, %m, %o : tensor<64x!tt.ptr<f32>>
  tt.store %q, %v, %m : tensor<64x!tt.ptr<f32>>
  tt.return
}
