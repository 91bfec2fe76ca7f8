// An early return becomes a branch around the rest.
// GRID: 4
// ARG: f32[128] normal
// ARG: f32[128] zero
// ARG: i32 2

// CHECK-LABEL: func.func @flow_early_return(
// CHECK-NOT: cf.
// CHECK: scf.if
// CHECK: memref.copy
// CHECK: bufferization.materialize_in_destination
// CHECK: }
// CHECK-NEXT: return
tt.func public @flow_early_return(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %pid = tt.get_program_id x : i32
  %c = arith.cmpi sge, %pid, %n : i32
  cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
  tt.return
  ^bb2:
  %k = arith.constant 32 : i32
  %o = arith.muli %pid, %k : i32
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %os = tt.splat %o : i32 -> tensor<32xi32>
  %i = arith.addi %r, %os : tensor<32xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %v = tt.load %p : tensor<32x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %q, %v : tensor<32x!tt.ptr<f32>>
  tt.return
}
