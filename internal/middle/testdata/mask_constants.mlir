// Bounds that are known: the parts have known sizes.
// ARG: f32[64] normal
// ARG: f32[64] one

// CHECK-LABEL: func.func @mask_constants(
// CHECK: memref.subview %{{.*}}[11] [39] [1] : memref<64xf32, strided<[1]>> to memref<39xf32, strided<[1], offset: 11>>
// CHECK: memref.copy
tt.func public @mask_constants(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %hi = arith.constant dense<50> : tensor<64xi32>
  %lo = arith.constant dense<10> : tensor<64xi32>
  %a = arith.cmpi slt, %r, %hi : tensor<64xi32>
  %b = arith.cmpi sgt, %r, %lo : tensor<64xi32>
  %m = arith.andi %a, %b : tensor<64xi1>
  %o = arith.constant dense<-3.0> : tensor<64xf32>
  %v = tt.load %p, %m, %o : tensor<64x!tt.ptr<f32>>
  %w = arith.addf %v, %v : tensor<64xf32>
  tt.store %q, %w, %m : tensor<64x!tt.ptr<f32>>
  tt.return
}
