// A loop that carries a mask: its bound is carried.
// ARG: f32[64] normal
// ARG: f32[64] zero
// ARG: i32 50

// CHECK-LABEL: func.func @for_mask(
// CHECK-NOT: tensor<64xi1>
// CHECK: %[[E:.*]]:2 = scf.for %{{.*}} iter_args(%[[B:.*]] = %{{.*}}, %{{.*}}) -> (index, tensor<64xf32>)
// CHECK: arith.minsi %[[B]], %c64
// CHECK: }
// CHECK: arith.minsi %[[E]]#0, %c64
tt.func public @for_mask(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
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
  %t10 = arith.constant 10 : i32
  %a:2 = scf.for %i = %v0 to %v4 step %v1 iter_args(%mm = %m, %acc = %z) -> (tensor<64xi1>, tensor<64xf32>) : i32 {
    %v = tt.load %p, %mm, %z : tensor<64x!tt.ptr<f32>>
    %s = arith.addf %acc, %v : tensor<64xf32>
    %i10 = arith.muli %i, %t10 : i32
    %e = arith.subi %n, %i10 : i32
    %es = tt.splat %e : i32 -> tensor<64xi32>
    %mn = arith.cmpi slt, %r, %es : tensor<64xi32>
    scf.yield %mn, %s : tensor<64xi1>, tensor<64xf32>
  }
  tt.store %q, %a#1, %a#0 : tensor<64x!tt.ptr<f32>>
  tt.return
}
