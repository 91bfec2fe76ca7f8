// A function of elements that returns early: its blocks become branches.
// ARG: i32[64] below 9
// ARG: i32[64] below 9
// ARG: i32[64] zero

// CHECK-LABEL: func.func @flow_function_returns(
// CHECK: linalg.generic
// CHECK: {{scf.if|arith.select}}
tt.func public @flow_function_returns(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %z: !tt.ptr<i32>) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ps = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %p = tt.addptr %ps, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %a = tt.load %p : tensor<64x!tt.ptr<i32>>
  %qs = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %q = tt.addptr %qs, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %b = tt.load %q : tensor<64x!tt.ptr<i32>>
  %r = "tt.map_elementwise"(%a, %b) <{pack = 1 : i32}> ({
  ^bb0(%u: i32, %v: i32):
    %lt = arith.cmpi slt, %u, %v : i32
    cf.cond_br %lt, ^less, ^more
  ^less:
    %m = arith.constant -1 : i32
    tt.map_elementwise.return %m : i32
  ^more:
    %eq = arith.cmpi eq, %u, %v : i32
    cf.cond_br %eq, ^same, ^other
  ^same:
    %n = arith.constant 0 : i32
    tt.map_elementwise.return %n : i32
  ^other:
    %s = arith.subi %u, %v : i32
    tt.map_elementwise.return %s : i32
  }) : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
  %os = tt.splat %z : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %o = tt.addptr %os, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %o, %r : tensor<64x!tt.ptr<i32>>
  tt.return
}
