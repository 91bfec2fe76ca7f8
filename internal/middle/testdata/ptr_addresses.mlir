// Tensors of addresses: each element is fetched from its own.
// ARG: f32[64] normal
// ARG: f32[32] zero

// CHECK-LABEL: func.func @ptr_addresses(
// CHECK: scf.for
// CHECK: %[[A:.*]] = tensor.extract %{{.*}} : tensor<32xi64>
// CHECK: call @memory_at_f32(%[[A]])
// CHECK: memref.load
tt.func public @ptr_addresses(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %a = tt.ptr_to_int %x : !tt.ptr<f32> -> i64
  %as = tt.splat %a : i64 -> tensor<32xi64>
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %k = arith.constant dense<4> : tensor<32xi32>
  %m = arith.muli %r, %k : tensor<32xi32>
  %w = arith.extsi %m : tensor<32xi32> to tensor<32xi64>
  %b = arith.addi %as, %w : tensor<32xi64>
  %p = tt.int_to_ptr %b : tensor<32xi64> -> tensor<32x!tt.ptr<f32>>
  %v = tt.load %p : tensor<32x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %q, %v : tensor<32x!tt.ptr<f32>>
  tt.return
}
