// Rows that wrap around: the shape is where, in memory. What is added afterwards goes to the other dimension.
// PASSES: triton-to-structured,canonicalize,cse

// CHECK-LABEL: tt.func public @wrap(
// CHECK-DAG: %[[W:.*]] = arith.index_cast %w : i32 to index
// CHECK-DAG: %[[M:.*]] = arith.index_cast %m : i32 to index
// CHECK-DAG: %[[O:.*]] = arith.index_cast %o : i32 to index
// CHECK-DAG: %[[A:.*]] = arith.muli %[[W]], %c2 : index
// CHECK-DAG: %[[E:.*]] = arith.muli {{.*}} : index
// CHECK: tts.make_tptr %x to sizes: [4, 8], strides: [%[[W]], 1], offsets: [%[[A]], %[[O]]], shape: [%{{.*}}, 0], order: []
tt.func public @wrap(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %w: i32, %m: i32, %o: i32) {
  %two = arith.constant dense<2> : tensor<4xi32>
  %s8 = arith.constant dense<8> : tensor<4x1xi32>
  %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %c = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %from = arith.addi %r, %two : tensor<4xi32>
  %ms = tt.splat %m : i32 -> tensor<4xi32>
  %in = arith.remsi %from, %ms : tensor<4xi32>
  %rows = tt.expand_dims %in {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %ws = tt.splat %w : i32 -> tensor<4x1xi32>
  %far = arith.muli %rows, %ws : tensor<4x1xi32>
  %far2 = tt.broadcast %far : tensor<4x1xi32> -> tensor<4x8xi32>
  %cols = tt.expand_dims %c {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %near = tt.broadcast %cols : tensor<1x8xi32> -> tensor<4x8xi32>
  %at = arith.addi %far2, %near : tensor<4x8xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4x8x!tt.ptr<f32>>
  %p = tt.addptr %xs, %at : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi32>
  %os = tt.splat %o : i32 -> tensor<4x8xi32>
  %p2 = tt.addptr %p, %os : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi32>
  %v = tt.load %p2 : tensor<4x8x!tt.ptr<f32>>
  %plain = tt.expand_dims %r {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %to = arith.muli %plain, %s8 : tensor<4x1xi32>
  %to2 = tt.broadcast %to : tensor<4x1xi32> -> tensor<4x8xi32>
  %dst = arith.addi %to2, %near : tensor<4x8xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<4x8x!tt.ptr<f32>>
  %q = tt.addptr %ys, %dst : tensor<4x8x!tt.ptr<f32>>, tensor<4x8xi32>
  tt.store %q, %v : tensor<4x8x!tt.ptr<f32>>
  tt.return
}
