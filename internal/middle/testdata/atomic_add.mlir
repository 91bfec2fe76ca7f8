// Addition for each element that the mask admits; the old values are used.
// ARG: f32[64] normal
// ARG: f32[64] one
// ARG: f32[64] one
// ARG: i32 40

// CHECK-LABEL: func.func @atomic_add(
// CHECK-NOT: tensor<64xi1>
// CHECK: linalg.fill
// CHECK: scf.for
// CHECK: %[[O:.*]] = memref.atomic_rmw addf
// CHECK: memref.store %[[O]]
// CHECK: bufferization.to_tensor
tt.func public @atomic_add(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %n: i32) {
  %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %pr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %qr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %qr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %sr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %s_s = tt.splat %z : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %s = tt.addptr %s_s, %sr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %pr, %ns : tensor<64xi32>
  %o = tt.atomic_rmw fadd, acq_rel, gpu, %q, %v, %m : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, tensor<64xi1>) -> tensor<64xf32>
  tt.store %s, %o : tensor<64x!tt.ptr<f32>>
  tt.return
}
