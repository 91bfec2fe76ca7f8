// Steps that are added one after another.
// ARG: f32[300] normal
// ARG: f32[64] zero
// ARG: i32 11

// CHECK-LABEL: func.func @ptr_chain(
// CHECK: %[[N:.*]] = arith.index_cast %n
// CHECK: %[[O:.*]] = arith.muli %[[N]], %c2 : index
// CHECK: memref.reinterpret_cast %x to offset: [%[[O]]], sizes: [64], strides: [2]
tt.func public @ptr_chain(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %b = tt.addptr %x, %n : !tt.ptr<f32>, i32
  %p_s = tt.splat %b : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %p2 = tt.addptr %p, %ns : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %p3 = tt.addptr %p2, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p3 : tensor<64x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}
