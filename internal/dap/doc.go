// Package dap is the debugger of `nereid debug`: a Debug Adapter Protocol server over the recorded execution
// of one program of a grid. The interpreter is deterministic, so the program runs once, to its end, and the
// debugger walks through what was recorded: forwards and backwards cost the same and show the same values.
//
// # The files
//
//	calls.go     breakpoint() in a kernel
//	history.go   a recording as stops, with the variables at each
//	server.go    requests and events of the protocol
//	values.go    values as text
//	variables.go locals, elements, expressions
//	watch.go     memory that is watched
package dap
