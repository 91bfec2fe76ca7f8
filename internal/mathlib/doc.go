// Package mathlib writes mathematical functions as LLVM IR: exp, log, sin, erf, pow and the rest, in single
// and double precision, on scalars or on vectors, for CPUs and for NVIDIA GPUs.
//
// In: the name of a function, a precision, a number of lanes. Out: the text of LLVM functions, which call
// nothing but each other and intrinsics that the target has instructions for.
//
// What always holds:
//
//   - A function is written once, by a small Go function that drives a [Builder]; precision and lanes are
//     the builder's business.
//   - All follow IEEE on zeros, infinities, NaN and subnormal numbers, and are within a few units of the
//     last place; the tests of this package hold them to it on the host, those of internal/lower on the
//     simulator of PTX.
//   - Lanes do not branch. What is needed seldom (the reduction of large angles, long remainders) is
//     skipped when no lane needs it.
package mathlib
