// Printing calls the runtime, with a buffer for each operand.
// NORUN: printing is the runtime's

// CHECK-LABEL: func.func @flow_print(
// CHECK: memref.get_global @text_0 : memref<8xi8>
// CHECK: call @nereid_print_f32(
// CHECK: call @nereid_print_i32(
// CHECK: memref.get_global @text_1
// CHECK: call @nereid_print(
// CHECK-DAG: func.func private @nereid_print_f32(memref<*xi8>, memref<*xf32>, i32, i32, i1, i1, i32, i32, i32) attributes {llvm.emit_c_interface}
// CHECK-DAG: memref.global "private" constant @text_0 : memref<8xi8>
tt.func public @flow_print(%x: !tt.ptr<f32>, %n: i32) {
  %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %pr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  tt.print "values: " {hex = false, isSigned = array<i32: 0, 1>} : %v, %n : tensor<64xf32>, i32
  tt.print "done" {hex = false, isSigned = array<i32>}
  tt.return
}
