// A mask's bound changes in a while: it stays a bound.
// ARG: f32[320] normal
// ARG: f32[32] zero
// ARG: i32 75

// CHECK-LABEL: func.func @while_mask(
// CHECK-NOT: tensor<32xi
// CHECK: scf.while
// CHECK: } do {
// CHECK: memref.subview
// CHECK: memref.copy
// CHECK-NOT: tensor<32xi
tt.func public @while_mask(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ps = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %p = tt.addptr %ps, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %k = arith.constant dense<32> : tensor<32xi32>
  %none = arith.constant dense<0.0> : tensor<32xf32>
  %zero = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %ns = tt.splat %n : i32 -> tensor<32xi32>
  %w:4 = scf.while (%left = %n, %i = %r, %pp = %p, %acc = %none) : (i32, tensor<32xi32>, tensor<32x!tt.ptr<f32>>, tensor<32xf32>) -> (i32, tensor<32xi32>, tensor<32x!tt.ptr<f32>>, tensor<32xf32>) {
    %go = arith.cmpi sgt, %left, %zero : i32
    scf.condition(%go) %left, %i, %pp, %acc : i32, tensor<32xi32>, tensor<32x!tt.ptr<f32>>, tensor<32xf32>
  } do {
  ^bb0(%left: i32, %i: tensor<32xi32>, %pp: tensor<32x!tt.ptr<f32>>, %acc: tensor<32xf32>):
    %m = arith.cmpi slt, %i, %ns : tensor<32xi32>
    %v = tt.load %pp, %m : tensor<32x!tt.ptr<f32>>
    %t = arith.addf %acc, %v : tensor<32xf32>
    %in = arith.addi %i, %k : tensor<32xi32>
    %pn = tt.addptr %pp, %k : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %ln = arith.subi %left, %c32 : i32
    scf.yield %ln, %in, %pn, %t : i32, tensor<32xi32>, tensor<32x!tt.ptr<f32>>, tensor<32xf32>
  }
  %qs = tt.splat %y : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %q = tt.addptr %qs, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %q, %w#3 : tensor<32x!tt.ptr<f32>>
  tt.return
}
