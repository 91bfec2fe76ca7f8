// Package fingerprint describes generated code in short lines, for tests that compare them with a file.
//
// In: kernels with signatures, and targets. Out: for each kernel a line with hashes of the stages that this
// compiler makes itself (TTIR, TTGIR, linalg, LLVM IR) and numbers of instructions. A change of the compiler
// that alters code alters lines, also if the results stay right and only speed is lost. Such a change says
// why, and its author writes the file anew with UPDATE_GOLDEN=1. Line numbers of kernels and names of values
// are no part of it.
//
//   - fingerprint.go: a kernel compiled for a target, hashed and counted.
//   - decisive.go: kernels that are there for the conditions of the compiler that no other decides.
//   - table.go: many kernels at once, compared with a file.
package fingerprint
