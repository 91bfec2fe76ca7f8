// Package genkernels is what `nereid gen` writes for the kernels that examples, benchmarks and tests share.
// Its tests replay launches recorded from Triton through the functions in it; a test of package gen holds
// the files to the generator (-update writes them).
package genkernels
