// A load before a store to the same place keeps what it read.
// ARG: f32[64] normal

// CHECK-LABEL: func.func @flow_order(
// CHECK: memref.copy
// CHECK: arith.negf
// CHECK: bufferization.materialize_in_destination
// CHECK: memref.copy
// CHECK: arith.mulf
// CHECK: bufferization.materialize_in_destination
tt.func public @flow_order(%x: !tt.ptr<f32>) {
  %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %pr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %a = tt.load %p : tensor<64x!tt.ptr<f32>>
  %b = arith.negf %a : tensor<64xf32>
  tt.store %p, %b : tensor<64x!tt.ptr<f32>>
  %d = tt.load %p : tensor<64x!tt.ptr<f32>>
  %s = arith.mulf %a, %d : tensor<64xf32>
  tt.store %p, %s : tensor<64x!tt.ptr<f32>>
  tt.return
}
