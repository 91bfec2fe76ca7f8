// How floats print in each format.
func.func @floats() {
  %0 = arith.constant 0.01 : f32
  %1 = arith.constant 0.7 : f32
  %2 = arith.constant 1.0e10 : f32
  %3 = arith.constant 123456789.0 : f32
  %4 = arith.constant 3.14159265358979 : f64
  %5 = arith.constant 1.0e-45 : f32
  %6 = arith.constant 0x7F800000 : f32
  %7 = arith.constant -0.0 : f32
  %8 = arith.constant 0.3 : f16
  %9 = arith.constant 0.3 : bf16
  %10 = arith.constant 0.3 : f8E4M3FN
  %11 = arith.constant 1.0e300 : f64
  %12 = arith.constant 0xFFFF : f16
  %13 = arith.constant 0x7FC00001 : f32
  %14 = arith.constant 0xFFF0000000000000 : f64
  %15 = arith.constant 1.0e-320 : f64
  %16 = arith.constant 0.1 : f64
  %17 = arith.constant 2.2250738585072014e-308 : f64
  %18 = arith.constant 448.0 : f8E4M3FN
  %19 = arith.constant 57344.0 : f8E5M2
  %20 = arith.constant 65504.0 : f16
  %21 = arith.constant 3.3895313892515355e38 : bf16
  %22 = arith.constant 12345.678 : f32
  %23 = arith.constant 1234567.0 : f32
  %24 = arith.constant 16777216.0 : f32
  %25 = arith.constant 0.000123456789 : f32
  %26 = arith.constant 1.5 : tf32
  %27 = arith.constant 0.05 : f8E4M3FNUZ
  %28 = arith.constant 0.05 : f8E5M2FNUZ
  %29 = arith.constant 0.05 : f8E4M3B11FNUZ
  %30 = arith.constant 0x80 : f8E4M3FNUZ
  %31 = arith.constant 0x7F : f8E4M3FN
  %32 = arith.constant -1.44269504 : f32
  %33 = arith.constant 0.693147182 : f32
  %34 = arith.constant 9.99999974E-6 : f32
  %35 = arith.constant 1.0E-5 : f64
  %36 = arith.constant 340282346638528859811704183484516925440.0 : f32
  %37 = arith.constant 8.0e-3 : f64
  %38 = arith.constant 99999.95 : f32
  %39 = arith.constant 999999.5 : f64
  %40 = arith.constant 0.99999994 : f32
  return
}
