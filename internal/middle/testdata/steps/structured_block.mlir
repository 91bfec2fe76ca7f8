// Blocks become pointers first, and then descriptions.
// PASSES: triton-to-structured,canonicalize,cse

// CHECK-LABEL: tt.func public @block(
// CHECK-NOT: tt.make_tensor_ptr
// CHECK: tts.make_tptr
// CHECK: "tts.load"
// CHECK: "tts.store"
// CHECK-NOT: tt.load
tt.func public @block(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %n = arith.constant 16 : i64
  %p = tt.make_tensor_ptr %x, [%n], [%one], [%zero] {order = array<i32: 0>} : <tensor<16xf32>>
  %v = tt.load %p : !tt.ptr<tensor<16xf32>>
  %q = tt.make_tensor_ptr %y, [%n], [%one], [%zero] {order = array<i32: 0>} : <tensor<16xf32>>
  tt.store %q, %v : !tt.ptr<tensor<16xf32>>
  tt.return
}
