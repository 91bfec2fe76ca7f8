// One vector after another.
// ARG: f32[64] normal
// ARG: f32[64] normal
// ARG: f32[128] zero

// CHECK-LABEL: func.func @shape_cat(
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0] [64] [1]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[64] [64] [1]
tt.func public @shape_cat(%x: !tt.ptr<f32>, %z: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %pr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %wr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %w_s = tt.splat %z : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %w = tt.addptr %w_s, %wr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %a = tt.load %p : tensor<64x!tt.ptr<f32>>
  %b = tt.load %w : tensor<64x!tt.ptr<f32>>
  %j = tt.cat %a, %b : tensor<64xf32> -> tensor<128xf32>
  %qr = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %qr : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %q, %j : tensor<128x!tt.ptr<f32>>
  tt.return
}
