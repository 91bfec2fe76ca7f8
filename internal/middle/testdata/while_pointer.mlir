// A while with a pointer that advances.
// ARG: f32[256] normal
// ARG: f32[32] zero
// ARG: i32 5

// CHECK-LABEL: func.func @while_pointer(
// CHECK: scf.while
// CHECK: scf.condition
// CHECK: } do {
// CHECK: memref.reinterpret_cast %x to offset: [%{{.*}}], sizes: [32], strides: [1]
// CHECK: arith.addi %{{.*}}, %c32
// CHECK: scf.yield
// CHECK: }
// CHECK: memref.reinterpret_cast %x
tt.func public @while_pointer(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %k = arith.constant dense<32> : tensor<32xi32>
  %z = arith.constant dense<0.0> : tensor<32xf32>
  %v0 = arith.constant 0 : i32
  %v1 = arith.constant 1 : i32
  %a:3 = scf.while (%i = %v0, %pp = %p, %acc = %z) : (i32, tensor<32x!tt.ptr<f32>>, tensor<32xf32>) -> (i32, tensor<32x!tt.ptr<f32>>, tensor<32xf32>) {
    %c = arith.cmpi slt, %i, %n : i32
    scf.condition(%c) %i, %pp, %acc : i32, tensor<32x!tt.ptr<f32>>, tensor<32xf32>
  } do {
    ^bb0(%i2: i32, %p2: tensor<32x!tt.ptr<f32>>, %a2: tensor<32xf32>):
    %v = tt.load %p2 : tensor<32x!tt.ptr<f32>>
    %s = arith.addf %a2, %v : tensor<32xf32>
    %pn = tt.addptr %p2, %k : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %in = arith.addi %i2, %v1 : i32
    scf.yield %in, %pn, %s : i32, tensor<32x!tt.ptr<f32>>, tensor<32xf32>
  }
  %l = tt.load %a#1 : tensor<32x!tt.ptr<f32>>
  %o = arith.addf %l, %a#2 : tensor<32xf32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %q, %o : tensor<32x!tt.ptr<f32>>
  tt.return
}
