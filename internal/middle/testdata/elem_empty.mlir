// A tensor whose elements are anything stays one.
// NORUN: the interpreter has no such tensors

// CHECK-LABEL: func.func @elem_empty(
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4x4xi1>
// CHECK: tensor.extract %[[E]]
// CHECK: cf.assert %{{.*}}, "message"
tt.func public @elem_empty() {
  %0 = tensor.empty() : tensor<4x4xi1>
  tt.assert %0, "message" : tensor<4x4xi1>
  tt.return
}
