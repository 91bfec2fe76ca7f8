// A branch chooses a buffer, a distance and a step.
// ARG: f32[128] normal
// ARG: f32[128] normal
// ARG: f32[32] zero
// ARG: i1 0

// CHECK-LABEL: func.func @if_source(
// CHECK-DAG: %[[M:.*]] = arith.select %c, %x, %z : memref<*xf32>
// CHECK-DAG: %[[O:.*]] = arith.select %c, %c0, %c1 : index
// CHECK-DAG: %[[S:.*]] = arith.select %c, %c1, %c3 : index
// CHECK: memref.reinterpret_cast %[[M]] to offset: [%[[O]]], sizes: [32], strides: [%[[S]]]
tt.func public @if_source(%x: !tt.ptr<f32>, %z: !tt.ptr<f32>, %y: !tt.ptr<f32>, %c: i1) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %v1 = arith.constant 1 : i32
  %pp = scf.if %c -> (tensor<32x!tt.ptr<f32>>) {
    %pn_s = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %pn = tt.addptr %pn_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    scf.yield %pn : tensor<32x!tt.ptr<f32>>
  } else {
    %k = arith.constant dense<3> : tensor<32xi32>
    %r3 = arith.muli %r, %k : tensor<32xi32>
    %zz = tt.addptr %z, %v1 : !tt.ptr<f32>, i32
    %pm_s = tt.splat %zz : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %pm = tt.addptr %pm_s, %r3 : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    scf.yield %pm : tensor<32x!tt.ptr<f32>>
  }
  %v = tt.load %pp : tensor<32x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %q, %v : tensor<32x!tt.ptr<f32>>
  tt.return
}
