// A condition and a bound.
// ARG: f32[64] normal
// ARG: f32[64] one
// ARG: i32 37
// ARG: i32 4

// CHECK-LABEL: func.func @mask_splat_and_bound(
// CHECK-NOT: tensor<64xi1>
// CHECK: arith.select %{{.*}}, %c0 : index
// CHECK: memref.copy
tt.func public @mask_splat_and_bound(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32, %l: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %c = arith.cmpi sgt, %n, %l : i32
  %cs = tt.splat %c : i1 -> tensor<64xi1>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %b = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %m = arith.andi %cs, %b : tensor<64xi1>
  %o = arith.constant dense<-3.0> : tensor<64xf32>
  %v = tt.load %p, %m, %o : tensor<64x!tt.ptr<f32>>
  %w = arith.addf %v, %v : tensor<64xf32>
  tt.store %q, %w, %m : tensor<64x!tt.ptr<f32>>
  tt.return
}
