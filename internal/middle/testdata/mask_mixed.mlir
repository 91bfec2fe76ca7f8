// Comparisons of numbers that wrap around, as random ones do, are no bounds of the index: with a large factor, with
// factors whose product is 0, and from a large number on.
// GRID: 2, 1, 1
// ARG: f32[64] normal
// ARG: f32[384] zero
// ARG: i32 7

// CHECK-LABEL: func.func @mask_mixed(
// CHECK: arith.cmpi sgt, %{{.*}} : i32
// CHECK: arith.cmpi eq, %{{.*}} : i32
// CHECK: arith.cmpi slt, %{{.*}} : i32
tt.func public @mask_mixed(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %pid = tt.get_program_id x : i32
  %c192 = arith.constant 192 : i32
  %at = arith.muli %pid, %c192 : i32
  %out = tt.addptr %y, %at : !tt.ptr<f32>, i32
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %zero = arith.constant dense<0> : tensor<64xi32>
  %c64 = arith.constant dense<64> : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %other = arith.constant dense<5.0> : tensor<64xf32>
  %q_s = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q0 = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %q1 = tt.addptr %q0, %c64 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %q2 = tt.addptr %q1, %c64 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %sum = arith.addi %n, %pid : i32
  %ns = tt.splat %sum : i32 -> tensor<64xi32>
  %i = arith.addi %r, %ns : tensor<64xi32>
  %lcg = arith.constant dense<1103515245> : tensor<64xi32>
  %h = arith.muli %i, %lcg : tensor<64xi32>
  %m0 = arith.cmpi sgt, %h, %zero : tensor<64xi32>
  %v0 = tt.load %p, %m0, %other : tensor<64x!tt.ptr<f32>>
  tt.store %q0, %v0 : tensor<64x!tt.ptr<f32>>
  %half = arith.constant dense<65536> : tensor<64xi32>
  %h1 = arith.muli %i, %half : tensor<64xi32>
  %h2 = arith.muli %h1, %half : tensor<64xi32>
  %m1 = arith.cmpi eq, %h2, %zero : tensor<64xi32>
  %v1 = tt.load %p, %m1, %other : tensor<64x!tt.ptr<f32>>
  tt.store %q1, %v1 : tensor<64x!tt.ptr<f32>>
  %top = arith.constant dense<2147483620> : tensor<64xi32>
  %t = arith.addi %i, %top : tensor<64xi32>
  %m2 = arith.cmpi slt, %t, %zero : tensor<64xi32>
  %v2 = tt.load %p, %m2, %other : tensor<64x!tt.ptr<f32>>
  tt.store %q2, %v2 : tensor<64x!tt.ptr<f32>>
  tt.return
}
