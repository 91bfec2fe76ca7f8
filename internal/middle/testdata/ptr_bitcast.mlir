// Pointers to other elements of the same width: the values are cast.
// ARG: f32[64] normal
// ARG: i32[64] zero

// CHECK-LABEL: func.func @ptr_bitcast(
// CHECK: memref.reinterpret_cast %x to {{.*}} : memref<*xf32>
// CHECK: arith.bitcast %{{.*}} : f32 to i32
tt.func public @ptr_bitcast(%x: !tt.ptr<f32>, %y: !tt.ptr<i32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %c = tt.bitcast %p : tensor<64x!tt.ptr<f32>> -> tensor<64x!tt.ptr<i32>>
  %v = tt.load %c : tensor<64x!tt.ptr<i32>>
  %q_s = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %q, %v : tensor<64x!tt.ptr<i32>>
  tt.return
}
