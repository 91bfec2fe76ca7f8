// Loads and stores inside branches.
// ARG: f32[64] normal
// ARG: f32[64] zero
// ARG: i32 20

// CHECK-LABEL: func.func @if_store(
// CHECK: scf.if
// CHECK: memref.copy
// CHECK: bufferization.materialize_in_destination
// CHECK: } else {
// CHECK: memref.copy
// CHECK: tensor.extract_slice
// CHECK: bufferization.materialize_in_destination
tt.func public @if_store(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v50 = arith.constant 50 : i32
  %c = arith.cmpi sgt, %n, %v50 : i32
  scf.if %c {
    %v = tt.load %p : tensor<64x!tt.ptr<f32>>
    tt.store %q, %v : tensor<64x!tt.ptr<f32>>
  } else {
    %w = tt.load %p : tensor<64x!tt.ptr<f32>>
    %w2 = arith.addf %w, %w : tensor<64xf32>
    %ns = tt.splat %n : i32 -> tensor<64xi32>
    %m = arith.cmpi slt, %r, %ns : tensor<64xi32>
    tt.store %q, %w2, %m : tensor<64x!tt.ptr<f32>>
  }
  tt.return
}
