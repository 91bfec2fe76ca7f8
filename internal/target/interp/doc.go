// Package interp runs Triton IR: the embedded default back end and the judge of all others.
//
// What comes in is a module (TTIR before or after any pass, TTGIR with its layouts ignored) and a Memory that
// lends it the caller's bytes; what goes out is those bytes changed, or a Fault that names the kernel's
// source line, the program and the element. Compile turns one kernel into a Program once; Program.Run
// executes its grid on several goroutines.
//
// # How values are held
//
// A value is a flat row of elements in a register of its frame, last dimension fastest: i1 in a byte, i8 to
// i64 in their own width, pointers and index in 64 bits, f64 in float64, every smaller float in float32,
// rounded to its own format after each operation. A tensor whose elements are all equal (a splat, a constant,
// arithmetic on such) is held as one element. A scalar is a row of one. Block pointers, descriptors and
// shared memory are objects beside the registers.
//
// # What operations mean where MLIR leaves a choice
//
// Where MLIR or Triton says "undefined" the interpreter does what an NVIDIA GPU does, since kernels rely on
// it in lanes that they mask off afterwards (all of this was compared with an H200, op by op):
//
//   - integers wrap; division or remainder by zero gives all ones (32 of them for i64 where the dividend has
//     no more bits); the least integer divided by -1 is itself, remainder 0;
//   - a shift by the width or more gives 0, or the sign for an arithmetic shift right; of an i64 distance the
//     low half counts;
//   - float to integer conversions saturate; NaN becomes 0, or the least integer when either side has 64
//     bits;
//   - conversions to fp8 by tt.fp_to_fp saturate to the largest finite value (cvt.satfinite), arith.truncf
//     overflows as IEEE says; NaN stays NaN;
//   - lanes of a load whose mask is false and that have no `other` are zero; masked lanes never touch memory;
//   - f16, bf16 and fp8 arithmetic is done in float32 and rounded once; f32 is rounded after each operation
//     (no contraction);
//   - math functions are computed in float64 and rounded, so within 1 ulp of the exact result for f32;
//   - subnormal floats are kept, also where a GPU's approximate functions flush them;
//   - tt.dot multiplies exactly and sums in float64 from k = 0 up, c last, rounded once to the type of the
//     result (f16: after every 16 products, the length of the hardware's instructions); integer dots wrap in
//     32 bits; in tf32 the inputs lose their low 13 bits;
//   - tt.reduce combines neighbours pairwise ((x0 x1)(x2 x3))..., which keeps the order of the elements;
//     tt.scan is by doubling: y[i] = y[i-d] y[i] for d = 1, 2, 4...; both are the same for every combine
//     function, so a pass that simplifies the function does not change a bit of the result;
//   - tt.cat puts lhs before rhs, tt.reshape never reorders.
//
// # Memory
//
// A pointer is a plain 64-bit address in a Memory. Each buffer owns a terabyte of addresses around it, so an
// address that strays tells which buffer it strayed from. Loads and stores are plain; atomics lock, and every
// program waiting in a loop lets others start, so kernels that synchronise programs through memory end.
//
// The package assumes a little-endian host, as every target of Triton is.
//
// # The files
//
//	compile.go             Compile: operations to steps
//	plan.go                the operations that run at all, and the registers of values
//	program.go, frame.go   Program; the steps and registers of a function
//	run.go                 running a grid on several goroutines
//	device.go              the interpreter as a device
//	lanes.go               regions of reductions, scans and maps as functions of rows
//	kind.go                how the elements of a type are held
//	loops.go, move.go      loops over rows; copies between registers
//	ring.go                floats as elements of a finite ring
//	round.go               rounding to formats below f32
//	memory.go              the address space
//	fault.go               Fault
//	scopes.go              marks of scopes, for a profiler
//	record.go              every access, for pictures
//	trace.go               the execution of one program, for debuggers
//	touch.go               bytes that kernels load and store
//	track.go               uninitialized memory
//	races.go               programs that access one place in no order
//	op_int.go, op_float.go arithmetic and comparisons of integers; of floats
//	op_cast.go             conversions between types
//	op_shape.go            constants, ranges, reshapes, broadcasts, transposes
//	op_reduce.go           tt.reduce, tt.scan and tt.map_elementwise
//	op_dot.go              tt.dot
//	op_scaled.go           tt.dot_scaled
//	op_memory.go           tt.load and tt.store by tensors of pointers
//	op_block.go            block pointers and tensor descriptors
//	op_atomic.go           atomics
//	op_shared.go           buffers in shared memory, asynchronous copies, and other operations of TritonGPU
//	op_control.go          loops, branches and calls
//	op_program.go          program ids, prints and assertions
//	libdevice.go           NVIDIA's device library
//	libdevice_round.go     its functions with a rounding mode
//	libdevice_special.go   its special functions: logarithms, powers, Bessel functions, erfc
//	exact.go               functions of float64 that Go's lose digits of
//	fastmath.go            fast exponentials of float32
package interp
