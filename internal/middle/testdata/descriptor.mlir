// Loads and stores through descriptors: all boundaries count.
// ARG: f32[600] normal
// ARG: f32[600] one
// ARG: i32 24
// ARG: i32 14

// CHECK-LABEL: func.func @descriptor(
// CHECK-NOT: tensor<16x8xi1>
// CHECK: memref.subview
// CHECK: memref.copy
// CHECK: bufferization.materialize_in_destination
tt.func public @descriptor(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %a: i32, %b: i32) {
  %m = arith.constant 30 : i32
  %n = arith.constant 20 : i32
  %nw = arith.constant 20 : i64
  %s1 = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%nw, %s1] : !tt.ptr<f32>, !tt.tensordesc<tensor<16x8xf32>>
  %f = tt.make_tensor_descriptor %y, [%m, %n], [%nw, %s1] : !tt.ptr<f32>, !tt.tensordesc<tensor<16x8xf32>>
  %v = tt.descriptor_load %d[%a, %b] : !tt.tensordesc<tensor<16x8xf32>> -> tensor<16x8xf32>
  %z = arith.constant 0 : i32
  tt.descriptor_store %f[%z, %b], %v : !tt.tensordesc<tensor<16x8xf32>>, tensor<16x8xf32>
  tt.return
}
