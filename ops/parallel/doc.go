// Package parallel has products whose matrices are split over the ranks of a communicator, so that each rank
// holds and reads a part of the weights (tensor parallelism).
//
// A matrix split by columns (outputs) needs no exchange before its product: each rank has its columns of the
// result. A matrix split by rows (inputs) takes such a result as its input, and one AllReduce adds the
// ranks' products. A network's layers come in such pairs:
//
//	h := parallel.Columns(s, x, w1, ops.ThenGELU)     // [m, n/ranks], on each rank its own
//	y := parallel.Rows(s, c, h, w2, parallel.Plus(x)) // [m, k], the same on all ranks
//
// All ranks call the same ops in the same order.
//
//	parallel.go  products
//	split.go     parts of matrices
package parallel
