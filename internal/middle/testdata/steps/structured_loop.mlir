// A pointer that moves in a loop: the loop carries its offset, and no pointers.
// PASSES: triton-to-structured,canonicalize,cse

// CHECK-LABEL: tt.func public @sum(
// CHECK: scf.for %{{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[O:.*]] = %c0_0) -> (tensor<8xf32>, index)
// CHECK: tts.make_tptr %x to sizes: [8], strides: [1], offsets: [%[[O]]], shape: [0], order: []
// CHECK: %[[N:.*]] = arith.addi %[[O]], %c8 : index
// CHECK: scf.yield %{{.*}}, %[[N]] : tensor<8xf32>, index
// CHECK: tts.make_tptr %y to sizes: [8], strides: [1], offsets: [0]
tt.func public @sum(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %eight = arith.constant dense<8> : tensor<8xi32>
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %s:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %p) -> (tensor<8xf32>, tensor<8x!tt.ptr<f32>>) : i32 {
    %v = tt.load %at : tensor<8x!tt.ptr<f32>>
    %t = arith.addf %acc, %v : tensor<8xf32>
    %next = tt.addptr %at, %eight : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    scf.yield %t, %next : tensor<8xf32>, tensor<8x!tt.ptr<f32>>
  }
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %q = tt.addptr %ys, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %q, %s#0 : tensor<8x!tt.ptr<f32>>
  tt.return
}
