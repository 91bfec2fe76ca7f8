// Two pointers, one for reading and one for writing.
// ARG: f32[256] normal
// ARG: f32[512] zero

// CHECK-LABEL: func.func @for_two_pointers(
// CHECK: scf.for %{{.*}} iter_args(%[[O:.*]] = %c0, %[[P:.*]] = %c0) -> (index, index)
// CHECK-DAG: memref.reinterpret_cast %x to offset: [%[[O]]]
// CHECK-DAG: memref.reinterpret_cast %y to offset: [%[[P]]]
// CHECK-DAG: arith.addi %[[O]], %c64
// CHECK-DAG: arith.addi %[[P]], %c128
tt.func public @for_two_pointers(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %k = arith.constant dense<64> : tensor<64xi32>
  %k2 = arith.constant dense<128> : tensor<64xi32>
  %v0 = arith.constant 0 : i32
  %v1 = arith.constant 1 : i32
  %v4 = arith.constant 4 : i32
  %a:2 = scf.for %i = %v0 to %v4 step %v1 iter_args(%pp = %p, %qq = %q) -> (tensor<64x!tt.ptr<f32>>, tensor<64x!tt.ptr<f32>>) : i32 {
    %v = tt.load %pp : tensor<64x!tt.ptr<f32>>
    tt.store %qq, %v : tensor<64x!tt.ptr<f32>>
    %pn = tt.addptr %pp, %k : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %qn = tt.addptr %qq, %k2 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %pn, %qn : tensor<64x!tt.ptr<f32>>, tensor<64x!tt.ptr<f32>>
  }
  tt.return
}
