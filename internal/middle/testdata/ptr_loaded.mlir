// Pointers that lie in memory.
// ARG: f32[32] normal
// ARG: f32[32] zero
// ARG: i64[1] zero

// CHECK-LABEL: func.func @ptr_loaded(
// CHECK: %[[A:.*]] = memref.load %{{.*}} : memref<1xi64
// CHECK: call @memory_at_f32(%[[A]])
tt.func public @ptr_loaded(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %t: !tt.ptr<i64>) {
  %a = tt.ptr_to_int %x : !tt.ptr<f32> -> i64
  tt.store %t, %a : !tt.ptr<i64>
  %tt = tt.bitcast %t : !tt.ptr<i64> -> !tt.ptr<!tt.ptr<f32>>
  %p = tt.load %tt : !tt.ptr<!tt.ptr<f32>>
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %pp_s = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %pp = tt.addptr %pp_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %v = tt.load %pp : tensor<32x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %q, %v : tensor<32x!tt.ptr<f32>>
  %z = arith.constant 0 : i64
  tt.store %t, %z : !tt.ptr<i64>
  tt.return
}
