// Between two bounds.
// ARG: f32[64] normal
// ARG: f32[64] one
// ARG: i32 37
// ARG: i32 12

// CHECK-LABEL: func.func @mask_interval(
// CHECK-NOT: tensor<64xi1>
// CHECK-DAG: arith.index_cast %n
// CHECK-DAG: arith.index_cast %l
// CHECK: arith.subi
// CHECK: memref.subview %{{.*}}[%{{.*}}] [%{{.*}}] [1]
// CHECK: memref.copy
tt.func public @mask_interval(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32, %l: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %ls = tt.splat %l : i32 -> tensor<64xi32>
  %a = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %b = arith.cmpi sge, %r, %ls : tensor<64xi32>
  %m = arith.andi %a, %b : tensor<64xi1>
  %o = arith.constant dense<-3.0> : tensor<64xf32>
  %v = tt.load %p, %m, %o : tensor<64x!tt.ptr<f32>>
  %w = arith.addf %v, %v : tensor<64xf32>
  tt.store %q, %w, %m : tensor<64x!tt.ptr<f32>>
  tt.return
}
