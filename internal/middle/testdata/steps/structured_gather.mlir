// Rows that a tensor picks, under a mask of its own: even along the columns.
// PASSES: triton-to-structured,canonicalize,cse

// CHECK-LABEL: tt.func public @pick(
// CHECK: %[[I:.*]] = "tts.load"
// CHECK: tts.make_gather_scatter_tptr %x to sizes: [4, 8] gather_scatter_dim: 0 gather_scatter_offset: %[[I]] gather_scatter_mask: %{{.*}}, strides: [8, 1], offsets: [0, 0] : tensor<4xi32> tensor<4xi1> <f32> to tensor<4x8x!tt.ptr<f32>>
tt.func public @pick(%x: !tt.ptr<f32>, %i: !tt.ptr<i32>, %y: !tt.ptr<f32>) {
  %zero = arith.constant dense<0> : tensor<4xi32>
  %w = arith.constant dense<8> : tensor<4x1xi32>
  %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %c = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %is = tt.splat %i : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %ip = tt.addptr %is, %r : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
  %rows = tt.load %ip : tensor<4x!tt.ptr<i32>>
  %ok = arith.cmpi sge, %rows, %zero : tensor<4xi32>
  %rows2 = tt.expand_dims %rows {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %far = arith.muli %rows2, %w : tensor<4x1xi32>
  %far2 = tt.broadcast %far : tensor<4x1xi32> -> tensor<4x8xi32>
  %cols = tt.expand_dims %c {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %near = tt.broadcast %cols : tensor<1x8xi32> -> tensor<4x8xi32>
  %at = arith.addi %far2, %near : tensor<4x8xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4x8x!tt.ptr<f32>>
  %p = tt.addptr %xs, %at : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi32>
  %ok2 = tt.expand_dims %ok {axis = 1 : i32} : tensor<4xi1> -> tensor<4x1xi1>
  %mask = tt.broadcast %ok2 : tensor<4x1xi1> -> tensor<4x8xi1>
  %v = tt.load %p, %mask : tensor<4x8x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<4x8x!tt.ptr<f32>>
  %q = tt.addptr %ys, %at : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi32>
  tt.store %q, %v, %mask : tensor<4x8x!tt.ptr<f32>>
  tt.return
}
