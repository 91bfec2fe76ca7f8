// Package ttgir reads and builds TTGIR: encodings of tensors, loops, the registers that values take. The
// passes of the packages beside it share it.
//
//	encode.go      building blocked layouts, reading and changing encodings
//	machine.go     Machine: the hardware that a kernel is compiled for
//	registers.go   how many registers and bytes values take
//	ruled.go       the values of the module's rules (internal/rules)
//	walk.go        loops, uses and questions about ops that several passes ask
package ttgir
