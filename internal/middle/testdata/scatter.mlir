// A store to places that were loaded, under a mask.
// ARG: f32[64] normal
// ARG: i32[64] iota
// ARG: f32[200] zero
// ARG: i32 40

// CHECK-LABEL: func.func @scatter(
// CHECK: scf.for %[[I:.*]] = %c0 to %{{.*}}
// CHECK: arith.muli %{{.*}}, %c3
// CHECK: memref.reinterpret_cast %y
// CHECK: tensor.extract
// CHECK: memref.store
tt.func public @scatter(%x: !tt.ptr<f32>, %t: !tt.ptr<i32>, %y: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %tp_s = tt.splat %t : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %tp = tt.addptr %tp_s, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %i = tt.load %tp : tensor<64x!tt.ptr<i32>>
  %k = arith.constant dense<3> : tensor<64xi32>
  %j = arith.muli %i, %k : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %j : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %v, %m : tensor<64x!tt.ptr<f32>>
  tt.return
}
