// Package selftest runs random kernels on a device and compares what they leave in memory with what the host
// computes. Inputs are small whole numbers, so that every sum is exact in whatever order a kernel adds: each
// run of a config must leave the same bits, and so must each config.
//
// A kind (kind.go) is a family of kernels, written in Triton (kernels). It draws configs: block sizes, types,
// warps, stages and the like, as text that a command line can repeat (config.go). A config becomes a case:
// the kernel's arguments, with the memory before and after it (case.go). Workers compile and run cases
// (run.go); each run begins with memory that holds other values, and a kernel compares it on the device
// (judge.go). Inputs and expected results are shared by all cases of a size (store.go).
//
//	products.go   products of matrices          reference.go  products on the host
//	chains.go     products of products          values.go     inputs, and numbers as elements of a type
//	attention.go  attention's data flow         place.go      what a device has, and sizes that suit it
//	copies.go     blocks moved and transposed   rows.go       reductions, scans, sorts, gathers
//	edges.go      blocks across the edges       elements.go   conversions, fills, atomics
//	kind.go       the table of kinds            config.go     configs as text
//	case.go       configs made cases            run.go        workers that compile and run cases
//	judge.go      memory compared               store.go      what cases share
//	summary.go    the table of what ran
package selftest
