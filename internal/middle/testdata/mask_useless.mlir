// A bound that excludes nothing.
// ARG: f32[64] normal
// ARG: f32[64] one

// CHECK-LABEL: func.func @mask_useless(
// CHECK-NOT: memref.subview
// CHECK-NOT: linalg.fill
// CHECK: memref.copy
tt.func public @mask_useless(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %hi = arith.constant dense<64> : tensor<64xi32>
  %m = arith.cmpi slt, %r, %hi : tensor<64xi32>
  %o = arith.constant dense<-3.0> : tensor<64xf32>
  %v = tt.load %p, %m, %o : tensor<64x!tt.ptr<f32>>
  %w = arith.addf %v, %v : tensor<64xf32>
  tt.store %q, %w, %m : tensor<64x!tt.ptr<f32>>
  tt.return
}
