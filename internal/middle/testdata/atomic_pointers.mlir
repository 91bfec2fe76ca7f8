// Pointers in memory are exchanged, and exchanged where they are as expected.
// ARG: f32[8] iota
// ARG: i64[1] zero
// ARG: f32[4] zero

// CHECK-LABEL: func.func @atomic_pointers(
// CHECK: memref.atomic_rmw assign
// CHECK: memref.generic_atomic_rmw
tt.func public @atomic_pointers(%x: !tt.ptr<f32>, %m: !tt.ptr<i64>, %y: !tt.ptr<f32>) {
  %t = arith.constant true
  %zero = arith.constant 0 : i64
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c5 = arith.constant 5 : i32
  %slot = tt.bitcast %m : !tt.ptr<i64> -> !tt.ptr<!tt.ptr<f32>>
  %a = tt.addptr %x, %c2 : !tt.ptr<f32>, i32
  %b = tt.addptr %x, %c3 : !tt.ptr<f32>, i32
  %c = tt.addptr %x, %c5 : !tt.ptr<f32>, i32
  tt.store %slot, %a : !tt.ptr<!tt.ptr<f32>>
  %was = tt.atomic_rmw exch, acq_rel, gpu, %slot, %b, %t : (!tt.ptr<!tt.ptr<f32>>, !tt.ptr<f32>, i1) -> !tt.ptr<f32>
  %f0 = tt.load %was : !tt.ptr<f32>
  tt.store %y, %f0 : !tt.ptr<f32>
  %same = tt.atomic_cas acq_rel, gpu, %slot, %b, %c : (!tt.ptr<!tt.ptr<f32>>, !tt.ptr<f32>, !tt.ptr<f32>) -> !tt.ptr<f32>
  %f1 = tt.load %same : !tt.ptr<f32>
  %y1 = tt.addptr %y, %c1 : !tt.ptr<f32>, i32
  tt.store %y1, %f1 : !tt.ptr<f32>
  %other = tt.atomic_cas acq_rel, gpu, %slot, %b, %a : (!tt.ptr<!tt.ptr<f32>>, !tt.ptr<f32>, !tt.ptr<f32>) -> !tt.ptr<f32>
  %f2 = tt.load %other : !tt.ptr<f32>
  %y2 = tt.addptr %y, %c2 : !tt.ptr<f32>, i32
  tt.store %y2, %f2 : !tt.ptr<f32>
  %at = tt.load %slot : !tt.ptr<!tt.ptr<f32>>
  %f3 = tt.load %at : !tt.ptr<f32>
  %y3 = tt.addptr %y, %c3 : !tt.ptr<f32>, i32
  tt.store %y3, %f3 : !tt.ptr<f32>
  tt.store %m, %zero : !tt.ptr<i64>
  tt.return
}
