// Arithmetic that wraps in 32 bits, widened: data keeps its meaning.
// ARG: i64[64] zero

// CHECK-LABEL: func.func @use_overflow(
// CHECK: arith.muli %{{.*}} : i32
// CHECK: arith.extsi %{{.*}} : i32 to i64
tt.func public @use_overflow(%y: !tt.ptr<i64>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %k = arith.constant dense<1664525000> : tensor<64xi32>
  %a = arith.muli %r, %k : tensor<64xi32>
  %w = arith.extsi %a : tensor<64xi32> to tensor<64xi64>
  %q_s = tt.splat %y : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<i64>>, tensor<64xi32>
  tt.store %q, %w : tensor<64x!tt.ptr<i64>>
  tt.return
}
