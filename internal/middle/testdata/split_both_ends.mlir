// Indices are kept between two bounds, so there are pieces before, within and behind; the mask cuts off some of each. The same indices
// are data as well.
// ARG: f32[64] normal
// ARG: f32[64] zero
// ARG: i32[64] zero
// ARG: i32 5
// ARG: i32 40

// CHECK-LABEL: func.func @split_both_ends(
// CHECK: linalg.generic
// CHECK: arith.select
// CHECK: memref.copy {{.*}}strided<[0]
// CHECK: memref.copy
// CHECK: memref.copy {{.*}}strided<[0]
tt.func public @split_both_ends(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<i32>, %lo: i32, %hi: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %los = tt.splat %lo : i32 -> tensor<64xi32>
  %his = tt.splat %hi : i32 -> tensor<64xi32>
  %c1 = arith.constant dense<1> : tensor<64xi32>
  %c60 = arith.constant dense<60> : tensor<64xi32>
  %ge = arith.cmpi sge, %r, %los : tensor<64xi32>
  %lt = arith.cmpi slt, %r, %his : tensor<64xi32>
  %in = arith.andi %ge, %lt : tensor<64xi1>
  %i = arith.select %in, %r, %los : tensor<64xi1>, tensor<64xi32>
  %m0 = arith.cmpi sge, %r, %c1 : tensor<64xi32>
  %m1 = arith.cmpi slt, %r, %c60 : tensor<64xi32>
  %m = arith.andi %m0, %m1 : tensor<64xi1>
  %ps = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %ps, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p, %m : tensor<64x!tt.ptr<f32>>
  %qs = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %qs, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %v : tensor<64x!tt.ptr<f32>>
  %os = tt.splat %z : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %o = tt.addptr %os, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %o, %i : tensor<64x!tt.ptr<i32>>
  tt.return
}
