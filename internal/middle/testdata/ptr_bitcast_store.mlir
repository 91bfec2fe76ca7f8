// The same for a store.
// ARG: i32[64] normal
// ARG: f32[64] zero

// CHECK-LABEL: func.func @ptr_bitcast_store(
// CHECK: arith.bitcast %{{.*}} : i32 to f32
// CHECK: memref.reinterpret_cast %y to {{.*}} : memref<*xf32>
tt.func public @ptr_bitcast_store(%x: !tt.ptr<i32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<i32>>
  %yi = tt.bitcast %y : !tt.ptr<f32> -> !tt.ptr<i32>
  %q_s = tt.splat %yi : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %q, %v : tensor<64x!tt.ptr<i32>>
  tt.return
}
