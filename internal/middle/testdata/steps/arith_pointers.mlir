// With tensor-ptr-to-linalg accesses through tensors of pointers are loop nests over scalar ones.
// PASSES: triton-arith-to-linalg{tensor-ptr-to-linalg=true}

// CHECK-LABEL: func.func @copy(
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %m : tensor<4x!tt.ptr<f32>>, tensor<4xi1>)
// CHECK: tt.load %in, %in_{{.*}} : !tt.ptr<f32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x!tt.ptr<f32>>, tensor<4xf32>) {
// CHECK: tt.store %in, %in_{{.*}} : !tt.ptr<f32>
// CHECK: linalg.yield
tt.func public @copy(%x: !tt.ptr<f32>, %m: tensor<4xi1>) {
  %r = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  %v = tt.load %p, %m : tensor<4x!tt.ptr<f32>>
  tt.store %xs, %v : tensor<4x!tt.ptr<f32>>
  tt.return
}
