// Functions of the device library that MLIR has.
// ARG: f32[64] normal
// ARG: f32[64] zero

// CHECK-LABEL: func.func @elem_extern(
// CHECK: math.absf
// CHECK: math.atan2
// CHECK: arith.cmpf oeq
tt.func public @elem_extern(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %pr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %qr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %qr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %a = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__nv_fabsf"} : (tensor<64xf32>) -> tensor<64xf32>
  %b = tt.extern_elementwise %a, %a {libname = "", libpath = "", pure = true, symbol = "__nv_atan2f"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %i = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__nv_isinff"} : (tensor<64xf32>) -> tensor<64xi32>
  %f = arith.sitofp %i : tensor<64xi32> to tensor<64xf32>
  %w = arith.addf %b, %f : tensor<64xf32>
  tt.store %q, %w : tensor<64x!tt.ptr<f32>>
  tt.return
}
