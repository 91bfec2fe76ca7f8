// A window that slides over the beginning: indices below zero are zero. In a loop, the place where the lines meet is what changes.
// ARG: f32[64] normal
// ARG: f32[16] zero
// ARG: i32 6

// CHECK-LABEL: func.func @split_max_loop(
// CHECK: scf.for
// CHECK-NOT: tensor.extract
// CHECK: memref.copy
// CHECK: memref.copy
tt.func public @split_max_loop(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<16xi32>
  %none = arith.constant dense<0.0> : tensor<16xf32>
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %ps = tt.splat %x : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %none) -> (tensor<16xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<16xi32>
    %back = arith.subi %r, %is : tensor<16xi32>
    %at = arith.maxsi %back, %zero : tensor<16xi32>
    %p = tt.addptr %ps, %at : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
    %v = tt.load %p : tensor<16x!tt.ptr<f32>>
    %t = arith.addf %s, %v : tensor<16xf32>
    scf.yield %t : tensor<16xf32>
  }
  %qs = tt.splat %y : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %q = tt.addptr %qs, %r : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  tt.store %q, %sum : tensor<16x!tt.ptr<f32>>
  tt.return
}
