// A choice between pointers is one between the beginnings of their sources, in the type of the choice.
// PASSES: triton-to-structured,canonicalize,cse

// CHECK-LABEL: tt.func public @choice(
// CHECK-SAME: %[[X:[a-z]+]]: !tt.ptr<f32>, %[[Y:[a-z]+]]: !tt.ptr<i32>, %[[O:[a-z]+]]: !tt.ptr<f32>, %[[C:[a-z]+]]: i1
// CHECK-NOT: tt.bitcast
// CHECK: %[[YF:.*]] = tt.bitcast %[[Y]] : !tt.ptr<i32> -> !tt.ptr<f32>
// CHECK-NOT: tt.bitcast
// CHECK: %[[P:.*]] = arith.select %[[C]], %[[X]], %[[YF]] : !tt.ptr<f32>
// CHECK-NOT: tt.bitcast
// CHECK: tts.make_tptr %[[P]] to sizes: [16]
// CHECK: "tts.load"
tt.func public @choice(%x: !tt.ptr<f32>, %y: !tt.ptr<i32>, %o: !tt.ptr<f32>, %c: i1) {
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %yf = tt.bitcast %y : !tt.ptr<i32> -> !tt.ptr<f32>
  %p = arith.select %c, %x, %yf : !tt.ptr<f32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %at = tt.addptr %ps, %i : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %v = tt.load %at : tensor<16x!tt.ptr<f32>>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %to = tt.addptr %os, %i : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  tt.store %to, %v : tensor<16x!tt.ptr<f32>>
  tt.return
}
