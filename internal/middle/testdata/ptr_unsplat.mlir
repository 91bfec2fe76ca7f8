// A pointer that was the only element of a tensor is that pointer: its memory and its offset are known.
// ARG: f32[64] normal
// ARG: f32[64] zero

// CHECK-LABEL: func.func @ptr_unsplat(
// CHECK-NOT: inttoptr
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [5]
tt.func public @ptr_unsplat(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %five = arith.constant dense<5> : tensor<1xi32>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<1x!tt.ptr<f32>>
  %p = tt.addptr %s, %five : tensor<1x!tt.ptr<f32>>, tensor<1xi32>
  %q = tt.unsplat %p : tensor<1x!tt.ptr<f32>>
  %v = tt.load %q : !tt.ptr<f32>
  tt.store %y, %v : !tt.ptr<f32>
  tt.return
}
