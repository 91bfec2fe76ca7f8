// Rows beyond the last are the first row: one copy for those inside and one for the others, and no gather. This is how persistent matrix
// products stay inside.
// GRID: 2
// ARG: f32[600] normal
// ARG: f32[2048] zero
// ARG: i32 37

// CHECK-LABEL: func.func @split_where(
// CHECK-NOT: tensor.extract
// CHECK-DAG: memref.reinterpret_cast %x to offset: [%{{.*}}], sizes: [32, 16], strides: [16, 1]
// CHECK-DAG: memref.reinterpret_cast %x to offset: [0], sizes: [32, 16], strides: [0, 1]
// CHECK: to_tensor
tt.func public @split_where(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %m: i32) {
  %pid = tt.get_program_id x : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0> : tensor<32xi32>
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %k = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %b = arith.muli %pid, %c32 : i32
  %bs = tt.splat %b : i32 -> tensor<32xi32>
  %rows = arith.addi %bs, %r : tensor<32xi32>
  %ms = tt.splat %m : i32 -> tensor<32xi32>
  %in = arith.cmpi slt, %rows, %ms : tensor<32xi32>
  %safe = arith.select %in, %rows, %zero : tensor<32xi1>, tensor<32xi32>
  %c16 = arith.constant dense<16> : tensor<32x1xi32>
  %se = tt.expand_dims %safe {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %sm = arith.muli %se, %c16 : tensor<32x1xi32>
  %sb = tt.broadcast %sm : tensor<32x1xi32> -> tensor<32x16xi32>
  %ke = tt.expand_dims %k {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %kb = tt.broadcast %ke : tensor<1x16xi32> -> tensor<32x16xi32>
  %off = arith.addi %sb, %kb : tensor<32x16xi32>
  %ps = tt.splat %x : !tt.ptr<f32> -> tensor<32x16x!tt.ptr<f32>>
  %p = tt.addptr %ps, %off : tensor<32x16x!tt.ptr<f32>>, tensor<32x16xi32>
  %v = tt.load %p : tensor<32x16x!tt.ptr<f32>>
  %re = tt.expand_dims %rows {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %rm = arith.muli %re, %c16 : tensor<32x1xi32>
  %rb = tt.broadcast %rm : tensor<32x1xi32> -> tensor<32x16xi32>
  %qo = arith.addi %rb, %kb : tensor<32x16xi32>
  %qs = tt.splat %y : !tt.ptr<f32> -> tensor<32x16x!tt.ptr<f32>>
  %q = tt.addptr %qs, %qo : tensor<32x16x!tt.ptr<f32>>, tensor<32x16xi32>
  tt.store %q, %v : tensor<32x16x!tt.ptr<f32>>
  tt.return
}
