// Not below a bound, written the other way round.
// ARG: f32[64] normal
// ARG: f32[64] one
// ARG: i32 37

// CHECK-LABEL: func.func @mask_sge(
// CHECK: %[[N:.*]] = arith.index_cast %n
// CHECK: arith.maxsi %[[N]], %c0
// CHECK: memref.subview %{{.*}}[%{{.*}}] [%{{.*}}] [1]
tt.func public @mask_sge(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi sle, %ns, %r : tensor<64xi32>
  %o = arith.constant dense<-3.0> : tensor<64xf32>
  %v = tt.load %p, %m, %o : tensor<64x!tt.ptr<f32>>
  %w = arith.addf %v, %v : tensor<64xf32>
  tt.store %q, %w, %m : tensor<64x!tt.ptr<f32>>
  tt.return
}
