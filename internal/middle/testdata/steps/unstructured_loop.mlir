// Offsets instead of pointers, also where a loop carries them; an offset by itself keeps its width, a sum has
// 64 bits.
// PASSES: triton-to-unstructured,canonicalize,cse

// CHECK-LABEL: tt.func public @walk(
// CHECK-NOT: tt.addptr
// CHECK: %[[S:.*]] = tts.gather %i[%r] : (<i32>, tensor<8xi32>) -> tensor<8xi32>
// CHECK: %[[I:.*]] = arith.extsi %[[S]] : tensor<8xi32> to tensor<8xi64>
// CHECK: scf.for %{{.*}} iter_args(%[[O:.*]] = %[[I]]) -> (tensor<8xi64>)
// CHECK: %[[V:.*]] = tts.gather %x[%[[O]]] mask = %m default = %{{.*}} : (<f32>, tensor<8xi64>) -> tensor<8xf32>
// CHECK: tts.scatter %[[V]] into %y[%r] : tensor<8xf32> into (<f32>, tensor<8xi32>)
// CHECK: tts.scatter %{{.*}} into %y[%c0] : f32 into (<f32>, i32)
tt.func public @walk(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %i: !tt.ptr<i32>, %m: tensor<8xi1>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : f32
  %ones = arith.constant dense<1.0> : tensor<8xf32>
  %eight = arith.constant dense<8> : tensor<8xi32>
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %is = tt.splat %i : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %ip = tt.addptr %is, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  %start = tt.load %ip : tensor<8x!tt.ptr<i32>>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %p = tt.addptr %xs, %start : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %q = tt.addptr %ys, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %s = scf.for %k = %c0 to %n step %c1 iter_args(%at = %p) -> (tensor<8x!tt.ptr<f32>>) : i32 {
    %v = tt.load %at, %m, %ones : tensor<8x!tt.ptr<f32>>
    tt.store %q, %v : tensor<8x!tt.ptr<f32>>
    %next = tt.addptr %at, %eight : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    scf.yield %next : tensor<8x!tt.ptr<f32>>
  }
  tt.store %y, %one : !tt.ptr<f32>
  tt.return
}
