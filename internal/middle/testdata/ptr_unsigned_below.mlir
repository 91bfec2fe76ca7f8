// Unsigned offsets that begin below zero: after the largest number comes 0.
// ARG: f32[64] normal
// ARG: f32[64] zero
// ARG: i64 -5

// CHECK-LABEL: func.func @ptr_unsigned_below(
// CHECK-NOT: memref.reinterpret_cast %x to offset: [{{.*}}], sizes: [64]
// CHECK: memref.reinterpret_cast %y
tt.func public @ptr_unsigned_below(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i64) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %wide = arith.extsi %r : tensor<64xi32> to tensor<64xi64>
  %ns = tt.splat %n : i64 -> tensor<64xi64>
  %sum = arith.addi %wide, %ns : tensor<64xi64>
  %i = arith.trunci %sum : tensor<64xi64> to tensor<64xi32>
  %top = arith.constant dense<64> : tensor<64xi32>
  %m = arith.cmpi ult, %i, %top : tensor<64xi32>
  %w = arith.extui %i : tensor<64xi32> to tensor<64xi64>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %w : tensor<64x!tt.ptr<f32>>, tensor<64xi64>
  %other = arith.constant dense<7.0> : tensor<64xf32>
  %v = tt.load %p, %m, %other : tensor<64x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}
