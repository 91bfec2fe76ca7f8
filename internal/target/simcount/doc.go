// Package simcount counts what the instructions of a simulated launch do: bytes of global memory and the
// pieces that were moved for them, wavefronts of shared memory and those that bank conflicts cost.
//
//	simcount.go   Work, the numbers of an instruction
//	banks.go      Banks, shared memory
//	chart.go      Chart, what the warps of a program did one after the other
package simcount
