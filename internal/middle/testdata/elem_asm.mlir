// Assembly without jumps is a function of elements.
// NORUN: the interpreter runs no assembly

// CHECK-LABEL: func.func @elem_asm(
// CHECK-NOT: inline_asm
// CHECK: linalg.generic
// CHECK: %[[P:.*]] = arith.cmpf ogt, %[[X:.*]], %{{.*}} : f32
// CHECK: %[[S:.*]] = math.sin %[[X]] : f32
// CHECK: arith.select %[[P]], %{{.*}}, %[[S]] : f32
tt.func public @elem_asm(%x: !tt.ptr<f32>) {
  %w = tt.elementwise_inline_asm "griddepcontrol.wait; // dummy $0" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %s, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %a = tt.load %p : tensor<64x!tt.ptr<f32>>
  %r = tt.elementwise_inline_asm "{ .reg .pred p; setp.gt.f32 p, $1, 0.5; sin.approx.f32 $0, $1; @p mov.f32 $0, 1.0; }" {constraints = "=f,f", packed_element = 1 : i32, pure = true} %a : tensor<64xf32> -> tensor<64xf32>
  tt.store %p, %r : tensor<64x!tt.ptr<f32>>
  tt.return
}
