// Package collective lets several devices work as one: ranks, each a process or a goroutine with a device of
// its own, exchange the elements of tensors by operations that all of them call.
//
//	cfg := collective.Config{Rank: 1, Size: 4, Rendezvous: "tcp://10.0.0.1:29500"}
//	c, err := collective.Open(ctx, dev, cfg)
//	…
//	err = c.AllReduce(stream, sum, part, collective.Sum)
//
// On GPUs, NCCL (on AMD's, RCCL) moves the data; it is opened at run time, operations are queued on the
// stream like launches, and Stream.Capture records them in graphs. On all other devices, connections over
// TCP move the data, operations return when they are done, and a reduction adds the ranks' elements in the
// order of the ranks, whatever the size: the same operands give the same bits, on each rank and in each run.
//
// A communicator works until the first error: a rank that is gone, a context that has ended, ranks that call
// different operations. Then every operation, on every rank, returns an error (Comm.Err), and nothing hangs.
// docs/DISTRIBUTED.md describes it all.
//
// The files:
//
//	comm.go        Comm and its operations
//	operation.go   one call: its arguments and their checks; RankError
//	open.go        Open, Config, NewID, Local
//	rendezvous.go  how ranks get the ID
//	gpu.go         NCCL and RCCL
//	mesh.go        connections between all ranks
//	wire.go        messages on a connection
//	sockets.go     the operations over connections
//	reduce.go      reductions on the host
package collective
