// A block of one element.
// ARG: f32[4] normal
// ARG: f32[4] one
// ARG: i32 2

// CHECK-LABEL: func.func @mask_unit(
// CHECK: arith.select
// CHECK: memref.copy
tt.func public @mask_unit(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 2 : i32, start = 1 : i32} : tensor<1xi32>
  %ns = tt.splat %n : i32 -> tensor<1xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<1xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<1x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<1x!tt.ptr<f32>>, tensor<1xi32>
  %o = arith.constant dense<9.0> : tensor<1xf32>
  %v = tt.load %p, %m, %o : tensor<1x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<1x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<1x!tt.ptr<f32>>, tensor<1xi32>
  tt.store %q, %v, %m : tensor<1x!tt.ptr<f32>>
  tt.return
}
