// Aliases of attributes and types, which MLIR expands or renames.
#m = affine_map<(d0, d1) -> (d1, d0)>
#n = affine_map<(d0) -> (d0 + 1)>
#i = 5 : i32
!t = tensor<4xf32>
!u = tuple<i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32>
func.func @f(%a: !t, %b: memref<2x2xf32, #m>, %c: !u) -> !t attributes {x.maps = [#m, #n, #m], x.five = #i, x.map = affine_map<(d0) -> (d0 * 2)>} {
  return %a : !t
}
