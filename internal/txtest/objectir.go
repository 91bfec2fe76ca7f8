package txtest

import "strings"

// ObjectIR returns LLVM IR whose function entry needs from a linker what kernels need: constants, a table of
// addresses, functions of the C library, of the program ("ours") and of the module itself. globals are added
// to the module, and value to the function: instructions that compute %g, which is added to the result.
func ObjectIR(globals, value string) string {
	return strings.NewReplacer("GLOBALS", globals, "VALUE", value).Replace(objectIR)
}

const objectIR = `
@table = private unnamed_addr constant [4 x i64] [i64 10, i64 20, i64 30, i64 40]
@functions = internal constant [2 x ptr] [ptr @one, ptr @two]
GLOBALS

declare double @pow(double, double)
declare i64 @ours()

define internal i64 @one() noinline { ret i64 1 }
define internal i64 @two() noinline { ret i64 2 }

define i64 @entry(i64 %i) {
  %p = getelementptr [4 x i64], ptr @table, i64 0, i64 %i
  %a = load i64, ptr %p
  %q = getelementptr [2 x ptr], ptr @functions, i64 0, i64 %i
  %f = load ptr, ptr %q
  %b = call i64 %f()
  %x = sitofp i64 %i to double
  %y = call double @pow(double %x, double 2.5)
  %c = fptosi double %y to i64
  VALUE
  %d = call i64 @ours()
  %s1 = add i64 %a, %b
  %s2 = add i64 %s1, %c
  %s3 = add i64 %s2, %g
  %s4 = add i64 %s3, %d
  ret i64 %s4
}
`
