// A branch chooses a distance.
// ARG: f32[128] normal
// ARG: f32[32] zero
// ARG: i32 70

// CHECK-LABEL: func.func @if_pointer(
// CHECK-NOT: tensor<32xi
// CHECK: %[[O:.*]] = {{scf.if|arith.select}} {{.*}}index
// CHECK: memref.reinterpret_cast %x to offset: [%[[O]]], sizes: [32], strides: [1]
tt.func public @if_pointer(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %k = arith.constant dense<64> : tensor<32xi32>
  %v50 = arith.constant 50 : i32
  %c = arith.cmpi sgt, %n, %v50 : i32
  %pp = scf.if %c -> (tensor<32x!tt.ptr<f32>>) {
    %pn = tt.addptr %p, %k : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    scf.yield %pn : tensor<32x!tt.ptr<f32>>
  } else {
    scf.yield %p : tensor<32x!tt.ptr<f32>>
  }
  %v = tt.load %pp : tensor<32x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %q, %v : tensor<32x!tt.ptr<f32>>
  tt.return
}
