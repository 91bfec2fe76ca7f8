// A masked copy of rows: strides and offsets by dimension, the mask as lengths.
// PASSES: triton-to-structured,canonicalize,cse

// CHECK-LABEL: tt.func public @rows(
// CHECK: %[[W:.*]] = arith.index_cast %w : i32 to index
// CHECK: %[[O:.*]] = arith.index_cast %o : i32 to index
// CHECK: %[[P:.*]] = tts.make_tptr %x to sizes: [4, 16], strides: [%[[W]], 1], offsets: [0, %[[O]]], shape: [0, 0], order: [] : <f32> to tensor<4x16x!tt.ptr<f32>>
// CHECK: %[[N:.*]] = arith.index_cast %n : i32 to index
// CHECK: %[[M:.*]] = arith.minsi %[[N]], %c4 : index
// CHECK: %[[L:.*]] = arith.maxsi %[[M]], %c0 : index
// CHECK: %[[V:.*]] = "tts.load"(%[[P]], %[[L]], %{{.*}}) <{operandSegmentSizes = array<i32: 1, 1, 1>, static_mask_dims = array<i64: -9223372036854775808, 16>}>
// CHECK: tts.make_tptr %y to sizes: [4, 16], strides: [16, 1], offsets: [0, 0]
// CHECK: "tts.store"(%{{.*}}, %[[V]]) <{static_mask_dims = array<i64>}>
// CHECK-NOT: tt.addptr
tt.func public @rows(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %w: i32, %o: i32, %n: i32) {
  %one = arith.constant dense<1.0> : tensor<4x16xf32>
  %s16 = arith.constant dense<16> : tensor<4x1xi32>
  %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %c = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %os = tt.splat %o : i32 -> tensor<16xi32>
  %cols = arith.addi %c, %os : tensor<16xi32>
  %cols2 = tt.expand_dims %cols {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %ws = tt.splat %w : i32 -> tensor<4x1xi32>
  %far = arith.muli %rows, %ws : tensor<4x1xi32>
  %far2 = tt.broadcast %far : tensor<4x1xi32> -> tensor<4x16xi32>
  %near = tt.broadcast %cols2 : tensor<1x16xi32> -> tensor<4x16xi32>
  %at = arith.addi %far2, %near : tensor<4x16xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4x16x!tt.ptr<f32>>
  %p = tt.addptr %xs, %at : tensor<4x16x!tt.ptr<f32>>, tensor<4x16xi32>
  %ns = tt.splat %n : i32 -> tensor<4x1xi32>
  %in = arith.cmpi slt, %rows, %ns : tensor<4x1xi32>
  %mask = tt.broadcast %in : tensor<4x1xi1> -> tensor<4x16xi1>
  %v = tt.load %p, %mask, %one : tensor<4x16x!tt.ptr<f32>>
  %to = arith.muli %rows, %s16 : tensor<4x1xi32>
  %to2 = tt.broadcast %to : tensor<4x1xi32> -> tensor<4x16xi32>
  %c2 = tt.expand_dims %c {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %c3 = tt.broadcast %c2 : tensor<1x16xi32> -> tensor<4x16xi32>
  %dst = arith.addi %to2, %c3 : tensor<4x16xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<4x16x!tt.ptr<f32>>
  %q = tt.addptr %ys, %dst : tensor<4x16x!tt.ptr<f32>>, tensor<4x16xi32>
  tt.store %q, %v : tensor<4x16x!tt.ptr<f32>>
  tt.return
}
