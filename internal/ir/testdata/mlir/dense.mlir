// Dense constants: lists, splats, raw bytes, empty.
func.func @dense() {
  %14 = arith.constant dense<[true, false, true]> : tensor<3xi1>
  %15 = arith.constant dense<> : tensor<0xi32>
  %16 = arith.constant dense<[]> : tensor<0xi32>
  %17 = arith.constant dense<[[1,2],[3,4]]> : tensor<2x2xi32>
  %18 = arith.constant dense<[[1,1],[1,1]]> : tensor<2x2xi32>
  %19 = arith.constant dense<"0x0100000002000000"> : tensor<2xi32>
  %20 = arith.constant dense<true> : tensor<4xi1>
  %21 = arith.constant dense<5> : tensor<i32>
  %22 = arith.constant dense<[[[1.5, -2.0]], [[0x7FC00000, 0.0]]]> : tensor<2x1x2xf32>
  %23 = arith.constant dense<[-1, 255, 0x80]> : vector<3xi8>
  %24 = arith.constant dense<7> : vector<4xindex>
  %25 = arith.constant dense<"0xFF"> : tensor<16xi1>
  %26 = arith.constant dense<"0x00"> : tensor<16xi1>
  %27 = arith.constant dense<"0xB66DDBB66DDBB66DDBB66DDB16"> : tensor<101xi1>
  %28 = arith.constant dense<"0x01000200"> : tensor<2xi16>
  %29 = arith.constant dense<"0x0100"> : tensor<300xi16>
  %30 = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100]> : tensor<101xi16>
  %31 = arith.constant dense<[1, -1]> : tensor<2xi4>
  %32 = arith.constant dense<1.0> : tensor<2x0x3xf32>
  return
}
