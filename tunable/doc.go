// Package tunable offers operations with several implementations, of which the fastest is chosen by
// measurement, once for each kind of parameters.
//
// An Op[P] is an operation on parameters of type P. Its candidates are the variants of a bundle's group
// (Group), kernels with each of their configs (Kernel), plain Go functions such as a CPU path or a vendor's
// library (Func), or other ops (Nested):
//
//	op, err := tunable.New("softmax", func(p Params) key { return key{p.X.DType, p.Rows, p.Cols} },
//		tunable.Options[Params]{Store: store, Budget: time.Second}, candidates...)
//	err = op.Call(stream, Params{X: x, Out: out, Rows: 4096, Cols: 1024})
//
// The first call for a key measures the candidates that support the parameters and keeps the times in a
// run.TuneStore, by the names of the candidates; later calls, in this process or another, run the best. A
// tuned call allocates nothing and costs some 100 ns more than the launch.
//
//	op.go         Op, Options, Call
//	candidate.go  Candidate, Func, Kernel, Nested
//	group.go      Group: candidates from a bundle
//	code.go       Code, Args: launches that allocate nothing
//	key.go        the table of choices, and the text of a key
//	choose.go     which candidate runs: kept, chosen by default, or measured
//	tune.go       one tuning: prepare, measure, decide
//	proxy.go      buffers in place of the tensors that an op writes
//	compare.go    the results of candidates compared
//	tensors.go    the tensors among parameters
//	result.go     Result, Explore
//	errors.go     UnsupportedError, FailedError
package tunable
