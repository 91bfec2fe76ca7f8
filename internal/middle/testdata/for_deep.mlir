// Three loops, pointers carried by each.
// ARG: f32[600] normal
// ARG: f32[8] zero

// CHECK-LABEL: func.func @for_deep(
// CHECK: scf.for %{{.*}} iter_args(%[[A:.*]] = %c0, %{{.*}}) -> (index, tensor<8xf32>)
// CHECK: scf.for %{{.*}} iter_args(%[[B:.*]] = %[[A]], %{{.*}}) -> (index, tensor<8xf32>)
// CHECK: scf.for %{{.*}} iter_args(%[[C:.*]] = %[[B]], %{{.*}}) -> (index, tensor<8xf32>)
// CHECK-NOT: tensor<8xi
tt.func public @for_deep(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %k = arith.constant dense<8> : tensor<8xi32>
  %k2 = arith.constant dense<100> : tensor<8xi32>
  %k3 = arith.constant dense<200> : tensor<8xi32>
  %z = arith.constant dense<0.0> : tensor<8xf32>
  %v0 = arith.constant 0 : i32
  %v1 = arith.constant 1 : i32
  %v2 = arith.constant 2 : i32
  %a:2 = scf.for %i = %v0 to %v2 step %v1 iter_args(%p1 = %p, %a1 = %z) -> (tensor<8x!tt.ptr<f32>>, tensor<8xf32>) : i32 {
    %b:2 = scf.for %j = %v0 to %v2 step %v1 iter_args(%p2 = %p1, %a2 = %a1) -> (tensor<8x!tt.ptr<f32>>, tensor<8xf32>) : i32 {
      %c:2 = scf.for %l = %v0 to %v2 step %v1 iter_args(%p3 = %p2, %a3 = %a2) -> (tensor<8x!tt.ptr<f32>>, tensor<8xf32>) : i32 {
        %v = tt.load %p3 : tensor<8x!tt.ptr<f32>>
        %t = arith.addf %a3, %v : tensor<8xf32>
        %n3 = tt.addptr %p3, %k : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
        scf.yield %n3, %t : tensor<8x!tt.ptr<f32>>, tensor<8xf32>
      }
      %n2 = tt.addptr %p2, %k2 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
      scf.yield %n2, %c#1 : tensor<8x!tt.ptr<f32>>, tensor<8xf32>
    }
    %n1 = tt.addptr %p1, %k3 : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    scf.yield %n1, %b#1 : tensor<8x!tt.ptr<f32>>, tensor<8xf32>
  }
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %q, %a#1 : tensor<8x!tt.ptr<f32>>
  tt.return
}
