// The inner loop walks a row, the outer one goes to the next.
// ARG: f32[512] normal
// ARG: f32[16] zero
// ARG: i32 100

// CHECK-LABEL: func.func @for_nested_rows(
// CHECK: %[[S:.*]] = arith.index_cast %s
// CHECK: scf.for %{{.*}} iter_args(%[[O:.*]] = %c0
// CHECK: scf.for %{{.*}} iter_args(%[[P:.*]] = %[[O]]
// CHECK: }
// CHECK: arith.addi %{{.*}}%[[O]]
tt.func public @for_nested_rows(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %s: i32) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %k = arith.constant dense<16> : tensor<16xi32>
  %ss = tt.splat %s : i32 -> tensor<16xi32>
  %z = arith.constant dense<0.0> : tensor<16xf32>
  %v0 = arith.constant 0 : i32
  %v1 = arith.constant 1 : i32
  %v3 = arith.constant 3 : i32
  %a:2 = scf.for %i = %v0 to %v3 step %v1 iter_args(%pp = %p, %acc = %z) -> (tensor<16x!tt.ptr<f32>>, tensor<16xf32>) : i32 {
    %b:2 = scf.for %j = %v0 to %v3 step %v1 iter_args(%pi = %pp, %ai = %acc) -> (tensor<16x!tt.ptr<f32>>, tensor<16xf32>) : i32 {
      %v = tt.load %pi : tensor<16x!tt.ptr<f32>>
      %t = arith.addf %ai, %v : tensor<16xf32>
      %pn = tt.addptr %pi, %k : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
      scf.yield %pn, %t : tensor<16x!tt.ptr<f32>>, tensor<16xf32>
    }
    %po = tt.addptr %pp, %ss : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
    scf.yield %po, %b#1 : tensor<16x!tt.ptr<f32>>, tensor<16xf32>
  }
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  tt.store %q, %a#1 : tensor<16x!tt.ptr<f32>>
  tt.return
}
