// Package nccl calls NCCL, or its AMD counterpart RCCL, which it opens at run time: communicators of GPUs and
// collective operations on their streams.
//
// Its input is addresses of device memory, numbers of elements and handles of streams; its output is work
// queued on a stream, or an *Error that names the call and NCCL's own text. Callers make the GPU current on
// the calling thread first: NCCL finds its device there.
//
// The following always holds:
//
//   - A communicator is used by one call at a time. Poll and Abort are calls like all others.
//   - Groups belong to a thread of the system: GroupStart, the calls and GroupEnd are made on one.
//   - Without the library, Load says what was tried, and nothing else of the program is affected.
//
// The files:
//
//	load.go   finding a library
//	raw.go    its symbols, numbers and structures
//	comm.go   communicators and their operations
//	error.go  results as errors
package nccl
