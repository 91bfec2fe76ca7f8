// Pointers to elements of another width begin anew at their address.
// ARG: i32[64] normal
// ARG: i16[64] zero

// CHECK-LABEL: func.func @ptr_bitcast_width(
// CHECK: %[[A:.*]] = memref.extract_aligned_pointer_as_index %x
// CHECK: %[[B:.*]] = call @memory_at_i16(%{{.*}}) : (i64) -> memref<?xi16>
// CHECK: %[[M:.*]] = memref.cast %[[B]] : memref<?xi16> to memref<*xi16>
// CHECK: memref.reinterpret_cast %[[M]] to offset: [0], sizes: [64], strides: [1]
// CHECK: func.func private @memory_at_i16(
// CHECK: llvm.inttoptr
tt.func public @ptr_bitcast_width(%x: !tt.ptr<i32>, %y: !tt.ptr<i16>) {
  %k = arith.constant 5 : i32
  %b = tt.addptr %x, %k : !tt.ptr<i32>, i32
  %h = tt.bitcast %b : !tt.ptr<i32> -> !tt.ptr<i16>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %h : !tt.ptr<i16> -> tensor<64x!tt.ptr<i16>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<i16>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<i16>>
  %q_s = tt.splat %y : !tt.ptr<i16> -> tensor<64x!tt.ptr<i16>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<i16>>, tensor<64xi32>
  tt.store %q, %v : tensor<64x!tt.ptr<i16>>
  tt.return
}
