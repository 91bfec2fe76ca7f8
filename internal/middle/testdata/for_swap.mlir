// Two buffers change places: the loop carries both.
// ARG: f32[32] normal
// ARG: f32[32] normal
// ARG: i32 5

// CHECK-LABEL: func.func @for_swap(
// CHECK: scf.for %{{.*}} iter_args(%[[P:.*]] = %x, %[[Q:.*]] = %y) -> (memref<*xf32>, memref<*xf32>)
// CHECK: memref.reinterpret_cast %[[P]]
// CHECK: memref.reinterpret_cast %[[Q]]
// CHECK: scf.yield %[[Q]], %[[P]]
tt.func public @for_swap(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %v0 = arith.constant 0 : i32
  %v1 = arith.constant 1 : i32
  %a:2 = scf.for %i = %v0 to %n step %v1 iter_args(%pp = %p, %qq = %q) -> (tensor<32x!tt.ptr<f32>>, tensor<32x!tt.ptr<f32>>) : i32 {
    %v = tt.load %pp : tensor<32x!tt.ptr<f32>>
    %w = tt.load %qq : tensor<32x!tt.ptr<f32>>
    %s = arith.addf %v, %w : tensor<32xf32>
    tt.store %qq, %s : tensor<32x!tt.ptr<f32>>
    scf.yield %qq, %pp : tensor<32x!tt.ptr<f32>>, tensor<32x!tt.ptr<f32>>
  }
  tt.return
}
