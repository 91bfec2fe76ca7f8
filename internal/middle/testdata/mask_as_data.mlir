// A mask for a load and for a choice: a bound for the one, booleans for the other.
// ARG: f32[64] normal
// ARG: f32[64] one
// ARG: i32 37

// CHECK-LABEL: func.func @mask_as_data(
// CHECK-DAG: arith.minsi
// CHECK-DAG: arith.cmpi slt, %{{.*}}, %n : i32
// CHECK: memref.copy
// CHECK: linalg.generic
// CHECK: arith.select
tt.func public @mask_as_data(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %v = tt.load %p, %m : tensor<64x!tt.ptr<f32>>
  %o = arith.constant dense<5.0> : tensor<64xf32>
  %w = arith.select %m, %v, %o : tensor<64xi1>, tensor<64xf32>
  tt.store %q, %w : tensor<64x!tt.ptr<f32>>
  tt.return
}
