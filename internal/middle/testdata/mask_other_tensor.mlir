// Other is a tensor: it is copied first.
// ARG: f32[64] normal
// ARG: f32[64] normal
// ARG: f32[64] one
// ARG: i32 37

// CHECK-LABEL: func.func @mask_other_tensor(
// CHECK: scf.if
// CHECK: bufferization.materialize_in_destination %{{.*}} in writable %[[B:.*]] :
// CHECK: }
// CHECK: memref.subview %[[B]]
// CHECK: memref.copy
tt.func public @mask_other_tensor(%x: !tt.ptr<f32>, %z: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %zp_s = tt.splat %z : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %zp = tt.addptr %zp_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %o = tt.load %zp : tensor<64x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %v = tt.load %p, %m, %o : tensor<64x!tt.ptr<f32>>
  tt.store %q, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}
