// Package warm repeats launches: an earlier launch's result serves all launches with the same specialization.
// It decides nothing; package args does, and a launch that fits nothing here takes the long way.
//
// Its input is arguments and a stream, its output a call of a device's Launcher, without allocation or lock.
//
//	plan.go     Plan: a compiled specialization with what its arguments look like
//	table.go    Table: the plans of a kernel, found by what arguments look like
//	cut.go      Cut: the short cut of generated functions to the plan of the launch before
//	argcut.go   ArgCut: the same for Kernel.Launch, whose arguments are of any type
//	stack.go    words of a launch that stay on the stack
//	demand.go   what a short cut demands of a number or a tensor
//
// A launch finds little of our memory in the processor's caches, because the driver's work has evicted it.
// Its cost is the number of cache lines that it reads and the amount of code that it runs; hence the flat
// structs, the packed codes, and loops that compare everything before they branch once.
package warm
