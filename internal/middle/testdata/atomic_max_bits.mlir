// The largest float, by the order of its bits: memory is seen as integers.
// ARG: f32[64] below 50
// ARG: f32[1] one

// CHECK-LABEL: func.func @atomic_max_bits(
// CHECK: memref.extract_aligned_pointer_as_index %y
// CHECK: call @memory_at_i32
// CHECK: memref.atomic_rmw maxs
tt.func public @atomic_max_bits(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %pr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %b = tt.bitcast %v : tensor<64xf32> -> tensor<64xi32>
  %yi = tt.bitcast %y : !tt.ptr<f32> -> !tt.ptr<i32>
  %q = tt.splat %yi : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %m = arith.constant dense<true> : tensor<64xi1>
  %r = tt.atomic_rmw max, relaxed, gpu, %q, %b, %m : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xi32>
  tt.return
}
