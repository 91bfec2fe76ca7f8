// A loop that turns over the mask it carries: the next one is the condition and not the first again. A mask and
// its negation together leave out all elements.
// ARG: f32[64] normal
// ARG: f32[64] zero
// ARG: f32[64] zero
// ARG: i32 50

// CHECK-LABEL: func.func @for_mask_turned(
// CHECK: scf.for %{{.*}} iter_args(%[[C:.*]] = %{{.*}}, %{{.*}}) -> (i1, tensor<64xf32>)
tt.func public @for_mask_turned(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %w: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %u_s = tt.splat %w : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %u = tt.addptr %u_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v0 = arith.constant 0 : i32
  %v1 = arith.constant 1 : i32
  %v5 = arith.constant 5 : i32
  %z = arith.constant dense<0.0> : tensor<64xf32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %two = arith.constant dense<2.0> : tensor<64xf32>
  %t = arith.constant dense<true> : tensor<64xi1>
  %c0 = arith.cmpi sgt, %n, %v0 : i32
  %m0 = tt.splat %c0 : i1 -> tensor<64xi1>
  %a:2 = scf.for %i = %v0 to %v5 step %v1 iter_args(%m = %m0, %acc = %z) -> (tensor<64xi1>, tensor<64xf32>) : i32 {
    %v = tt.load %p, %m, %one : tensor<64x!tt.ptr<f32>>
    %d = arith.mulf %acc, %two : tensor<64xf32>
    %s = arith.addf %d, %v : tensor<64xf32>
    %mn = arith.xori %m, %t : tensor<64xi1>
    scf.yield %mn, %s : tensor<64xi1>, tensor<64xf32>
  }
  tt.store %q, %a#1 : tensor<64x!tt.ptr<f32>>
  %n0 = arith.xori %m0, %t : tensor<64xi1>
  %none = arith.andi %m0, %n0 : tensor<64xi1>
  %l = tt.load %p, %none, %two : tensor<64x!tt.ptr<f32>>
  tt.store %u, %l : tensor<64x!tt.ptr<f32>>
  tt.return
}
