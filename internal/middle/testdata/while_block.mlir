// A block pointer that advances in a while, until what it loads sums to enough.
// ARG: f32[400] one
// ARG: f32[128] zero
// ARG: f32 400.0

// CHECK-LABEL: func.func @while_block(
// CHECK-NOT: tensor<16x8xi
// CHECK: scf.while
// CHECK: memref.reinterpret_cast %x to offset: [%{{.*}}], sizes: [16, 8], strides: [24, 1]
// CHECK: scf.condition
tt.func public @while_block(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %enough: f32) {
  %m = arith.constant 16 : i64
  %n = arith.constant 24 : i64
  %s1 = arith.constant 1 : i64
  %z0 = arith.constant 0 : i32
  %z8 = arith.constant 8 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %none = arith.constant dense<0.0> : tensor<16x8xf32>
  %p = tt.make_tensor_ptr %x, [%m, %n], [%n, %s1], [%z0, %z0] {order = array<i32: 1, 0>} : <tensor<16x8xf32>>
  %w:3 = scf.while (%i = %z0, %pp = %p, %acc = %none) : (i32, !tt.ptr<tensor<16x8xf32>>, tensor<16x8xf32>) -> (i32, !tt.ptr<tensor<16x8xf32>>, tensor<16x8xf32>) {
    %v = tt.load %pp : !tt.ptr<tensor<16x8xf32>>
    %t = arith.addf %acc, %v : tensor<16x8xf32>
    %r0 = "tt.reduce"(%t) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<16x8xf32>) -> tensor<16xf32>
    %r1 = "tt.reduce"(%r0) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<16xf32>) -> f32
    %less = arith.cmpf olt, %r1, %enough : f32
    %in = arith.addi %i, %one : i32
    %more = arith.cmpi slt, %in, %three : i32
    %go = arith.andi %less, %more : i1
    scf.condition(%go) %in, %pp, %t : i32, !tt.ptr<tensor<16x8xf32>>, tensor<16x8xf32>
  } do {
  ^bb0(%i: i32, %pp: !tt.ptr<tensor<16x8xf32>>, %acc: tensor<16x8xf32>):
    %next = tt.advance %pp, [%z0, %z8] : <tensor<16x8xf32>>
    scf.yield %i, %next, %acc : i32, !tt.ptr<tensor<16x8xf32>>, tensor<16x8xf32>
  }
  %m8 = arith.constant 8 : i64
  %q = tt.make_tensor_ptr %y, [%m, %m8], [%m8, %s1], [%z0, %z0] {order = array<i32: 1, 0>} : <tensor<16x8xf32>>
  tt.store %q, %w#2 : !tt.ptr<tensor<16x8xf32>>
  tt.return
}
