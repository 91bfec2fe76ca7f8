// Package simdriver gives tests a CUDA driver, or AMD's runtime, whose kernels run in a simulator: a shared
// library of C, which programs open in the place of the vendor's, asks the test that built it to run kernels.
//
//	simdriver.go   the test's side: it answers requests, and runs PTX and code objects
//	testdata       sim.h: how the libraries ask; simdriver.c: the driver, simhip.c: AMD's runtime
package simdriver
