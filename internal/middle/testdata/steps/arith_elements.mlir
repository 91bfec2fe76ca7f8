// Operations on tensors one by one, in functions with the place in the grid as arguments; accesses stay.
// PASSES: triton-arith-to-linalg

// CHECK-LABEL: func.func @scale(%x: !tt.ptr<f32>, %a: f32, %num_programs_x: i32, %num_programs_y: i32, %num_programs_z: i32, %pid_x: i32, %pid_y: i32, %pid_z: i32)
// CHECK: arith.addi %{{.*}}, %c4_i32 : i32
// CHECK: linalg.fill ins(%x : !tt.ptr<f32>) outs(%{{.*}} : tensor<4x!tt.ptr<f32>>)
// CHECK: tt.addptr %in, %in_{{.*}} : !tt.ptr<f32>, i32
// CHECK: %[[V:.*]] = tt.load %{{.*}} : tensor<4x!tt.ptr<f32>>
// CHECK: %[[A:.*]] = linalg.fill ins(%a : f32)
// CHECK: linalg.generic {{.*}} ins(%[[V]], %[[A]] : tensor<4xf32>, tensor<4xf32>) outs(%[[V]] : tensor<4xf32>)
// CHECK: arith.mulf
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4x1xf32>) outs(%{{.*}} : tensor<4x2xf32>)
// CHECK: linalg.reduce
// CHECK: arith.sitofp %pid_y : i32 to f32
// CHECK: return
tt.func public @scale(%x: !tt.ptr<f32>, %a: f32) -> (tensor<4xf32>, f32) {
  %r = tt.make_range {end = 8 : i32, start = 4 : i32} : tensor<4xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  %v = tt.load %p : tensor<4x!tt.ptr<f32>>
  %as = tt.splat %a : f32 -> tensor<4xf32>
  %w = arith.mulf %v, %as : tensor<4xf32>
  %c = tt.expand_dims %w {axis = 1 : i32} : tensor<4xf32> -> tensor<4x1xf32>
  %b = tt.broadcast %c : tensor<4x1xf32> -> tensor<4x2xf32>
  %s = "tt.reduce"(%b) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %k: f32):
    %t = arith.addf %l, %k : f32
    tt.reduce.return %t : f32
  }) : (tensor<4x2xf32>) -> tensor<4xf32>
  %id = tt.get_program_id y : i32
  %f = arith.sitofp %id : i32 to f32
  tt.return %s, %f : tensor<4xf32>, f32
}
