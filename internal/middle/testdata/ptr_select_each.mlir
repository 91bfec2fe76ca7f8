// Each element chooses between two bases: addresses.
// ARG: f32[32] normal
// ARG: f32[32] normal
// ARG: f32[32] zero
// ARG: i32[32] below 2

// CHECK-LABEL: func.func @ptr_select_each(
// CHECK-DAG: memref.extract_aligned_pointer_as_index %x
// CHECK-DAG: memref.extract_aligned_pointer_as_index %y
// CHECK: call @memory_at_f32
tt.func public @ptr_select_each(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %m: !tt.ptr<i32>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %px_s = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %px = tt.addptr %px_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %py_s = tt.splat %y : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %py = tt.addptr %py_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %pm_s = tt.splat %m : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %pm = tt.addptr %pm_s, %r : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %f = tt.load %pm : tensor<32x!tt.ptr<i32>>
  %zero = arith.constant dense<0> : tensor<32xi32>
  %c = arith.cmpi ne, %f, %zero : tensor<32xi32>
  %p = arith.select %c, %px, %py : tensor<32xi1>, tensor<32x!tt.ptr<f32>>
  %v = tt.load %p : tensor<32x!tt.ptr<f32>>
  %q_s = tt.splat %z : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %q, %v : tensor<32x!tt.ptr<f32>>
  tt.return
}
