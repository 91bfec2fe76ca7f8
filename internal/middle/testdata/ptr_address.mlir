// An address as an integer, and back.
// ARG: f32[64] normal
// ARG: f32[32] zero

// CHECK-LABEL: func.func @ptr_address(
// CHECK: memref.extract_aligned_pointer_as_index %x
// CHECK: call @memory_at_f32
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [32], strides: [1]
tt.func public @ptr_address(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %a = tt.ptr_to_int %x : !tt.ptr<f32> -> i64
  %k = arith.constant 40 : i64
  %b = arith.addi %a, %k : i64
  %p = tt.int_to_ptr %b : i64 -> !tt.ptr<f32>
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %pp_s = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %pp = tt.addptr %pp_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %v = tt.load %pp : tensor<32x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %q, %v : tensor<32x!tt.ptr<f32>>
  tt.return
}
