// A loop that may not run at all.
// ARG: f32[64] normal
// ARG: f32[64] zero
// ARG: i32 0

// CHECK-LABEL: func.func @for_none(
// CHECK: %[[E:.*]] = scf.for %{{.*}} iter_args(%{{.*}} = %c0) -> (index)
// CHECK: memref.reinterpret_cast %x to offset: [%[[E]]]
tt.func public @for_none(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %k = arith.constant dense<64> : tensor<64xi32>
  %v0 = arith.constant 0 : i32
  %v1 = arith.constant 1 : i32
  %a = scf.for %i = %v0 to %n step %v1 iter_args(%pp = %p) -> (tensor<64x!tt.ptr<f32>>) : i32 {
    %pn = tt.addptr %pp, %k : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %pn : tensor<64x!tt.ptr<f32>>
  }
  %v = tt.load %a : tensor<64x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}
