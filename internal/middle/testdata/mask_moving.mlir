// A bound less what the loop has passed.
// ARG: f32[200] normal
// ARG: f32[64] zero
// ARG: i32 170

// CHECK-LABEL: func.func @mask_moving(
// CHECK-NOT: tensor<64xi
// CHECK: %[[N:.*]] = arith.index_cast %n
// CHECK: scf.for %[[I:.*]] = %v0
// CHECK: %[[J:.*]] = arith.index_cast %[[I]]
// CHECK: arith.subi %[[N]], %[[J]]
// CHECK: memref.reinterpret_cast %x to offset: [%[[J]]]
tt.func public @mask_moving(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %z = arith.constant dense<0.0> : tensor<64xf32>
  %v0 = arith.constant 0 : i32
  %v64 = arith.constant 64 : i32
  %a = scf.for %i = %v0 to %n step %v64 iter_args(%acc = %z) -> (tensor<64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<64xi32>
    %o = arith.addi %is, %r : tensor<64xi32>
    %ns = tt.splat %n : i32 -> tensor<64xi32>
    %m = arith.cmpi slt, %o, %ns : tensor<64xi32>
    %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %p = tt.addptr %p_s, %o : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %v = tt.load %p, %m, %z : tensor<64x!tt.ptr<f32>>
    %s = arith.addf %acc, %v : tensor<64xf32>
    scf.yield %s : tensor<64xf32>
  }
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %a : tensor<64x!tt.ptr<f32>>
  tt.return
}
