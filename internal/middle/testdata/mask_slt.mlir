// Below a bound: the sub-view ends there, the rest is filled.
// ARG: f32[64] normal
// ARG: f32[64] one
// ARG: i32 37

// CHECK-LABEL: func.func @mask_slt(
// CHECK-NOT: tensor<64xi1>
// CHECK: %[[N:.*]] = arith.index_cast %n
// CHECK: %[[A:.*]] = arith.minsi %[[N]], %c64
// CHECK: %[[E:.*]] = arith.maxsi %[[A]], %c0
// CHECK: %[[S:.*]] = arith.cmpi slt, %[[E]], %c64
// CHECK: scf.if %[[S]] {
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : memref<64xf32>)
// CHECK: memref.subview %{{.*}}[0] [%[[E]]] [1]
// CHECK: memref.copy
// CHECK: tensor.extract_slice %{{.*}}[0] [%[[E]]] [1] : tensor<64xf32> to tensor<?xf32>
// CHECK: bufferization.materialize_in_destination
tt.func public @mask_slt(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %o = arith.constant dense<-3.0> : tensor<64xf32>
  %v = tt.load %p, %m, %o : tensor<64x!tt.ptr<f32>>
  %w = arith.addf %v, %v : tensor<64xf32>
  tt.store %q, %w, %m : tensor<64x!tt.ptr<f32>>
  tt.return
}
