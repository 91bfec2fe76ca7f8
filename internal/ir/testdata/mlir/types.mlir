// Every builtin type.
"mine.op"() {a = i1, b = si8, c = ui16, d = i1024, e = index, f = none, g = f16, h = bf16, i = tf32, j = f64, k = f80, l = f128, m = f8E4M3FN, n = f8E5M2, o = f8E4M3FNUZ, p = f8E5M2FNUZ, q = f8E4M3B11FNUZ} : () -> ()
"mine.op"() {a = tensor<f32>, b = tensor<4xf32>, c = tensor<?x4xf32>, d = tensor<*xf32>, e = tensor<0x4xi8>, f = tensor<4xi32, "enc">, g = tensor<2x!foo.bar<x>, #foo.enc<y>>, h = tensor<0xf32>} : () -> ()
"mine.op"() {a = vector<4xf32>, b = vector<[4]xf32>, c = vector<2x[4]x8xi1>, d = vector<f32>} : () -> ()
"mine.op"() {a = memref<f32>, b = memref<4x?xf32>, c = memref<4xf32, 1>, d = memref<4x4xf32, strided<[?, 1], offset: ?>>, e = memref<4x4xf32, affine_map<(d0, d1) -> (d1, d0)>, 2>, f = memref<*xf32>, g = memref<*xf32, 3>, h = memref<4xf32, affine_map<(d0) -> (d0)>>, i = memref<4xf32, 0>} : () -> ()
"mine.op"() {a = tuple<>, b = tuple<i32, tuple<f32>>, c = complex<f32>, d = tuple<i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1>} : () -> ()
"mine.op"() {a = !foo.bar, b = !foo.bar<a, [b, "c>"], {d}, (e -> f)>, c = !foo<"opaque">} : () -> ()
