// With enable-make-gather-scatter=false what is data along a dimension stays; so does a mask from below.
// PASSES: triton-to-structured{enable-make-gather-scatter=false},canonicalize,cse

// CHECK-LABEL: tt.func public @stay(
// CHECK: %[[I:.*]] = "tts.load"
// CHECK: tt.addptr %{{.*}}, %[[I]]
// CHECK: tt.load %{{.*}} : tensor<4x!tt.ptr<f32>>
// CHECK: tt.store
// CHECK-NOT: gather
tt.func public @stay(%x: !tt.ptr<f32>, %i: !tt.ptr<i32>, %n: i32) {
  %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %is = tt.splat %i : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %ip = tt.addptr %is, %r : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
  %at = tt.load %ip : tensor<4x!tt.ptr<i32>>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %p = tt.addptr %xs, %at : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  %v = tt.load %p : tensor<4x!tt.ptr<f32>>
  %q = tt.addptr %xs, %r : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  %ns = tt.splat %n : i32 -> tensor<4xi32>
  %mask = arith.cmpi sge, %r, %ns : tensor<4xi32>
  tt.store %q, %v, %mask : tensor<4x!tt.ptr<f32>>
  tt.return
}
