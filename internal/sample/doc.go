// Package sample finds out where the threads of this process are: now and then each is interrupted, and the
// address at which it was is counted. Addresses in the code of kernels become lines of their source.
//
//	code.go          the code of kernels: address → line
//	sampler_linux.go Sampler: the kernel's own sampling of threads, perf_event_open
//	sampler_other.go the same elsewhere: none
//	counts.go        Counts: samples by line
package sample
