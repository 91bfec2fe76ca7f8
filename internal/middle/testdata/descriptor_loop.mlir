// Descriptors in nested loops: tiles of one tensor are added to tiles of another.
// ARG: f32[600] normal
// ARG: f32[600] normal
// ARG: i32 30
// ARG: i32 20

// CHECK-LABEL: func.func @descriptor_loop(
// CHECK-NOT: tensor<16x8xi
// CHECK: scf.for
// CHECK: scf.for
// CHECK: memref.copy
// CHECK: memref.copy
// CHECK: materialize_in_destination
tt.func public @descriptor_loop(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %m: i32, %n: i32) {
  %nw = arith.extsi %n : i32 to i64
  %s1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %c16 = arith.constant 16 : i32
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%nw, %s1] : !tt.ptr<f32>, !tt.tensordesc<tensor<16x8xf32>>
  %e = tt.make_tensor_descriptor %y, [%m, %n], [%nw, %s1] : !tt.ptr<f32>, !tt.tensordesc<tensor<16x8xf32>>
  scf.for %i = %c0 to %m step %c16 : i32 {
    scf.for %j = %c0 to %n step %c8 : i32 {
      %v = tt.descriptor_load %d[%i, %j] : !tt.tensordesc<tensor<16x8xf32>> -> tensor<16x8xf32>
      %w = tt.descriptor_load %e[%i, %j] : !tt.tensordesc<tensor<16x8xf32>> -> tensor<16x8xf32>
      %t = arith.addf %v, %w : tensor<16x8xf32>
      tt.descriptor_store %e[%i, %j], %t : !tt.tensordesc<tensor<16x8xf32>>, tensor<16x8xf32>
    }
  }
  tt.return
}
