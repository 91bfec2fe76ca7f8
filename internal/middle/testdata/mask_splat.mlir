// One condition for all: nothing, or everything.
// ARG: f32[64] normal
// ARG: f32[64] one
// ARG: i32 37
// ARG: i32 40

// CHECK-LABEL: func.func @mask_splat(
// CHECK: %[[C:.*]] = arith.cmpi sgt, %n, %l
// CHECK: %[[N:.*]] = arith.select %[[C]], %c64, %c0 : index
// CHECK: memref.subview %{{.*}}[0] [%[[N]]] [1]
tt.func public @mask_splat(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32, %l: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %c = arith.cmpi sgt, %n, %l : i32
  %m = tt.splat %c : i1 -> tensor<64xi1>
  %o = arith.constant dense<-3.0> : tensor<64xf32>
  %v = tt.load %p, %m, %o : tensor<64x!tt.ptr<f32>>
  %w = arith.addf %v, %v : tensor<64xf32>
  tt.store %q, %w, %m : tensor<64x!tt.ptr<f32>>
  tt.return
}
