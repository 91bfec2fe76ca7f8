// A loop that carries a mask with a condition for all elements: the condition is carried, the bound is not.
// ARG: f32[64] normal
// ARG: f32[64] zero
// ARG: i32 50

// CHECK-LABEL: func.func @for_mask_condition(
// CHECK-NOT: tensor<64xi1>
// CHECK: scf.for %{{.*}} iter_args(%[[C:.*]] = %{{.*}}, %{{.*}}) -> (i1, tensor<64xf32>)
tt.func public @for_mask_condition(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v0 = arith.constant 0 : i32
  %v1 = arith.constant 1 : i32
  %v4 = arith.constant 4 : i32
  %z = arith.constant dense<0.0> : tensor<64xf32>
  %c0 = arith.cmpi sgt, %n, %v0 : i32
  %c0s = tt.splat %c0 : i1 -> tensor<64xi1>
  %m0 = arith.andi %m, %c0s : tensor<64xi1>
  %a:2 = scf.for %i = %v0 to %v4 step %v1 iter_args(%mm = %m0, %acc = %z) -> (tensor<64xi1>, tensor<64xf32>) : i32 {
    %v = tt.load %p, %mm, %z : tensor<64x!tt.ptr<f32>>
    %s = arith.addf %acc, %v : tensor<64xf32>
    %c = arith.cmpi slt, %i, %v1 : i32
    %cs = tt.splat %c : i1 -> tensor<64xi1>
    %mn = arith.andi %m, %cs : tensor<64xi1>
    scf.yield %mn, %s : tensor<64xi1>, tensor<64xf32>
  }
  tt.store %q, %a#1, %m : tensor<64x!tt.ptr<f32>>
  tt.return
}
