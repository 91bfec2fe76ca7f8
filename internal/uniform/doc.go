// Package uniform is about the numbers that all programs of a launch share: what a kernel computes of its
// arguments and of the grid alone. The host computes them once, at the launch, and passes them as further
// parameters.
//
// In: operations on arguments (Builder, which the lowering fills). Out: a Program, a list of steps that a
// launch runs without allocating anything, and the words that it appends. For a divisor, the words are those
// with which a GPU divides by a multiplication and a shift. The package imports nothing of ours.
//
//	program.go  Program: steps, outputs, and how a launch runs them
//	build.go    Builder, which makes one
//	divide.go   divisions as multiplications
//	memo.go     Memo: the results of earlier launches; Kept: of which launch the words are
package uniform
