// Atomic addition through a descriptor.
// ARG: f32[100] one

// CHECK-LABEL: func.func @descriptor_add(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: memref.atomic_rmw addf
tt.func public @descriptor_add(%y: !tt.ptr<f32>) {
  %m = arith.constant 10 : i32
  %n = arith.constant 10 : i32
  %nw = arith.constant 10 : i64
  %s1 = arith.constant 1 : i64
  %five = arith.constant 5 : i32
  %v = arith.constant dense<2.5> : tensor<16x8xf32>
  %d = tt.make_tensor_descriptor %y, [%m, %n], [%nw, %s1] : !tt.ptr<f32>, !tt.tensordesc<tensor<16x8xf32>>
  tt.descriptor_reduce add, %d[%five, %five], %v : !tt.tensordesc<tensor<16x8xf32>>, tensor<16x8xf32>
  tt.return
}
