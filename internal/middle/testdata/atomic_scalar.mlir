// One addition for each program.
// GRID: 9
// ARG: f32[1] zero

// CHECK-LABEL: func.func @atomic_scalar(
// CHECK: memref.atomic_rmw addf
tt.func public @atomic_scalar(%y: !tt.ptr<f32>) {
  %pid = tt.get_program_id x : i32
  %f = arith.sitofp %pid : i32 to f32
  %t = arith.constant true
  %r = tt.atomic_rmw fadd, acq_rel, gpu, %y, %f, %t : (!tt.ptr<f32>, f32, i1) -> f32
  tt.return
}
