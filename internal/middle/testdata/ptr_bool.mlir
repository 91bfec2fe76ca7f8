// Booleans take a byte in memory.
// ARG: i1[64] below 2
// ARG: i1[64] zero
// ARG: i32[64] zero

// CHECK-LABEL: func.func @ptr_bool(
// CHECK-SAME: %x: memref<*xi8>, %y: memref<*xi8>
// CHECK: arith.trunci %{{.*}} : i8 to i1
// CHECK: arith.extui %{{.*}} : i1 to i8
// CHECK: arith.extsi %{{.*}} : i8 to i32
tt.func public @ptr_bool(%x: !tt.ptr<i1>, %y: !tt.ptr<i1>, %z: !tt.ptr<i32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<i1> -> tensor<64x!tt.ptr<i1>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<i1>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<i1>>
  %q_s = tt.splat %y : !tt.ptr<i1> -> tensor<64x!tt.ptr<i1>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<i1>>, tensor<64xi32>
  tt.store %q, %v : tensor<64x!tt.ptr<i1>>
  %xb = tt.bitcast %x : !tt.ptr<i1> -> !tt.ptr<i8>
  %pb_s = tt.splat %xb : !tt.ptr<i8> -> tensor<64x!tt.ptr<i8>>
  %pb = tt.addptr %pb_s, %r : tensor<64x!tt.ptr<i8>>, tensor<64xi32>
  %b = tt.load %pb : tensor<64x!tt.ptr<i8>>
  %w = arith.extsi %b : tensor<64xi8> to tensor<64xi32>
  %s_s = tt.splat %z : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %s = tt.addptr %s_s, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %s, %w : tensor<64x!tt.ptr<i32>>
  tt.return
}
