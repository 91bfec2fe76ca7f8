// Bits of floats are set: memory is seen as integers, and what was there is a float again.
// NORUN: the interpreter has no bit operations on floats

// CHECK-LABEL: func.func @atomic_or_float(
// CHECK: call @memory_at_i32
// CHECK: memref.atomic_rmw ori {{.*}} : (i32, memref<1xi32
// CHECK: arith.bitcast {{.*}} : i32 to f32
tt.func public @atomic_or_float(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %m = arith.constant dense<true> : tensor<64xi1>
  %old = tt.atomic_rmw or, relaxed, gpu, %q, %v, %m : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, tensor<64xi1>) -> tensor<64xf32>
  %o_s = tt.splat %z : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %o = tt.addptr %o_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %o, %old : tensor<64x!tt.ptr<f32>>
  tt.return
}
