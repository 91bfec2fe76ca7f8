// A function that MLIR does not have is called by its name.
// NORUN: the function is the device library's

// CHECK-LABEL: func.func @elem_extern_unknown(
// CHECK: linalg.generic
// CHECK: func.call @__nv_j0f(%{{.*}}) : (f32) -> f32
// CHECK: func.func private @__nv_j0f(f32) -> f32
tt.func public @elem_extern_unknown(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %pr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %p_s = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %p_s, %pr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %qr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %q_s = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %q_s, %qr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %w = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__nv_j0f"} : (tensor<64xf32>) -> tensor<64xf32>
  tt.store %q, %w : tensor<64x!tt.ptr<f32>>
  tt.return
}
