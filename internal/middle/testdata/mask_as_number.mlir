// A mask that became a number and is compared is that mask again; the other way around it is its negation.
// ARG: f32[64] normal
// ARG: f32[64] zero
// ARG: f32[64] zero
// ARG: i32 23

// CHECK-LABEL: func.func @mask_as_number(
// CHECK-NOT: tensor<64xi
// CHECK: memref.subview
// CHECK-NOT: tensor<64xi
// CHECK: materialize_in_destination
// CHECK-NOT: tensor<64xi
// CHECK: materialize_in_destination
tt.func public @mask_as_number(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %zero = arith.constant dense<0> : tensor<64xi32>
  %one = arith.constant dense<1> : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %c = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %i = arith.select %c, %one, %zero : tensor<64xi1>, tensor<64xi32>
  %m = arith.cmpi ne, %i, %zero : tensor<64xi32>
  %j = arith.extui %c : tensor<64xi1> to tensor<64xi32>
  %k = arith.cmpi slt, %j, %one : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p, %m : tensor<64x!tt.ptr<f32>>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %v : tensor<64x!tt.ptr<f32>>
  %u = tt.load %p : tensor<64x!tt.ptr<f32>>
  %o_s = tt.splat %z : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %o = tt.addptr %o_s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %o, %u, %k : tensor<64x!tt.ptr<f32>>
  tt.return
}
